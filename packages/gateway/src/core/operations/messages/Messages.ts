/** Anthropic's Messages API: `POST /v1/messages`. */
import { messagesContent } from "@model-gateway/protocol"
import { answerText } from "../chat/ChatAnswerText.ts"
import type { Operation } from "../Operation.ts"
import { notJson } from "../ParseFields.ts"
import { MessagesRelay, producedIn, wireUsage } from "./MessagesRelay.ts"
import { readMessages } from "./ReadMessages.ts"

export const messages: Operation = {
  name: "messages",
  path: "/v1/messages",
  content: messagesContent,
  read: (body) => (body.kind === "json" ? readMessages(body.value, body.bytes, body.long) : notJson()),
  produced: producedIn,
  withMetadata: (answer, usage, metadata) => answerText(answer, usage, metadata, wireUsage),
  relay: () => new MessagesRelay()
}
