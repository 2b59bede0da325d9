/** What went wrong, in words for somebody who sits before an editor, and what they can do about it. */
import {
  AuthenticationError,
  BudgetExceededError,
  ConfigurationError,
  ConnectionError,
  GatewayError,
  InvalidAnswerError,
  NotFoundError,
  PermissionError,
  RateLimitError,
  ServerError,
  StreamInterruptedError,
  TimeoutError,
  UpstreamError
} from "@model-gateway/client"
import { dollars } from "../spend/Money.ts"

export interface Trouble {
  readonly text: string
  /** What helps, where the extension can do it. */
  readonly help?: "connect" | "spend"
}

/** What is known where it is told. */
export interface Where {
  readonly name: string
  readonly url: string
  /** Milliseconds since 1970. */
  readonly now: number
  readonly clock: (date: Date) => string
}

/** No key is ever in it: the client strikes them out of all that a server says. */
export const troubleOf = (error: unknown, where: Where): Trouble => {
  const trouble = plainly(error, where)
  const id = error instanceof GatewayError ? error.requestId : undefined
  return id === undefined || trouble.text.includes(id) ? trouble : { ...trouble, text: `${trouble.text} (${id})` }
}

const plainly = (error: unknown, where: Where): Trouble => {
  const { name, url } = where
  if (isNotTheGateway(error)) return { text: notTheGateway(url), help: "connect" }
  if (error instanceof StreamInterruptedError) return { text: `The answer broke off: ${error.message}` }
  if (error instanceof AuthenticationError) {
    return { text: `${name} refused the key: ${error.message}`, help: "connect" }
  }
  if (error instanceof BudgetExceededError) return { text: budgetText(error, where), help: "spend" }
  if (error instanceof RateLimitError) return { text: rateText(error, where) }
  if (error instanceof PermissionError) return { text: `The key of ${name} may not do this: ${error.message}` }
  if (error instanceof UpstreamError) return { text: `No provider behind ${name} could answer: ${error.message}` }
  if (error instanceof ServerError) return { text: `${name} could not answer: ${error.message}` }
  if (error instanceof ConfigurationError) return { text: error.message, help: "connect" }
  if (error instanceof TimeoutError || error instanceof ConnectionError) return { text: error.message }
  return { text: error instanceof Error ? error.message : String(error) }
}

/** A page, another shape, or a 404 of somebody who knows nothing of these paths and has none of the gateway's codes. */
const isNotTheGateway = (error: unknown): boolean =>
  error instanceof InvalidAnswerError ||
  error instanceof NotTheGateway ||
  (error instanceof NotFoundError && error.code === undefined) ||
  (error instanceof GatewayError && error.status === 405)

/** An answer of the right shape, from a server that knows nothing of what only the gateway tells. */
export class NotTheGateway extends Error {}

export const notTheGateway = (url: string): string =>
  `${url} answers, and is not a Model Gateway. Give its address without any path, such as http://127.0.0.1:4100.`

const BUDGETS: Readonly<Record<string, string>> = {
  team: "The team's budget",
  end_user: "The end user's budget",
  session: "The session's budget"
}

const budgetText = (error: BudgetExceededError, { clock, now }: Where): string => {
  if (error.kind === "budget_reserved") {
    return "What is left of the budget is held by requests that are running. It is free again when they are over."
  }
  const { limit, resetsAt, scope, used } = error
  const whose = BUDGETS[scope ?? "key"] ?? "The budget of this key"
  const amount = limit === undefined ? "" : ` of ${dollars(limit)}`
  const left = limit === undefined || used === undefined ? 0 : limit - used
  // A request is let in only if the most that it can cost has room.
  const state = left > 0 ? `has ${dollars(left)} left, and this request can cost more` : "is used up"
  const until = resetsAt === undefined ? undefined : new Date(resetsAt)
  if (until === undefined || Number.isNaN(until.getTime())) {
    return `${whose}${amount} ${state}. Ask whoever gave you the key for a higher one.`
  }
  return `${whose}${amount} ${state}. The next one begins ${timeText(until, now, clock)}.`
}

const rateText = (error: RateLimitError, { clock, now }: Where): string => {
  const { kind, limit, retryAfterSeconds } = error
  const most = limit === undefined ? "" : ` (at most ${limit})`
  const what =
    kind === "rpm"
      ? `Too many requests in a minute${most}.`
      : kind === "tpm"
        ? `Too many tokens in a minute${most}.`
        : kind === "parallel"
          ? `Too many requests at once${most}.`
          : kind === "upstream"
            ? "The providers ask for a pause."
            : error.message
  if (retryAfterSeconds === undefined) return `${what} Try again in a moment.`
  return `${what} Go on ${timeText(new Date(now + retryAfterSeconds * 1_000), now, clock)}.`
}

const DAY_MS = 86_400_000

/** `in 12 s, at 14:03:20`; what is further away has its date. */
export const timeText = (at: Date, now: number, clock: (date: Date) => string): string => {
  const seconds = Math.max(1, Math.ceil((at.getTime() - now) / 1_000))
  if (seconds < 120) return `in ${seconds} s, at ${clock(at)}`
  if (seconds * 1_000 < DAY_MS) return `at ${clock(at)}`
  return `on ${at.toISOString().slice(0, 10)} at ${clock(at)}`
}
