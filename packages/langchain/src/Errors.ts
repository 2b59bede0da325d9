/** What can go wrong, as classes. All of them are LangChain errors; `X.isInstance(error)` works across copies of this package too. */
import { LangChainError, ns } from "@langchain/core/errors"
import type { AIMessageChunk } from "@langchain/core/messages"
import type { GatewayDecision } from "./spend/Decision.ts"
import { formatUsd } from "./spend/Money.ts"

const gateway = ns.sub("gateway")

/** What an error answer said. */
export interface GatewayErrorFields {
  /** The HTTP status; undefined when there was no answer. */
  readonly status?: number | undefined
  readonly type?: string | undefined
  readonly code?: string | undefined
  /** The field of the request that it is about. */
  readonly param?: string | undefined
  /** With the code `guardrail_denied`: the check, and the rule that found a match. */
  readonly guardrail?: { readonly check: string; readonly rule: string } | undefined
  readonly requestId?: string | undefined
  readonly headers?: Headers | undefined
  readonly cause?: unknown
  /** Whether asking again can help; undefined: LangChain decides by the status. */
  readonly retryable?: boolean | undefined
}

/** Anything the gateway, or what stands in for it, answered or failed to answer. */
export class GatewayError extends gateway.brand(LangChainError) {
  override name = "GatewayError"
  readonly status: number | undefined
  readonly type: string | undefined
  readonly code: string | undefined
  readonly param: string | undefined
  /** With the code `guardrail_denied`: the check, and the rule that found a match. */
  readonly guardrail: { readonly check: string; readonly rule: string } | undefined
  readonly requestId: string | undefined
  /** The answer's headers, which LangChain asks for `Retry-After`. */
  declare readonly headers: Headers | undefined

  constructor(message: string, fields: GatewayErrorFields = {}) {
    super(message)
    this.status = fields.status
    this.type = fields.type
    this.code = fields.code
    this.param = fields.param
    this.guardrail = fields.guardrail
    this.requestId = fields.requestId
    // Not enumerable: a logged error shows what matters.
    Object.defineProperty(this, "headers", { value: fields.headers })
    if (fields.cause !== undefined) Object.defineProperty(this, "cause", { value: fields.cause })
    if (fields.retryable !== undefined) markRetryable(this, fields.retryable)
  }
}

/** The constructor's options don't make a working client: the message names the option and the environment variable. */
export class GatewayConfigurationError extends gateway.brand(GatewayError, "configuration") {
  override name = "GatewayConfigurationError"

  constructor(message: string) {
    super(message, { retryable: false })
  }
}

/** What was asked can't be sent: a content block or a message that the wire has no form for. */
export class GatewayInputError extends gateway.brand(GatewayError, "input") {
  override name = "GatewayInputError"

  constructor(message: string) {
    super(message, { retryable: false })
  }
}

/** 401: no key, or not a valid one. */
export class GatewayAuthenticationError extends gateway.brand(GatewayError, "authentication") {
  override name = "GatewayAuthenticationError"
}

/** 403: the key may not do this; above all, use this model. */
export class GatewayPermissionError extends gateway.brand(GatewayError, "permission") {
  override name = "GatewayPermissionError"
}

/** What a 429 of the gateway tells beside its message. */
export interface GatewayLimitFields extends GatewayErrorFields {
  readonly kind?: string | undefined
  readonly retryAfterSeconds?: number | undefined
  readonly limit?: number | undefined
  readonly used?: number | undefined
  readonly scope?: string | undefined
  readonly subject?: string | undefined
  readonly models?: ReadonlyArray<string> | undefined
  readonly resetsAt?: string | undefined
}

abstract class LimitError extends gateway.brand(GatewayError, "limit") {
  /** `rpm`, `tpm`, `parallel`, `upstream`; of a budget: `budget`, `budget_reserved`. */
  readonly kind: string | undefined
  /** Who waits that long is admitted. */
  readonly retryAfterSeconds: number | undefined
  readonly limit: number | undefined
  readonly used: number | undefined
  /** `key`, `team`, `end_user` or `session`. */
  readonly scope: string | undefined
  /** The id of the end user or session; undefined: the limit is the key's or team's own. */
  readonly subject: string | undefined
  /** The models of the rule that refused the request; undefined: no model rule did. */
  readonly models: ReadonlyArray<string> | undefined
  /** RFC 3339, UTC. */
  readonly resetsAt: string | undefined

  constructor(message: string, fields: GatewayLimitFields = {}) {
    super(message, fields)
    this.kind = fields.kind
    this.retryAfterSeconds = fields.retryAfterSeconds
    this.limit = fields.limit
    this.used = fields.used
    this.scope = fields.scope
    this.subject = fields.subject
    this.models = fields.models
    this.resetsAt = fields.resetsAt
  }
}

/** 429: too many requests or tokens; it passes by itself. */
export class GatewayRateLimitError extends gateway.brand(LimitError, "rate-limit") {
  override name = "GatewayRateLimitError"
}

/** 429 or 402: the budget of the key or of its team is used up (`budget`), or held by requests in flight (`budget_reserved`). */
export class GatewayBudgetError extends gateway.brand(LimitError, "budget") {
  override name = "GatewayBudgetError"
}

/** There was no connection, or it broke before the answer was there. */
export class GatewayConnectionError extends gateway.brand(GatewayError, "connection") {
  override name = "GatewayConnectionError"
}

/** Nothing came for `timeout` milliseconds. The call was sent, and may be paid for: it is not asked again. */
export class GatewayTimeoutError extends gateway.brand(GatewayConnectionError, "timeout") {
  override name = "GatewayTimeoutError"

  constructor(message: string, cause?: Error) {
    super(message, { cause, retryable: false })
  }
}

/** What had arrived of a stream when it broke. */
export interface InterruptedFields extends GatewayErrorFields {
  readonly partial?: AIMessageChunk | undefined
  readonly decision?: GatewayDecision | undefined
}

/**
 * A stream that failed, just stopped, or sent nothing for `timeout` milliseconds. What had arrived is in it: an answer is never
 * silently shorter.
 */
export class StreamInterruptedError extends gateway.brand(GatewayError, "stream-interrupted") {
  override name = "StreamInterruptedError"
  /** The text so far. */
  readonly text: string
  /** Everything so far, tool calls included; undefined when nothing had come. */
  declare readonly partial: AIMessageChunk | undefined
  /** Who served it, and the most it can have cost. */
  readonly decision: GatewayDecision | undefined

  constructor(message: string, fields: InterruptedFields = {}) {
    super(message, { retryable: false, ...fields })
    this.text = fields.partial?.text ?? ""
    this.decision = fields.decision
    Object.defineProperty(this, "partial", { value: fields.partial })
  }
}

/** The budget that `GatewaySpendCallbackHandler` was given is used up: no further call is made. */
export class BudgetExceededError extends gateway.brand(LangChainError, "spend-budget") {
  override name = "BudgetExceededError"
  readonly budgetUsd: number
  readonly spentUsd: number
  /** The root run that was stopped. */
  readonly runId: string

  constructor(fields: { readonly budgetUsd: number; readonly spentUsd: number; readonly runId: string }) {
    super(`The budget of ${formatUsd(fields.budgetUsd)} USD is used up: ${formatUsd(fields.spentUsd)} USD are spent.`)
    this.budgetUsd = fields.budgetUsd
    this.spentUsd = fields.spentUsd
    this.runId = fields.runId
    markRetryable(this, false)
  }
}

/** LangChain's own mark, under its registered symbol: the function that sets it came later than core 1.2.0. */
export const markRetryable = <E>(error: E, retryable: boolean): E => {
  if (typeof error !== "object" || error === null || Object.isFrozen(error)) return error
  Object.defineProperty(error, Symbol.for("langchain.errors.retryable"), { value: retryable, configurable: true })
  return error
}
