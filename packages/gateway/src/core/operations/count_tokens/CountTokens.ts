/** `POST /v1/messages/count_tokens`: how many tokens a request of the Messages API has. It is free. */
import { Effect, Predicate, Result } from "effect"
import { messagesContent } from "@model-gateway/protocol"
import { zeroBound } from "../../domain/pricing/Bound.ts"
import type { JsonObject } from "../../domain/Json.ts"
import { noUsage } from "../../domain/Usage.ts"
import { type Billing, type CallRequest, unwritten } from "../CallRequest.ts"
import type { LongStrings } from "../LongStrings.ts"
import { MessagesRelay } from "../messages/MessagesRelay.ts"
import { readConversation } from "../messages/ReadMessages.ts"
import type { Operation } from "../Operation.ts"
import { notJson, readOptions } from "../ParseFields.ts"
import { nothing } from "../ProducedText.ts"
import { gatewayObject } from "../RoutingMetadata.ts"

export const countTokens: Operation = {
  name: "count_tokens",
  path: "/v1/messages/count_tokens",
  content: messagesContent,
  read: (body) => (body.kind === "json" ? read(body.value, body.bytes, body.long) : notJson()),
  produced: () => nothing,
  withMetadata: ({ body }, _, metadata) =>
    JSON.stringify({ ...body, gateway: { ...gatewayObject(metadata), ...ownFields(body["gateway"]) } }),
  relay: () => new MessagesRelay()
}

const ownFields = (gateway: unknown): JsonObject => (Predicate.isObject(gateway) ? (gateway as JsonObject) : {})

export const free: Billing = {
  bound: () => zeroBound,
  unpriced: () => undefined,
  estimate: () => Effect.succeed(noUsage)
}

const read = (body: unknown, bytes: number, long?: LongStrings) =>
  Result.flatMap(readConversation(body), ({ fields, history, model, seen }) => {
    const { stream: _, ...counted } = fields
    return Result.map(readOptions(counted, seen, []), (): CallRequest => ({
      body: fields,
      contents: "messages",
      model,
      ...unwritten,
      history,
      ...seen.summary(bytes),
      features: 0,
      // No model reads them, so they count against no limit.
      inputEstimate: 0,
      billing: free,
      ...(long === undefined ? undefined : { long })
    }))
  })
