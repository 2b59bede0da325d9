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

/** A request that no model reads, so it costs nothing and counts against no limit. */
export const counted = (request: CallRequest): CallRequest => ({
  ...request,
  stream: false,
  includeUsage: false,
  inputEstimate: 0,
  maxOutput: 0,
  choices: 1,
  billing: free
})

const free: Billing = {
  bound: () => zeroBound,
  unpriced: () => undefined,
  estimate: () => Effect.succeed(noUsage)
}

const read = (body: unknown, bytes: number, long?: LongStrings) =>
  Result.flatMap(readConversation(body), ({ fields, history, model, seen }) => {
    const { stream: _, ...others } = fields
    return Result.map(readOptions(others, seen, []), () =>
      counted({
        body: fields,
        contents: "messages",
        model,
        ...unwritten,
        history,
        ...seen.summary(bytes),
        features: 0,
        ...(long === undefined ? undefined : { long })
      })
    )
  })
