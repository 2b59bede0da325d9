/** What can go wrong, as Schema classes: one per kind, as in the main entry, with the fields of the API's error body. */
import { Schema } from "effect"
import { ErrorDetail } from "@model-gateway/protocol"
import * as Plain from "../Errors.ts"

const { guardrail, kind, limit, models, scope, subject, used } = ErrorDetail.fields

const fields = {
  message: Schema.String,
  /** The HTTP status; left out when there was no answer. */
  status: Schema.optionalKey(Schema.Int),
  type: Schema.optionalKey(Schema.String),
  code: Schema.optionalKey(Schema.String),
  param: Schema.optionalKey(Schema.String),
  guardrail,
  requestId: Schema.optionalKey(Schema.String)
}

const limitFields = {
  ...fields,
  kind,
  retryAfterSeconds: Schema.optionalKey(Schema.Finite),
  limit,
  used,
  scope,
  subject,
  models,
  resetsAt: Schema.optionalKey(Schema.String)
}

export class ConfigurationError extends Schema.TaggedError<ConfigurationError>()("ConfigurationError", fields) {}
export class AuthenticationError extends Schema.TaggedError<AuthenticationError>()("AuthenticationError", fields) {}
export class PermissionError extends Schema.TaggedError<PermissionError>()("PermissionError", fields) {}
export class NotFoundError extends Schema.TaggedError<NotFoundError>()("NotFoundError", fields) {}
export class BadRequestError extends Schema.TaggedError<BadRequestError>()("BadRequestError", fields) {}
export class RateLimitError extends Schema.TaggedError<RateLimitError>()("RateLimitError", limitFields) {}
export class BudgetExceededError extends Schema.TaggedError<BudgetExceededError>()(
  "BudgetExceededError",
  limitFields
) {}
export class UpstreamError extends Schema.TaggedError<UpstreamError>()("UpstreamError", fields) {}
export class ServerError extends Schema.TaggedError<ServerError>()("ServerError", fields) {}
export class ConnectionError extends Schema.TaggedError<ConnectionError>()("ConnectionError", fields) {}
export class TimeoutError extends Schema.TaggedError<TimeoutError>()("TimeoutError", fields) {}
export class InvalidAnswerError extends Schema.TaggedError<InvalidAnswerError>()("InvalidAnswerError", fields) {}
export class StreamInterruptedError extends Schema.TaggedError<StreamInterruptedError>()("StreamInterruptedError", {
  ...fields,
  /** The text that had arrived. */
  text: Schema.String
}) {}

/** Any of them. */
export const GatewayFailure = Schema.Union([
  ConfigurationError,
  AuthenticationError,
  PermissionError,
  NotFoundError,
  BadRequestError,
  RateLimitError,
  BudgetExceededError,
  UpstreamError,
  ServerError,
  ConnectionError,
  TimeoutError,
  InvalidAnswerError,
  StreamInterruptedError
])
export type GatewayFailure = typeof GatewayFailure.Type

const decodeFailure = Schema.decodeUnknownSync(GatewayFailure)

/** An error of the main entry as its twin here. */
export const failureOf = (error: Plain.GatewayError): GatewayFailure => {
  const { code, guardrail, message, name, param, requestId, status, type } = error
  const common = { message, status, type, code, param, guardrail, requestId }
  const limits =
    error instanceof Plain.RateLimitError || error instanceof Plain.BudgetExceededError
      ? {
          kind: error.kind,
          retryAfterSeconds: error.retryAfterSeconds,
          limit: error.limit,
          used: error.used,
          scope: error.scope,
          subject: error.subject,
          models: error.models,
          resetsAt: error.resetsAt
        }
      : {}
  const text = error instanceof Plain.StreamInterruptedError ? { text: error.text } : {}
  const known = Object.entries({ ...common, ...limits, ...text }).filter(([, value]) => value !== undefined)
  return decodeFailure({ _tag: name, ...Object.fromEntries(known) })
}
