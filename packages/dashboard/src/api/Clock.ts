/**
 * What time it is at the gateway. Where a browser's clock is wrong, times that it asks for would be empty: each answer says what the
 * gateway's clock says, to a second.
 */
const CHANGED = "gateway:clock"

/** Less than this is the way of the answer, and nobody's mistake. */
const SLACK_MS = 30_000

let ahead = 0

export const gatewayNow = (): number => Date.now() + ahead

export const noteTime = ({ headers }: Response): void => {
  const told = Date.parse(headers.get("date") ?? "")
  if (Number.isNaN(told) || Math.abs(told - gatewayNow()) < SLACK_MS) return
  ahead = told - Date.now()
  dispatchEvent(new Event(CHANGED))
}

/** Calls back when a clock was found to differ. → how to stop that. */
export const onClock = (changed: () => void): (() => void) => {
  addEventListener(CHANGED, changed)
  return () => removeEventListener(CHANGED, changed)
}
