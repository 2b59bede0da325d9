/** The JSON bodies of admin requests. */
import { Effect, Schema } from "effect"
import type { HttpServerRequest } from "effect/http"
import type { EndpointError } from "../errors/WireError.ts"
import { invalidField } from "../errors/SchemaProblems.ts"
import { routerRequest } from "../node/RouterRequest.ts"
import { readJson } from "../proxy/ReadBody.ts"
import { answering } from "../shared/Answer.ts"

const MAX_BYTES = 1024 * 1024

interface BodyOptions {
  /** No body is an empty object. */
  readonly optional?: boolean
  readonly maxBytes?: number
}

/** Decodes a body. Unknown fields are refused, so that a misspelled limit is an error. */
export const bodyDecoder = <A, I>(schema: Schema.Codec<A, I>) => {
  const decode = Schema.decodeUnknownEffect(schema, { onExcessProperty: "error", errors: "all" })
  return (value: unknown) => Effect.mapError(decode(value), invalidField)
}

/** Reads bodies of one schema. */
export const bodyReader = <A, I>(
  schema: Schema.Codec<A, I>,
  { maxBytes = MAX_BYTES, optional = false }: BodyOptions = {}
) => {
  const decode = bodyDecoder(schema)
  return Effect.fnUntraced(function* (request: HttpServerRequest.HttpServerRequest) {
    const incoming = routerRequest(request)
    const { "content-length": length = "0", "transfer-encoding": encoding } = incoming.headers
    const isEmpty = length === "0" && encoding === undefined
    return yield* decode(optional && isEmpty ? {} : (yield* readJson(incoming, maxBytes)).value)
  })
}

/** A handler that decodes the body of its request first. */
export const withBody = <A, I, Raw extends { readonly request: HttpServerRequest.HttpServerRequest }, B, R>(
  schema: Schema.Codec<A, I>,
  handle: (body: A, raw: Raw) => Effect.Effect<B, EndpointError, R>,
  options?: BodyOptions
) => {
  const read = bodyReader(schema, options)
  return (raw: Raw) => answering(Effect.flatMap(read(raw.request), (body) => handle(body, raw)))
}
