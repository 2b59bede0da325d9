/** What can go wrong: one class per kind. `instanceof` works across copies of this package too. */
import type { Decision } from "./Decision.ts"

/** What is known of a failure. */
export interface ErrorFields {
  /** The HTTP status; undefined when there was no answer. */
  readonly status?: number | undefined
  readonly type?: string | undefined
  /** The exact reason, for programs: `model_not_found`. */
  readonly code?: string | undefined
  /** The field of the request that it is about. */
  readonly param?: string | undefined
  /** With the code `guardrail_denied`: the check, and the rule that found a match. */
  readonly guardrail?: { readonly check: string; readonly rule: string } | undefined
  readonly requestId?: string | undefined
  readonly headers?: Headers | undefined
  readonly cause?: unknown
}

const KIND = Symbol.for("model-gateway/client/error")

/** Anything the gateway, or what stands in for it, answered or failed to answer. */
export class GatewayError extends Error {
  static {
    called(this, "GatewayError")
  }
  readonly status: number | undefined
  readonly type: string | undefined
  readonly code: string | undefined
  readonly param: string | undefined
  /** With the code `guardrail_denied`: the check, and the rule that found a match. */
  readonly guardrail: { readonly check: string; readonly rule: string } | undefined
  readonly requestId: string | undefined
  /** The answer's headers. */
  declare readonly headers: Headers | undefined

  constructor(message: string, fields: ErrorFields = {}) {
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
  }

  static override [Symbol.hasInstance](value: unknown): boolean {
    const kind = Object.hasOwn(this.prototype, KIND) ? Reflect.get(this.prototype, KIND) : undefined
    for (let one = value; typeof one === "object" && one !== null; one = Object.getPrototypeOf(one)) {
      if (one === this.prototype || (kind !== undefined && Object.hasOwn(one, KIND) && Reflect.get(one, KIND) === kind))
        return true
    }
    return false
  }

  toJSON(): object {
    return { ...this, name: this.name, message: this.message }
  }
}

function called(of: { readonly prototype: object }, name: string): void {
  Object.defineProperty(of.prototype, "name", { value: name, configurable: true, writable: true })
  Object.defineProperty(of.prototype, KIND, { value: name })
}

/** The client's options, or the arguments of a call, can't be used: nothing was sent. */
export class ConfigurationError extends GatewayError {
  static {
    called(this, "ConfigurationError")
  }
}

/** 401: no key, or none that opens anything (any more). */
export class AuthenticationError extends GatewayError {
  static {
    called(this, "AuthenticationError")
  }
}

/** 403: the key may not do this; above all, use this model. */
export class PermissionError extends GatewayError {
  static {
    called(this, "PermissionError")
  }
}

/** 404: there is no such model, key, team, receipt, response, or path. */
export class NotFoundError extends GatewayError {
  static {
    called(this, "NotFoundError")
  }
}

/** 400 and other 4xx: the request is at fault; `param` names the field. */
export class BadRequestError extends GatewayError {
  static {
    called(this, "BadRequestError")
  }
}

export interface LimitFields extends ErrorFields {
  readonly kind?: string | undefined
  readonly retryAfterSeconds?: number | undefined
  readonly limit?: number | undefined
  readonly used?: number | undefined
  readonly scope?: string | undefined
  readonly subject?: string | undefined
  readonly models?: ReadonlyArray<string> | undefined
  readonly resetsAt?: string | undefined
}

abstract class LimitError extends GatewayError {
  /** Of a rate: `rpm`, `tpm`, `parallel`, `upstream`, `feedback`, `auth_failures`; of a budget: `budget`, `budget_reserved`. */
  readonly kind: string | undefined
  /** Who waits that long is admitted. */
  readonly retryAfterSeconds: number | undefined
  /** Requests, tokens, or USD. */
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

  constructor(message: string, fields: LimitFields = {}) {
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
export class RateLimitError extends LimitError {
  static {
    called(this, "RateLimitError")
  }
}

/** The budget of the key or of its team is used up (`budget`), or held by requests in flight (`budget_reserved`). */
export class BudgetExceededError extends LimitError {
  static {
    called(this, "BudgetExceededError")
  }
}

/** The gateway works, the providers behind it failed. */
export class UpstreamError extends GatewayError {
  static {
    called(this, "UpstreamError")
  }
}

/** Any other 5xx: the gateway failed, drains, or can't use its store; or it is another server. */
export class ServerError extends GatewayError {
  static {
    called(this, "ServerError")
  }
}

/** Nobody answered, the connection broke before the answer was whole, or the answer sends callers elsewhere. */
export class ConnectionError extends GatewayError {
  static {
    called(this, "ConnectionError")
  }
}

/** Nothing came within `timeout` milliseconds. The call was sent, and may be paid for: it is not sent again. */
export class TimeoutError extends GatewayError {
  static {
    called(this, "TimeoutError")
  }
}

/** A success that is not what was asked for: an HTML page, another shape. */
export class InvalidAnswerError extends GatewayError {
  static {
    called(this, "InvalidAnswerError")
  }
}

export interface InterruptedFields extends ErrorFields {
  readonly text?: string | undefined
  readonly partial?: unknown
  readonly gateway?: Decision | undefined
}

/** A stream that had begun failed, stopped, broke, or fell silent: an answer is never silently shorter. */
export class StreamInterruptedError extends GatewayError {
  static {
    called(this, "StreamInterruptedError")
  }
  /** The text that had arrived. */
  readonly text: string
  /** Everything that had arrived, put together as `final()` would have. */
  declare readonly partial: unknown
  /** Who served it, and the most that it can have cost. */
  readonly gateway: Decision | undefined

  constructor(message: string, fields: InterruptedFields = {}) {
    super(message, fields)
    this.text = fields.text ?? ""
    this.gateway = fields.gateway
    Object.defineProperty(this, "partial", { value: fields.partial })
  }
}
