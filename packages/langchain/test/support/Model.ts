/** A `ChatGateway` that calls a test's gateway, with a key of its own. */
import type { AIMessageChunk, UsageMetadata } from "@langchain/core/messages"
import { concat } from "@langchain/core/utils/stream"
import { ChatGateway, type ChatGatewayFields, gatewayDecision } from "../../src/index.ts"
import type { Gateway } from "./Gateway.ts"

export interface Connected {
  readonly model: ChatGateway
  /** Of the virtual key, in the books. */
  readonly keyId: string
  readonly apiKey: string
}

/** `fields` for the model, `key` for `POST /admin/keys`. */
export const connect = async (
  gateway: Gateway,
  fields: ChatGatewayFields = {},
  key: object = {}
): Promise<Connected> => {
  const { apiKey, baseUrl, id } = await gateway.client(key)
  return { model: new ChatGateway({ apiKey, baseUrl, ...fields }), keyId: id, apiKey }
}

/** The decision of a message that has to have one. */
export const decisionOf = (message: unknown) => {
  const decision = gatewayDecision(message as Parameters<typeof gatewayDecision>[0])
  if (decision === undefined) throw new Error("The message has no decision.")
  return decision
}

/** The tokens of a message. LangChain's own type of the field comes to nothing under `exactOptionalPropertyTypes`. */
export const usageOf = (message: object): UsageMetadata | undefined =>
  (message as { readonly usage_metadata?: UsageMetadata }).usage_metadata

/** All chunks of a stream, and what they add up to. */
export const collect = async (stream: AsyncIterable<AIMessageChunk>) => {
  const chunks: Array<AIMessageChunk> = []
  for await (const chunk of stream) chunks.push(chunk)
  const [first, ...rest] = chunks
  if (first === undefined) throw new Error("The stream was empty.")
  return { chunks, whole: rest.reduce((sum, chunk) => concat(sum, chunk), first) }
}

/** What a promise was rejected with. */
export const failure = async (promise: Promise<unknown>): Promise<Error> =>
  promise.then(
    (value) => {
      throw new Error(`This had to fail, and gave ${JSON.stringify(value)}`)
    },
    (error: Error) => error
  )
