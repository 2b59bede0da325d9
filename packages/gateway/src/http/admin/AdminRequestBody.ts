/** The JSON bodies of admin requests. */
import { Effect, Schema } from "effect"
import type { HttpServerRequest } from "effect/http"
import { routerRequest } from "../node/RouterRequest.ts"
import { readJson } from "../proxy/ReadBody.ts"
import { invalidField } from "../errors/SchemaProblems.ts"

const MAX_BYTES = 1024 * 1024

/** Unknown fields are refused, so that a misspelled limit is not lost silently. */
const strict = { onExcessProperty: "error", errors: "all" } as const

/** Reads bodies of one schema. `optional`: no body at all is an empty object. `maxBytes`: the largest that is read. */
export const bodyReader = <A, I>(
  schema: Schema.Codec<A, I>,
  options?: { readonly optional?: boolean; readonly maxBytes?: number }
) => {
  const decode = Schema.decodeUnknownEffect(schema, strict)
  return Effect.fnUntraced(function* (request: HttpServerRequest.HttpServerRequest) {
    const incoming = routerRequest(request)
    const { "content-length": length = "0", "transfer-encoding": encoding } = incoming.headers
    const isEmpty = length === "0" && encoding === undefined
    const value =
      options?.optional === true && isEmpty ? {} : (yield* readJson(incoming, options?.maxBytes ?? MAX_BYTES)).value
    return yield* Effect.mapError(decode(value), invalidField)
  })
}
