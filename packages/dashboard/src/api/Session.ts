/**
 * The half of the session that the page keeps; the browser keeps the other, and no script reads it. All tabs of this origin share it, and
 * all of them notice when it is gone.
 */
const NAME = "model-gateway-session"
/** Set in a session that the master key opened: its role is known without a question. */
const MASTER = "model-gateway-master"
const CHANGED = "gateway:session"

export const SESSION_HEADER = "X-Gateway-Session"

/** `ended`: it ran out, or was ended elsewhere, while somebody worked here. `out`: somebody signed out, or never was in. */
export type SessionState = "in" | "ended" | "out"

export const sessionState = (): SessionState => {
  const token = localStorage.getItem(NAME)
  return token === null ? "out" : token === "" ? "ended" : "in"
}

export const sessionToken = (): string | null => localStorage.getItem(NAME) || null

const told = (): void => {
  dispatchEvent(new Event(CHANGED))
}

export const isOfMasterKey = (): boolean => localStorage.getItem(MASTER) !== null

export const keepSession = (token: string, role: "admin" | "user"): void => {
  if (role === "admin") localStorage.setItem(MASTER, "1")
  else localStorage.removeItem(MASTER)
  localStorage.setItem(NAME, token)
  told()
}

export const forgetSession = (): void => {
  localStorage.removeItem(NAME)
  told()
}

/** The gateway does not know it any more. What is being written on a page stays there for whoever signs in again. */
export const endSession = (): void => {
  if (sessionState() !== "in") return
  localStorage.setItem(NAME, "")
  told()
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
