/** Errors of HTTP requests that are found before any rule is asked. `WireError.ts` says how they look on the wire. */
import { Schema } from "effect"

/** The body is not JSON, or is nested too deeply. `message` says where or why. */
export class InvalidJson extends Schema.TaggedError<InvalidJson>()("InvalidJson", {
  message: Schema.String
}) {}

/** The body is no readable form. `message` says what is wrong with it. */
export class InvalidForm extends Schema.TaggedError<InvalidForm>()("InvalidForm", {
  message: Schema.String
}) {}

export class BodyTooLarge extends Schema.TaggedError<BodyTooLarge>()("BodyTooLarge", {
  limitBytes: Schema.Int
}) {}

/** The endpoint does not read this media type or `Content-Encoding`. `message` says what it reads. */
export class UnsupportedMediaType extends Schema.TaggedError<UnsupportedMediaType>()("UnsupportedMediaType", {
  message: Schema.String
}) {}

/** `hint`: what the path would be elsewhere, and what to do instead, as sentences. */
export class UnknownPath extends Schema.TaggedError<UnknownPath>()("UnknownPath", {
  method: Schema.String,
  path: Schema.String,
  hint: Schema.optionalKey(Schema.String)
}) {}

/** A WebSocket connection takes no request: one runs, or it has reached its lifetime. */
export class SocketRefused extends Schema.TaggedError<SocketRefused>()("SocketRefused", {
  why: Schema.Literals(["in_flight", "expired"])
}) {}

/** `GET /v1/responses` that opens no WebSocket. `full`: as many are open as may be, of the key or in all. */
export class WebSocketNotServed extends Schema.TaggedError<WebSocketNotServed>()("WebSocketNotServed", {
  full: Schema.optionalKey(Schema.Struct({ of: Schema.String, most: Schema.Int }))
}) {}

/** `allow`: the methods the path has. */
export class MethodNotAllowed extends Schema.TaggedError<MethodNotAllowed>()("MethodNotAllowed", {
  method: Schema.String,
  path: Schema.String,
  allow: Schema.Array(Schema.String)
}) {}

/** The wrong kind of credential: a virtual key on `/admin`, or the master key on `/v1`. `expected`: the kind that is needed. */
export class WrongKeyKind extends Schema.TaggedError<WrongKeyKind>()("WrongKeyKind", {
  expected: Schema.Literals(["virtual", "master"])
}) {}

/** A browser sent it for a page of another origin. */
export class CrossSite extends Schema.TaggedError<CrossSite>()("CrossSite", {}) {}

/** As many watch requests as may at once. */
export class TooManyStreams extends Schema.TaggedError<TooManyStreams>()("TooManyStreams", { most: Schema.Int }) {}

/** Too many wrong credentials came from the caller's address. After the wait the next one is answered normally again. */
export class TooManyAuthFailures extends Schema.TaggedError<TooManyAuthFailures>()("TooManyAuthFailures", {
  retryAfterSeconds: Schema.Int
}) {}

/** The HTTP request itself is malformed or came too late. `status`: 400, 408, 417, 431 or 501, with a message for it. */
export class BadRequest extends Schema.TaggedError<BadRequest>()("BadRequest", {
  status: Schema.Literals([400, 408, 417, 431, 501]),
  code: Schema.String,
  message: Schema.String
}) {}

/** A fault of the gateway itself. What it was is in the log, not in the response. */
export class InternalFault extends Schema.TaggedError<InternalFault>()("InternalFault", {}) {}
