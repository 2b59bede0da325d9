import { responsesContent } from "@model-gateway/protocol"
import type { Operation } from "../Operation.ts"
import { notJson } from "../ParseFields.ts"
import { parseResponses } from "./ParseResponses.ts"
import { producedIn } from "./ProducedItems.ts"
import { answerText } from "./ResponsesAnswerText.ts"
import { ResponsesRelay } from "./ResponsesRelay.ts"

export const responses: Operation = {
  name: "responses",
  path: "/v1/responses",
  content: responsesContent,
  read: (body) => (body.kind === "json" ? parseResponses(body.value, body.bytes, body.long) : notJson()),
  produced: producedIn,
  withMetadata: answerText,
  relay: () => new ResponsesRelay()
}
