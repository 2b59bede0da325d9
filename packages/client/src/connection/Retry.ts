/** Whether a failed call is made again, and when. */
import { BudgetExceededError, ConnectionError, type GatewayError, RateLimitError, TimeoutError } from "../Errors.ts"

/** Whoever is told to wait longer is told so at once, and nobody waits longer by themselves. */
const LONGEST_WAIT_MS = 60_000
const FIRST_PAUSE_MS = 500
const MOST_PAUSE_MS = 8_000

/** Marks a connection that never came about: nothing was sent. */
export const REFUSED = Symbol("refused")

/** Milliseconds to wait before the next attempt; undefined: there is none. `readsOnly`: asking twice changes nothing. */
export const pauseBefore = (error: GatewayError, failures: number, readsOnly: boolean): number | undefined => {
  if (!isWorthIt(error, readsOnly)) return undefined
  const told = toldPause(error.headers)
  const pause = told ?? Math.min(FIRST_PAUSE_MS * 2 ** failures, MOST_PAUSE_MS) * (0.75 + Math.random() / 2)
  return pause > LONGEST_WAIT_MS ? undefined : pause
}

const isWorthIt = (error: GatewayError, readsOnly: boolean): boolean => {
  // The opposite is not believed: a generation that failed may have been billed, whatever a server says.
  if (error.headers?.get("x-should-retry") === "false") return false
  if (error instanceof BudgetExceededError || error instanceof TimeoutError) return false
  // An answer has a status.
  if (error instanceof ConnectionError) return error.status === undefined && (readsOnly || REFUSED in error)
  if (error instanceof RateLimitError) return true
  // What the gateway says of itself was refused before any provider was asked.
  if (error.status === 503 && error.type === "server_error") return true
  return readsOnly && (error.status === 408 || (error.status ?? 0) >= 500)
}

const toldPause = (headers: Headers | undefined): number | undefined => {
  const exact = numberOf(headers?.get("retry-after-ms"))
  if (exact !== undefined) return exact
  const after = headers?.get("retry-after")
  const seconds = numberOf(after)
  if (seconds !== undefined) return 1_000 * seconds
  const date = Date.parse(after ?? "")
  return Number.isNaN(date) ? undefined : Math.max(0, date - Date.now())
}

const numberOf = (text: string | null | undefined): number | undefined => {
  const number = Number(text ?? Number.NaN)
  return text !== "" && number >= 0 ? number : undefined
}

const refusals =
  /^(ECONNREFUSED|ENOTFOUND|EAI_AGAIN|EHOSTUNREACH|ENETUNREACH|UND_ERR_CONNECT_TIMEOUT|ConnectionRefused)$/

/** What fetch threw because no connection came about: in the words of Node, Bun and Deno. */
export const isRefusal = (error: unknown): boolean => {
  for (let one = error, depth = 0; typeof one === "object" && one !== null && depth < 4; depth++) {
    const { cause, code, message } = one as {
      readonly cause?: unknown
      readonly code?: unknown
      readonly message?: unknown
    }
    if (refusals.test(String(code)) || /connection refused/i.test(String(message))) return true
    one = cause
  }
  return false
}

/** Rejects with the signal's reason when it is aborted. */
export const sleep = (ms: number, signal: AbortSignal | undefined): Promise<void> =>
  new Promise((resolve, reject) => {
    const leave = () => {
      clearTimeout(timer)
      reject(signal?.reason as Error)
    }
    const timer = setTimeout(() => {
      signal?.removeEventListener("abort", leave)
      resolve()
    }, ms)
    if (signal?.aborted === true) leave()
    else signal?.addEventListener("abort", leave, { once: true })
  })
