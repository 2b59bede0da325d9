/** Calls for the tests of Gemini's protocol, and what becomes of them. */
import { assert } from "@effect/vitest"
import { Result } from "effect"
import { withFacts } from "../../../support/CatalogueFacts.ts"
import type { JsonObject } from "../../../../src/core/domain/Json.ts"
import { capabilities, type Deployment } from "../../../../src/core/domain/Deployment.ts"
import type { Unsupported } from "../../../../src/core/domain/Failures.ts"
import type { LiftedAnswer, StreamEvent } from "../../../../src/core/operations/LiftedAnswer.ts"
import type { UpstreamCall } from "../../../../src/core/pool/Protocol.ts"
import { SseDecoder } from "../../../../src/providers/framing/Sse.ts"
import { GeminiChat } from "../../../../src/providers/protocols/gemini/GeminiProtocol.ts"

/** 2026-01-01T00:00:00Z. */
export const NOW = 1_767_225_600_000

const deployment: Deployment = {
  id: "gemini/flash",
  provider: "gemini",
  vendor: "google-ai-studio",
  protocol: "gemini",
  model: "gemini-3-flash-preview",
  baseUrl: "https://generativelanguage.googleapis.com/v1beta",
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
      model: String(body["model"] ?? "gemini"),
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
): { readonly path: string; readonly sent: Sent; readonly dropped: ReadonlyArray<string> } => {
  const wire = Result.getOrThrow(GeminiChat.lower(callOf(body, aim)))
  return { path: wire.path, sent: JSON.parse(wire.body) as Sent, dropped: wire.dropped }
}

export const sent = (body: JsonObject, aim?: Aim): Sent => lowered(body, aim).sent

/** Why a request is impossible. */
export const refused = (body: JsonObject, aim?: Aim): Unsupported => {
  const result = GeminiChat.lower(callOf(body, aim))
  assert.isTrue(Result.isFailure(result), "the request was accepted")
  return Result.getOrThrow(Result.flip(result))
}

/** The parameter is reported and, where nothing may be left out, refused. */
export const assertDropped = (body: JsonObject, param: string, aim?: Aim): void => {
  assert.deepStrictEqual(lowered(body, aim).dropped, [param])
  assert.strictEqual(refused(body, { ...aim, strict: true }).param, param)
}

export const lifted = (response: unknown, call: UpstreamCall = callOf(asking())): LiftedAnswer =>
  Result.getOrThrow(GeminiChat.lift(JSON.stringify(response), call))

/** Every event of a stream that arrives as `chunks` and then closes. */
export const replay = (chunks: Iterable<Uint8Array>, call: UpstreamCall): ReadonlyArray<StreamEvent> => {
  const decoder = new SseDecoder()
  const lifter = GeminiChat.stream(call)
  const out: Array<StreamEvent> = []
  for (const chunk of chunks) for (const event of decoder.push(chunk)) out.push(...lifter.push(event))
  for (const event of decoder.end()) out.push(...lifter.push(event))
  out.push(...lifter.end())
  return out
}

/** The events as Google frames them. */
export const frames = (...events: ReadonlyArray<unknown>): Uint8Array =>
  Buffer.from(events.map((event) => `data: ${JSON.stringify(event)}\r\n\r\n`).join(""))

/** What a stream of these responses becomes. */
export const streamed = (
  responses: ReadonlyArray<unknown>,
  fields: JsonObject = {},
  aim?: Aim
): ReadonlyArray<StreamEvent> =>
  replay(
    [frames(...responses)],
    callOf(asking({ stream: true, stream_options: { include_usage: true }, ...fields }), aim)
  )

/** A response with one candidate. */
export const response = (parts: ReadonlyArray<unknown>, finishReason?: string, more: JsonObject = {}): JsonObject => ({
  candidates: [
    {
      content: { role: "model", parts },
      ...(finishReason === undefined ? {} : { finishReason }),
      index: 0
    }
  ],
  usageMetadata: { promptTokenCount: 10, candidatesTokenCount: 5, totalTokenCount: 15 },
  modelVersion: "gemini-3-flash-preview",
  responseId: "resp-1",
  ...more
})

export const kinds = (events: ReadonlyArray<StreamEvent>): ReadonlyArray<string> => events.map(({ kind }) => kind)

/** The chunks among the events. */
export const chunksOf = (events: ReadonlyArray<StreamEvent>): ReadonlyArray<Sent> =>
  events.flatMap((event) => ("data" in event ? [JSON.parse(event.data) as Sent] : []))

export const choicesOf = (events: ReadonlyArray<StreamEvent>): ReadonlyArray<Sent> =>
  chunksOf(events).flatMap((chunk) => chunk["choices"] as ReadonlyArray<Sent>)

export const deltasOf = (events: ReadonlyArray<StreamEvent>): ReadonlyArray<Sent> =>
  choicesOf(events).map((choice) => choice["delta"] as Sent)

export const toolDeltas = (events: ReadonlyArray<StreamEvent>): ReadonlyArray<Sent> =>
  deltasOf(events).flatMap((delta) => (delta["tool_calls"] ?? []) as ReadonlyArray<Sent>)
