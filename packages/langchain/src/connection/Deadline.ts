/** The caller's signal and a timeout in one, without leaving a timer or a listener behind. */
import { GatewayTimeoutError } from "../Errors.ts"

export interface Deadline {
  readonly signal: AbortSignal
  /** The wait starts, or starts again. */
  readonly touch: () => void
  /** Nothing is waited for until the next `touch`. */
  readonly rest: () => void
  readonly end: () => void
  /** What to throw instead of `error`: if the caller or the clock ended it, that is the reason. */
  readonly explain: (error: unknown) => unknown
}

/** A timer's longest time; a longer one would end at once. */
const LONGEST_MS = 2 ** 31 - 1

/** `ms`: 0 for no limit. */
export const makeDeadline = (ms: number, outer: AbortSignal | undefined): Deadline => {
  const controller = new AbortController()
  let timer: ReturnType<typeof setTimeout> | undefined
  const follow = () => controller.abort(outer?.reason)
  const expire = () => controller.abort(new GatewayTimeoutError(`The gateway sent nothing for ${ms} ms (\`timeout\`).`))
  const rest = () => clearTimeout(timer)
  const touch = () => {
    rest()
    if (ms > 0 && ms <= LONGEST_MS && !controller.signal.aborted) timer = setTimeout(expire, ms)
  }
  if (outer?.aborted) follow()
  else outer?.addEventListener("abort", follow, { once: true })
  touch()
  return {
    signal: controller.signal,
    touch,
    rest,
    end: () => {
      rest()
      outer?.removeEventListener("abort", follow)
    },
    explain: (error) => (controller.signal.aborted ? asError(controller.signal.reason) : error)
  }
}

/** A signal may be aborted for any reason, a string for example. */
export const asError = (reason: unknown): Error => {
  if (reason instanceof Error) return reason
  return new DOMException(typeof reason === "string" ? reason : "This operation was aborted", "AbortError")
}
