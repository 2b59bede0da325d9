/** What can be wrong with an HTTP request before any rule is asked. How it looks on the wire is in `WireError.ts`. */
import { Schema } from "effect"

/** The body is no JSON, or nested too deeply to be read. `message` says where or why. */
export class InvalidJson extends Schema.TaggedError<InvalidJson>()("InvalidJson", {
  message: Schema.String
}) {}

export class BodyTooLarge extends Schema.TaggedError<BodyTooLarge>()("BodyTooLarge", {
  limitBytes: Schema.Int
}) {}

/** A media type that the endpoint does not read, or a `Content-Encoding`. `message` says what it reads. */
export class UnsupportedMediaType extends Schema.TaggedError<UnsupportedMediaType>()("UnsupportedMediaType", {
  message: Schema.String
}) {}

export class UnknownPath extends Schema.TaggedError<UnknownPath>()("UnknownPath", {
  method: Schema.String,
  path: Schema.String
}) {}

/** `allow`: the methods the path has. */
export class MethodNotAllowed extends Schema.TaggedError<MethodNotAllowed>()("MethodNotAllowed", {
  method: Schema.String,
  path: Schema.String,
  allow: Schema.Array(Schema.String)
}) {}

/** A credential of the other kind: a virtual key on `/admin`, or the master key on `/v1`. `expected`: what is wanted here. */
export class WrongKeyKind extends Schema.TaggedError<WrongKeyKind>()("WrongKeyKind", {
  expected: Schema.Literals(["virtual", "master"])
}) {}

/** Too many wrong credentials came from the caller's address. Who waits that long is told again what is wrong with the next one. */
export class TooManyAuthFailures extends Schema.TaggedError<TooManyAuthFailures>()("TooManyAuthFailures", {
  retryAfterSeconds: Schema.Int
}) {}

/** Something of HTTP itself is wrong or came too late. `status`: 400, 408, 417, 431 or 501; the words to go with it. */
export class BadRequest extends Schema.TaggedError<BadRequest>()("BadRequest", {
  status: Schema.Literals([400, 408, 417, 431, 501]),
  code: Schema.String,
  message: Schema.String
}) {}

/** A fault of the gateway itself. What it was is in the log, not in the answer. */
export class InternalFault extends Schema.TaggedError<InternalFault>()("InternalFault", {}) {}
