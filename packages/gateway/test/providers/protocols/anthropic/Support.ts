/** Calls for the tests of the Messages protocol, and what becomes of them. */
import { assert } from "@effect/vitest"
import { Result } from "effect"
import { withFacts } from "../../../support/CatalogueFacts.ts"
import type { JsonObject } from "../../../../src/core/domain/Json.ts"
import { capabilities, type Deployment } from "../../../../src/core/domain/Deployment.ts"
import type { StreamEvent } from "../../../../src/core/operations/LiftedAnswer.ts"
import type { UpstreamCall } from "../../../../src/core/pool/Protocol.ts"
import type { Unsupported } from "../../../../src/core/domain/Failures.ts"
import { AnthropicChat } from "../../../../src/providers/protocols/anthropic/AnthropicProtocol.ts"
import { SseDecoder } from "../../../../src/providers/framing/Sse.ts"

/** 2026-01-01T00:00:00Z. */
export const NOW = 1_767_225_600_000

const deployment: Deployment = {
  id: "anthropic/claude",
  provider: "anthropic",
  vendor: "anthropic",
  protocol: "anthropic-messages",
  model: "claude-sonnet-4-5",
  baseUrl: "https://api.anthropic.com/v1",
  apiKeys: [],
  price: undefined,
  contextWindow: undefined,
  maxOutputTokens: undefined,
  supports: new Set(capabilities),
  weight: 1,
  priority: 0,
  maxInFlight: undefined,
  timeouts: { connect: 5_000, firstToken: 60_000, response: 120_000, idle: 60_000, total: 900_000 }
}

export interface Aim extends Partial<Deployment> {
  readonly strict?: boolean
  readonly maxOutput?: number
}

export const callOf = (body: JsonObject, { maxOutput, strict = false, ...changes }: Aim = {}): UpstreamCall => {
  const options = body["stream_options"] as JsonObject | undefined
  return {
    operation: "chat",
    request: {
      body,
      model: String(body["model"] ?? "claude"),
      stream: body["stream"] === true,
      contents: "messages",
      includeUsage: options?.["include_usage"] === true,
      prompt: "",
      hasUnread: false,
      history: [],
      needs: ["chat"],
      media: [],
      mediaEstimate: 0,
      textBound: 1_000,
      inputEstimate: 1_000,
      maxOutput,
      choices: typeof body["n"] === "number" ? body["n"] : 1
    },
    deployment: withFacts({ ...deployment, ...changes }),
    maxOutput,
    strict,
    now: NOW
  }
}

/** One user message and the fields under test. */
export const asking = (fields: JsonObject = {}): JsonObject => ({
  messages: [{ role: "user", content: "Hi" }],
  ...fields
})

// oxlint-disable-next-line typescript/no-explicit-any -- what was sent is looked into at every depth
export type Sent = Record<string, any>

/** The request that goes out, and what was left out of it. */
export const lowered = (
  body: JsonObject,
  aim?: Aim
): { readonly sent: Sent; readonly dropped: ReadonlyArray<string> } => {
  const wire = Result.getOrThrow(AnthropicChat.lower(callOf(body, aim)))
  assert.strictEqual(wire.path, "/messages")
  return { sent: JSON.parse(wire.body) as Sent, dropped: wire.dropped }
}

export const sent = (body: JsonObject, aim?: Aim): Sent => lowered(body, aim).sent

/** Why a request is impossible. */
export const refused = (body: JsonObject, aim?: Aim): Unsupported => {
  const result = AnthropicChat.lower(callOf(body, aim))
  assert.isTrue(Result.isFailure(result), "the request was accepted")
  return Result.getOrThrow(Result.flip(result))
}

/** The parameter is reported and, where nothing may be left out, refused. */
export const assertDropped = (body: JsonObject, param: string, aim?: Aim): void => {
  assert.deepStrictEqual(lowered(body, aim).dropped, [param])
  assert.strictEqual(refused(body, { ...aim, strict: true }).param, param)
}

/** Every event of a stream that arrives as `chunks` and then closes. */
export const replay = (chunks: Iterable<Uint8Array>, call: UpstreamCall): ReadonlyArray<StreamEvent> => {
  const decoder = new SseDecoder()
  const lifter = AnthropicChat.stream(call)
  const out: Array<StreamEvent> = []
  for (const chunk of chunks) for (const event of decoder.push(chunk)) out.push(...lifter.push(event))
  for (const event of decoder.end()) out.push(...lifter.push(event))
  out.push(...lifter.end())
  return out
}

/** The events as Anthropic frames them. */
export const frames = (...events: ReadonlyArray<JsonObject>): Uint8Array =>
  Buffer.from(events.map((event) => `event: ${String(event["type"])}\ndata: ${JSON.stringify(event)}\n\n`).join(""))

export const kinds = (events: ReadonlyArray<StreamEvent>): ReadonlyArray<string> => events.map(({ kind }) => kind)

/** The chunks among the events. */
export const chunksOf = (events: ReadonlyArray<StreamEvent>): ReadonlyArray<Sent> =>
  events.flatMap((event) => ("data" in event ? [JSON.parse(event.data) as Sent] : []))

export const deltasOf = (events: ReadonlyArray<StreamEvent>): ReadonlyArray<Sent> =>
  chunksOf(events).flatMap((chunk) =>
    (chunk["choices"] as ReadonlyArray<Sent>).map((choice) => choice["delta"] as Sent)
  )
