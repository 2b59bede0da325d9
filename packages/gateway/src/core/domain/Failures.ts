/** How calls to providers fail. */
import { Effect, Predicate, Schema } from "effect"
import { failureClasses } from "@model-gateway/protocol"
import type { Usage } from "./Usage.ts"

/** What went wrong upstream; `Failover` decides by it alone. */
export type FailureClass = (typeof failureClasses)[number]

/** The provider's own; null where it told none. */
const word = Schema.NullOr(Schema.String).pipe(Schema.withConstructorDefault(Effect.succeed(null)))

/**
 * A call to a provider failed. `status`: 0 where there was none. `message`, `type`, `code` and `param` are the provider's words,
 * for the caller only where the request is at fault. `mayBeOfRequest`: the refused key may be the request's fault (a firewall).
 * `key`: the index of the used key. `usage`: of the failed response. `alsoBilled`: other calls of the attempt. `instead`: the
 * operation that serves the request. `portable`: the provider may take it without the signed thoughts in its history.
 */
export class ProviderFailure extends Schema.TaggedError<ProviderFailure>()("ProviderFailure", {
  class: Schema.Literals(failureClasses),
  status: Schema.Int,
  message: Schema.String,
  type: word,
  code: word,
  param: word,
  retryAfterMs: Schema.optionalKey(Schema.Finite),
  mayBeOfRequest: Schema.optionalKey(Schema.Boolean),
  key: Schema.optionalKey(Schema.Int),
  usage: Schema.optionalKey(Schema.declare((value): value is Usage => Predicate.hasProperty(value, "input"))),
  alsoBilled: Schema.optionalKey(Schema.Boolean),
  instead: Schema.optionalKey(Schema.String),
  portable: Schema.optionalKey(Schema.Boolean)
}) {}

/** Providers bill what they read and wrote even if it did not arrive. Error responses are free. */
export const isBilled = (failure: ProviderFailure): boolean => BILLED.has(failure.class) || failure.alsoBilled === true

const BILLED: ReadonlySet<FailureClass> = new Set([
  "first_token_timeout",
  "idle_timeout",
  "total_timeout",
  "truncated",
  "no_room"
])

/** The response broke off or was invalid, although its head said 200. */
export const truncated = (message: string): ProviderFailure =>
  new ProviderFailure({ class: "truncated", status: 200, message })

/** The provider can't serve the request (with `X-Gateway-Strict`: not without dropping parameters). Becomes a 400. */
export class Unsupported extends Schema.TaggedError<Unsupported>()("Unsupported", {
  message: Schema.String,
  param: Schema.String,
  /** `cost_unbounded`: the provider could serve it, but its cost has no upper bound, and the caller has a budget. */
  code: Schema.optionalKey(Schema.Literal("cost_unbounded"))
}) {}
