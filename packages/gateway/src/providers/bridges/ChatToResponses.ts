/** Chat at models that have Responses alone. */
import type { JsonObject } from "../../core/domain/Json.ts"
import type { Bridge } from "./Bridge.ts"
import { chatCompletion } from "./chat-to-responses/ChatToResponsesResult.ts"
import { responseRequest } from "./chat-to-responses/ChatToResponsesRequest.ts"
import { ResponseChunks } from "./chat-to-responses/ChatToResponsesStream.ts"

const NAMES = new Map([
  ["reasoning.effort", "reasoning_effort"],
  ["text.format", "response_format"],
  ["text.verbosity", "verbosity"]
])

const limitName = (body: JsonObject): string =>
  body["max_completion_tokens"] === undefined ? "max_tokens" : "max_completion_tokens"

export const chatToResponses: Bridge = {
  from: "chat",
  to: "responses",
  down: responseRequest,
  nameOf: (param, { request }) =>
    param === "max_output_tokens" ? limitName(request.body) : (NAMES.get(param) ?? param),
  up: ({ body, serviceTier, usage }) => ({ body: chatCompletion(body, usage), usage, serviceTier }),
  upStream: (call) => new ResponseChunks(call)
}
