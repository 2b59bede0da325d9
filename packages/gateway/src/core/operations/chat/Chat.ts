import type { Operation } from "../Operation.ts"
import { producedIn } from "../ProducedText.ts"
import { answerText } from "./AnswerText.ts"
import { StreamRelay } from "./StreamRelay.ts"

export const chat: Operation = {
  name: "chat",
  path: "/v1/chat/completions",
  produced: producedIn,
  withMetadata: answerText,
  relay: (request) => new StreamRelay(request.includeUsage, request.choices)
}
