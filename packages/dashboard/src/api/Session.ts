/**
 * The half of the session that the page keeps; the browser keeps the other, and no script reads it. All tabs of this origin share it, and
 * all of them notice when it is gone.
 */
const NAME = "model-gateway-session"
const CHANGED = "gateway:session"

export const SESSION_HEADER = "X-Gateway-Session"

export const sessionToken = (): string | null => localStorage.getItem(NAME)

export const keepSession = (token: string): void => {
  localStorage.setItem(NAME, token)
  dispatchEvent(new Event(CHANGED))
}

export const forgetSession = (): void => {
  localStorage.removeItem(NAME)
  dispatchEvent(new Event(CHANGED))
}

/** Calls back when somebody signs in or out, here or in another tab. → how to stop that. */
export const onSession = (changed: () => void): (() => void) => {
  const elsewhere = (event: StorageEvent) => {
    if (event.key === NAME || event.key === null) changed()
  }
  addEventListener("storage", elsewhere)
  addEventListener(CHANGED, changed)
  return () => {
    removeEventListener("storage", elsewhere)
    removeEventListener(CHANGED, changed)
  }
}
