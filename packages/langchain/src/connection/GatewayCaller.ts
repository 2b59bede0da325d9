/**
 * Core's caller with pauses of our own between the tries. Who is told when to come again waits exactly that long, whatever the status;
 * core knows such a wait of a 429 only, and as the least of its pauses. A caller that gives up leaves no pause behind.
 */
import { AsyncCaller, type AsyncCallerParams, type FailedAttemptHandler } from "@langchain/core/utils/async_caller"
import { asError } from "./Deadline.ts"
import { GatewayConfigurationError, GatewayError } from "../Errors.ts"

export interface Tries {
  readonly maxRetries?: number | undefined
  readonly signal?: AbortSignal | undefined
}

/** The gateway has failed over already: more attempts only add load. */
export const DEFAULT_MAX_RETRIES = 2

/** The first pause without a word of the server: this long, to twice as long. Each pause is twice the one before. */
const FIRST_PAUSE_MS = 1_000

/** Core's limit as well: who is told to wait longer is told so at once, and nobody waits longer by themselves. */
const LONGEST_WAIT_MS = 60_000

export class GatewayCaller extends AsyncCaller {
  readonly #retries: number
  /** Throws where nobody should try again: the caller's own judge, else core's. */
  readonly #judge: FailedAttemptHandler | undefined

  constructor(params: AsyncCallerParams) {
    super({ ...params, maxRetries: 0 })
    this.#retries = readRetries(params.maxRetries)
    this.#judge = this.onFailedAttempt
    // Asked here, once a failure; core would ask again about the last one.
    this.onFailedAttempt = () => undefined
  }

  /** What `attempt` gives in the end. One of `maxConcurrency` calls until then. */
  try<A>(attempt: () => Promise<A>, { maxRetries, signal }: Tries = {}): Promise<A> {
    const options = signal === undefined ? {} : { signal }
    const retries = maxRetries === undefined ? this.#retries : readRetries(maxRetries)
    return this.callWithOptions(options, () => this.attempts(attempt, retries, signal)) as Promise<A>
  }

  private async attempts<A>(attempt: () => Promise<A>, retries: number, signal: AbortSignal | undefined): Promise<A> {
    for (let failures = 0; ; failures++) {
      try {
        return await attempt()
      } catch (error) {
        await this.#judge?.(error)
        const pause = waitOf(error) ?? backoff(failures)
        // Another TypeError than fetch's is a mistake in a program: it stays one.
        if (failures >= retries || pause > LONGEST_WAIT_MS || error instanceof TypeError) throw error
        await sleep(pause, signal)
      }
    }
  }
}

const readRetries = (retries = DEFAULT_MAX_RETRIES): number => {
  if (retries >= 0) return retries
  throw new GatewayConfigurationError("`maxRetries` must be a number, 0 for none.")
}

const backoff = (failures: number): number =>
  Math.min(FIRST_PAUSE_MS * 2 ** failures * (1 + Math.random()), LONGEST_WAIT_MS)

/** Milliseconds; undefined where nothing was said of it, in headers or, as core reads them, in words. */
const waitOf = (error: unknown): number | undefined => {
  const headers = GatewayError.isInstance(error) ? error.headers : undefined
  const seconds = amount(headers?.get("retry-after"))
  const exact = amount(headers?.get("retry-after-ms")) ?? (seconds === undefined ? undefined : seconds * 1_000)
  return exact ?? (error as { readonly retryAfterMs?: number } | undefined)?.retryAfterMs ?? dateOf(headers)
}

/** Of all that JavaScript takes for a date, "-5" for one, only what begins with a day of the week is a header's. */
const HTTP_DATE = /^(?:mon|tue|wed|thu|fri|sat|sun)/i

const dateOf = (headers: Headers | undefined): number | undefined => {
  const text = headers?.get("retry-after") ?? ""
  const date = HTTP_DATE.test(text) ? Date.parse(text) : NaN
  return Number.isNaN(date) ? undefined : Math.max(0, date - Date.now())
}

const amount = (text: string | null | undefined): number | undefined =>
  text && Number(text) >= 0 ? Number(text) : undefined

const sleep = (ms: number, signal: AbortSignal | undefined): Promise<void> =>
  new Promise((resolve, reject) => {
    const wake = () => {
      signal?.removeEventListener("abort", leave)
      resolve()
    }
    const leave = () => {
      clearTimeout(timer)
      reject(asError(signal?.reason))
    }
    const timer = setTimeout(wake, ms)
    if (signal?.aborted) leave()
    else signal?.addEventListener("abort", leave, { once: true })
  })
