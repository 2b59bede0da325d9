/** Chat calls for the tests of a protocol, and what becomes of them. */
import { assert } from "@effect/vitest"
import { Result } from "effect"
import { capabilities, type Deployment } from "../../../../src/core/domain/Deployment.ts"
import type { Unsupported } from "../../../../src/core/domain/Failures.ts"
import type { JsonObject } from "../../../../src/core/domain/Json.ts"
import type { StreamEvent } from "../../../../src/core/operations/LiftedAnswer.ts"
import type { Dialect, UpstreamCall } from "../../../../src/core/pool/Protocol.ts"
import { SseDecoder } from "../../../../src/providers/framing/Sse.ts"
import { withFacts } from "../../../support/CatalogueFacts.ts"

/** 2026-01-01T00:00:00Z. */
export const NOW = 1_767_225_600_000

export const plainDeployment: Omit<Deployment, "id" | "provider" | "vendor" | "protocol" | "model" | "baseUrl"> = {
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

export interface CallChanges extends Partial<Deployment> {
  readonly strict?: boolean
  readonly maxOutput?: number
}

/** One user message and the fields under test. */
export const asking = (fields: JsonObject = {}): JsonObject => ({
  messages: [{ role: "user", content: "Hi" }],
  ...fields
})

// oxlint-disable-next-line typescript/no-explicit-any -- what was sent is looked into at every depth
export type Sent = Record<string, any>

/** Calls of `protocol` at `deployment`; a test changes what it is about. */
export const chatCalls = (protocol: Dialect, deployment: Deployment) => {
  const callOf = (body: JsonObject, { maxOutput, strict = false, ...changes }: CallChanges = {}): UpstreamCall => {
    const options = body["stream_options"] as JsonObject | undefined
    return {
      operation: "chat",
      request: {
        body,
        model: String(body["model"] ?? "model"),
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

  /** The request that goes out, and what was left out of it. */
  const lowered = (
    body: JsonObject,
    changes?: CallChanges
  ): { readonly path: string; readonly sent: Sent; readonly dropped: ReadonlyArray<string> } => {
    const wire = Result.getOrThrow(protocol.lower(callOf(body, changes)))
    return { path: wire.path, sent: JSON.parse(wire.body) as Sent, dropped: wire.dropped }
  }

  const sent = (body: JsonObject, changes?: CallChanges): Sent => lowered(body, changes).sent

  /** Why a request is impossible. */
  const refused = (body: JsonObject, changes?: CallChanges): Unsupported => {
    const result = protocol.lower(callOf(body, changes))
    assert.isTrue(Result.isFailure(result), "the request was accepted")
    return Result.getOrThrow(Result.flip(result))
  }

  /** The parameter is reported and, where nothing may be left out, refused. */
  const assertDropped = (body: JsonObject, param: string, changes?: CallChanges): void => {
    assert.deepStrictEqual(lowered(body, changes).dropped, [param])
    assert.strictEqual(refused(body, { ...changes, strict: true }).param, param)
  }

  /** Every event of a stream that arrives as `chunks` and then closes. */
  const replay = (chunks: Iterable<Uint8Array>, call: UpstreamCall): ReadonlyArray<StreamEvent> =>
    replayed(protocol, chunks, call)

  return { callOf, lowered, sent, refused, assertDropped, replay }
}

/** Every event of a stream of server-sent events that arrives as `chunks` and then closes. */
export const replayed = (
  protocol: Dialect,
  chunks: Iterable<Uint8Array>,
  call: UpstreamCall
): ReadonlyArray<StreamEvent> => {
  const decoder = new SseDecoder()
  const lifter = protocol.stream(call)
  const out: Array<StreamEvent> = []
  for (const chunk of chunks) for (const event of decoder.push(chunk)) out.push(...lifter.push(event))
  for (const event of decoder.end()) out.push(...lifter.push(event))
  out.push(...lifter.end())
  return out
}

export const kinds = (events: ReadonlyArray<StreamEvent>): ReadonlyArray<string> => events.map(({ kind }) => kind)

/** The chunks among the events. */
export const chunksOf = (events: ReadonlyArray<StreamEvent>): ReadonlyArray<Sent> =>
  events.flatMap((event) => ("data" in event ? [JSON.parse(event.data) as Sent] : []))

export const deltasOf = (events: ReadonlyArray<StreamEvent>): ReadonlyArray<Sent> =>
  chunksOf(events).flatMap((chunk) =>
    (chunk["choices"] as ReadonlyArray<Sent>).map((choice) => choice["delta"] as Sent)
  )
