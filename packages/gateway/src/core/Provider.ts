/**
 * The contract between the rules and the vendors: what a protocol does to a chat call on its way out and to the answer on its
 * way back. Protocols are pure; `Transport` moves the bytes.
 */
import { Predicate, Schema, type Result } from "effect"
import type { ChatRequest, JsonObject } from "./ChatRequest.ts"
import type { BoundRules } from "./BoundRules.ts"
import type { BillsAfterDisconnect, Deployment, ProtocolName } from "./Deployment.ts"
import type { Usage } from "./Usage.ts"

/**
 * What went wrong upstream, as a closed union; `Failover` decides by it alone.
 *
 * - `rate_limited`: 429 that passes by itself. `quota_exhausted`: 429 `insufficient_quota`, 402, credit used up.
 * - `auth`: the provider refused our key. `unavailable`: 5xx, 529, refused or reset connections.
 * - `connections_full`: as many calls to it are under way as may be; it was not asked.
 * - `connect_timeout`, `first_token_timeout`: nothing came. `truncated`: the answer stopped or was garbage.
 * - `context_length`, `content_filter`, `bad_request`: the request is at fault. `model_not_found`: the provider does not know it.
 */
export const failureClasses = [
  "rate_limited",
  "quota_exhausted",
  "auth",
  "unavailable",
  "connections_full",
  "connect_timeout",
  "first_token_timeout",
  "truncated",
  "context_length",
  "content_filter",
  "bad_request",
  "model_not_found"
] as const
export type FailureClass = (typeof failureClasses)[number]

/**
 * A call to a provider failed. `status` is the provider's HTTP status (0 when there was none), `message`, `type`, `code` and
 * `param` are its own words, fit for the caller only where the request is at fault. `retryAfterMs`: the wait it asked for.
 * `mayBeOfRequest`: our key or credit is refused, but perhaps for this request only (a firewall's 403). `key`: the index of the
 * provider's key that was used, where it has several. `usage`: what the failed answer used, where the provider told.
 */
export class ProviderFailure extends Schema.TaggedError<ProviderFailure>()("ProviderFailure", {
  class: Schema.Literals(failureClasses),
  status: Schema.Int,
  message: Schema.String,
  type: Schema.NullOr(Schema.String),
  code: Schema.NullOr(Schema.String),
  param: Schema.NullOr(Schema.String),
  retryAfterMs: Schema.optionalKey(Schema.Finite),
  mayBeOfRequest: Schema.optionalKey(Schema.Boolean),
  key: Schema.optionalKey(Schema.Int),
  usage: Schema.optionalKey(Schema.declare((value): value is Usage => Predicate.hasProperty(value, "input")))
}) {}

/** The answer stopped, or was garbage: its head had said 200. */
export const truncated = (message: string): ProviderFailure =>
  new ProviderFailure({ class: "truncated", status: 200, message, type: null, code: null, param: null })

/** The request can't be expressed at this provider (or, with `X-Gateway-Strict`, not completely). Becomes a 400. */
export class Unsupported extends Schema.TaggedError<Unsupported>()("Unsupported", {
  message: Schema.String,
  param: Schema.String,
  /** `cost_unbounded`: it could be sent, but nobody knows the most it can cost, and there is a budget. */
  code: Schema.optionalKey(Schema.Literal("cost_unbounded"))
}) {}

/** One call: the caller's request aimed at one deployment. */
export interface ChatCall {
  readonly request: ChatRequest
  readonly deployment: Deployment
  /** Output tokens to ask for: the caller's own, or one the budget has room for; undefined leaves it to the provider. */
  readonly maxOutput: number | undefined
  /** The service tier to ask for in place of the caller's; left out: as the caller said. */
  readonly serviceTier?: string | undefined
  /** Fail with `Unsupported` instead of dropping a parameter the provider can't take. */
  readonly strict: boolean
  /** When the call was made, epoch milliseconds: protocols have no clock, and answers need a `created`. */
  readonly now: number
  /** The id of the caller's key. */
  readonly callerId?: string | undefined
  /** Takes who is to be told when the caller leaves, though the call goes on. */
  readonly onLeave?: ((listener: () => void) => void) | undefined
  /** Indices of the provider's keys that failed for this request: another one is used. */
  readonly triedKeys?: ReadonlyArray<number> | undefined
}

/** The upstream's HTTP request. `path` is appended to the deployment's base URL; authentication is added by the vendor. */
export interface WireRequest {
  readonly path: string
  readonly headers: { readonly [name: string]: string }
  readonly body: string
  /** Makes the bytes to send of `body`, where long strings are left out of it. */
  readonly splice?: (json: string) => Uint8Array
  /** Names of the caller's parameters that this provider can't take and that were left out. */
  readonly dropped: ReadonlyArray<string>
}

/** A complete chat completion in the vendor-defined shape, with what it used; `usage` undefined when the provider did not say. */
export interface LiftedAnswer {
  readonly body: JsonObject
  /** The provider's own JSON, where `body` is exactly what it says. */
  readonly text?: string | undefined
  readonly usage: Usage | undefined
  /** Undefined when the provider did not say. */
  readonly serviceTier?: string | undefined
}

/** One event of a server-sent event stream: the `event:` field, or "", and the joined `data:` lines. */
export interface SseEvent {
  readonly event: string
  readonly data: string
}

/**
 * What one upstream event means to the caller. `data` is always the JSON text of one `chat.completion.chunk`.
 *
 * - `lifecycle`: role-only and empty chunks. `content`: something was generated (text, tool call, reasoning, refusal).
 * - `finish`: carries a `finish_reason`. `usage`: the chunk with `choices: []` and the usage of the whole answer, emitted exactly
 *   once and last whenever the provider told the usage, whether or not the caller asked. On the others `usage` is null where the
 *   caller asked for it, and absent where not.
 * - `failed`: the provider reported an error inside the stream. `malformed`: an event that can't be read.
 * - `done`: the provider's own end mark was seen (`[DONE]`, `message_stop`).
 */
export type StreamEvent =
  | { readonly kind: "lifecycle" | "content" | "finish"; readonly data: string }
  | { readonly kind: "usage"; readonly data: string; readonly usage: Usage; readonly serviceTier?: string | undefined }
  | { readonly kind: "failed"; readonly failure: ProviderFailure }
  | { readonly kind: "malformed" }
  | { readonly kind: "done" }

/** The state machine of one streamed answer. */
export interface StreamLifter {
  readonly push: (event: SseEvent) => ReadonlyArray<StreamEvent>
  /** The upstream closed. What is still to be said (a held usage chunk …); never an invented finish or end mark. */
  readonly end: () => ReadonlyArray<StreamEvent>
}

/** How one API speaks. Every file of this shape has the same sections: request, answer, stream, usage, errors. */
export interface ChatProtocol {
  readonly name: ProtocolName
  readonly lower: (call: ChatCall) => Result.Result<WireRequest, Unsupported>
  /** The text of a 2xx body; a body that is no answer (HTML, error object, empty) is a failure. */
  readonly lift: (text: string, call: ChatCall) => Result.Result<LiftedAnswer, ProviderFailure>
  readonly stream: (call: ChatCall) => StreamLifter
  /** Any other status. `headers` are in lower case. */
  readonly failure: (answer: {
    readonly status: number
    readonly headers: { readonly [name: string]: string | undefined }
    readonly text: string
  }) => ProviderFailure
}

/** A vendor that speaks a known protocol: endpoint, authentication, quirks, and what its models can do. */
export interface Vendor {
  readonly name: string
  readonly protocol: ProtocolName
  readonly baseUrl: string
  readonly apiKeyVariable: string | undefined
  readonly starterModels: ReadonlyArray<string>
  /** The provider's id in the price list, when it is in it. */
  readonly priceListId: string | undefined
  /** Left out: `none`, as with servers that stop when their connection is closed. */
  readonly billsAfterDisconnect?: BillsAfterDisconnect
  /** Its API takes images as bytes only. */
  readonly inlineImages?: boolean
  /** What it can bill for the contents of a request, by its published rules. */
  readonly bounds: (model: string) => BoundRules
  readonly authenticate: (apiKey: string) => { readonly [name: string]: string }
}
