/** Calls for protocol tests, and what comes of a recorded stream. */
import { factsOf } from "../../../support/CatalogueFacts.ts"
import type { CallRequest } from "../../../../src/core/operations/CallRequest.ts"
import type { JsonObject } from "../../../../src/core/domain/Json.ts"
import type { Deployment } from "../../../../src/core/domain/Deployment.ts"
import type { StreamEvent } from "../../../../src/core/operations/LiftedAnswer.ts"
import type { UpstreamCall } from "../../../../src/core/pool/Protocol.ts"
import { OpenAiChat } from "../../../../src/providers/protocols/openai/OpenAiProtocol.ts"
import { registryOf } from "../../../../src/providers/catalogue/ProviderRegistry.ts"
import { NOW, plainDeployment, replayed } from "../shared/ChatCalls.ts"

export { NOW } from "../shared/ChatCalls.ts"

export const deployment = (changes: Partial<Deployment> = {}): Deployment => {
  const made = { ...plain, ...changes }
  const facts = factsOf(made.vendor, made.baseModel ?? made.model)
  const quirks = registryOf().vendors.get(made.vendor)?.quirks?.(made.model, undefined, facts)
  return { facts, quirks, ...made }
}

const plain: Deployment = {
  ...plainDeployment,
  id: "provider/model",
  provider: "provider",
  vendor: "openai",
  protocol: "openai-chat",
  model: "gpt-4o-mini",
  baseUrl: "https://api.openai.com/v1"
}

export const requestOf = (body: JsonObject): CallRequest => ({
  body,
  model: String(body["model"] ?? ""),
  stream: body["stream"] === true,
  contents: "messages",
  includeUsage: (body["stream_options"] as JsonObject | undefined)?.["include_usage"] === true,
  prompt: "",
  hasUnread: false,
  history: [],
  needs: ["chat"],
  media: [],
  mediaEstimate: 0,
  textBound: 1000,
  inputEstimate: 1000,
  maxOutput: undefined,
  choices: 1
})

export const callOf = (
  body: JsonObject,
  changes: Partial<Deployment> = {},
  maxOutput: number | undefined = undefined
): UpstreamCall => ({
  operation: "chat",
  request: requestOf(body),
  deployment: deployment(changes),
  maxOutput,
  strict: false,
  now: NOW
})

/** Every event of a stream that arrives as `chunks` and then closes. */
export const replay = (chunks: Iterable<Uint8Array>, call: UpstreamCall): ReadonlyArray<StreamEvent> =>
  replayed(OpenAiChat, chunks, call)

export const replayText = (
  text: string,
  changes: Partial<Deployment> = {},
  includeUsage = false
): ReadonlyArray<StreamEvent> =>
  replay([Buffer.from(text)], callOf({ stream: true, stream_options: { include_usage: includeUsage } }, changes))

/** `data:` frames of these values. */
export const frames = (...values: ReadonlyArray<unknown>): string =>
  values.map((value) => `data: ${typeof value === "string" ? value : JSON.stringify(value)}\n\n`).join("")

/** A chunk with one choice. */
export const chunk = (delta: JsonObject, finish: string | null = null, more: JsonObject = {}): JsonObject => ({
  id: "chatcmpl-1",
  object: "chat.completion.chunk",
  created: 1,
  model: "gpt-4o-mini",
  choices: [{ index: 0, delta, finish_reason: finish }],
  ...more
})

/** Numbers in [0, 1) that are the same in every run (mulberry32). */
export const seeded = (seed: number): (() => number) => {
  let state = seed
  return () => {
    state = (state + 0x6d2b79f5) | 0
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296
  }
}
