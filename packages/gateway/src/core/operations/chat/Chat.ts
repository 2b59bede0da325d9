import { chatContent } from "@model-gateway/protocol"
import type { Operation } from "../Operation.ts"
import { notJson } from "../ParseFields.ts"
import { parseChat } from "./ParseChat.ts"
import { producedIn } from "../ProducedText.ts"
import { answerText } from "./ChatAnswerText.ts"
import { StreamRelay } from "./StreamRelay.ts"

export const chat: Operation = {
  name: "chat",
  path: "/v1/chat/completions",
  content: chatContent,
  read: (body) => (body.kind === "json" ? parseChat(body.value, body.bytes, body.long) : notJson()),
  produced: producedIn,
  withMetadata: (answer, usage, metadata) => answerText(answer, usage, metadata),
  relay: (request) => new StreamRelay(request.includeUsage, request.choices)
}
