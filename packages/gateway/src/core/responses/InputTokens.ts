/** `POST /v1/responses/input_tokens`: how many tokens a request for a response has, with the conversation that it continues. It is free. */
import { Predicate, Result } from "effect"
import type { JsonObject } from "../domain/Json.ts"
import { counted, countTokens } from "../operations/count_tokens/CountTokens.ts"
import type { Operation } from "../operations/Operation.ts"
import { responses } from "../operations/responses/Responses.ts"

export const inputTokens: Operation = {
  ...responses,
  name: "input_tokens",
  path: "/v1/responses/input_tokens",
  read: (body) => {
    if (body.kind !== "json" || !Predicate.isObject(body.value)) return responses.read(body)
    const { background: _, stream: __, ...value } = body.value as JsonObject
    return Result.map(responses.read({ ...body, value }), counted)
  },
  withMetadata: ({ body, ...answer }, ...more) =>
    countTokens.withMetadata({ ...answer, body: { object: "response.input_tokens", ...body } }, ...more)
}
