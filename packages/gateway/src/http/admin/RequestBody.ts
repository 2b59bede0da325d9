/** The JSON bodies of admin requests. */
import type { IncomingMessage } from "node:http"
import * as NodeHttpServerRequest from "@effect/platform-node/NodeHttpServerRequest"
import { Effect, Schema } from "effect"
import type { HttpServerRequest } from "effect/http"
import { readJson } from "../proxy/ReadBody.ts"
import { invalidField } from "../SchemaProblems.ts"

const MAX_BYTES = 1024 * 1024

/** What callers misspell is refused, so that no limit is lost in silence. */
const strict = { onExcessProperty: "error", errors: "all" } as const

/** Reads bodies of one schema. `optional`: no body at all is an empty object. */
export const bodyReader = <A, I>(schema: Schema.Codec<A, I>, options?: { readonly optional: boolean }) => {
  const decode = Schema.decodeUnknownEffect(schema, strict)
  return Effect.fnUntraced(function* (request: HttpServerRequest.HttpServerRequest) {
    // The server speaks HTTP/1.1 only.
    const incoming = NodeHttpServerRequest.toIncomingMessage(request) as IncomingMessage
    const { "content-length": length = "0", "transfer-encoding": encoding } = incoming.headers
    const isEmpty = length === "0" && encoding === undefined
    const value = options?.optional === true && isEmpty ? {} : (yield* readJson(incoming, MAX_BYTES)).value
    return yield* Effect.mapError(decode(value), invalidField)
  })
}
