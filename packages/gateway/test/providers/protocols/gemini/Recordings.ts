/** What Google really sent, and an independent reading of it by `@ai-sdk/google` and `@ai-sdk/google-vertex`. */
import { createGoogle } from "@ai-sdk/google"
import { createGoogleVertex } from "@ai-sdk/google-vertex"
import type { UpstreamCall } from "../../../../src/core/pool/Protocol.ts"
import { families, loadFamily, sayWhenMissing, type Exchange } from "../../../support/Transcripts.ts"
import { endOf, partsOf, recordedFetch, saidIn } from "../shared/AiSdk.ts"
import { callOf } from "./Support.ts"

sayWhenMissing("Google's recorded answers")

export const exchanges = families(
  "gemini.generateContent",
  "gemini.streamGenerateContent",
  "vertex.generateContent"
).flatMap(loadFamily)

export const textOf = (exchange: Exchange): string => Buffer.from(exchange.response.bytes).toString("utf8")

export const isVertex = (exchange: Exchange): boolean => exchange.request.url.includes("aiplatform")

export const modelOf = (exchange: Exchange): string =>
  /models\/([^:/]+):/.exec(exchange.request.url)?.[1] ?? "gemini-2.5-flash"

/** A chat call to the model of the exchange. */
export const callFor = (exchange: Exchange): UpstreamCall =>
  callOf(
    { messages: [{ role: "user", content: "Hi" }], stream: exchange.streamed, stream_options: { include_usage: true } },
    { model: modelOf(exchange) }
  )

/** What an answer says, whoever read it. */
export interface Reading {
  readonly text: string
  readonly reasoning: string
  /** Most calls come without an id, and each reader makes its own. */
  readonly calls: ReadonlyArray<{ readonly name: string; readonly input: unknown; readonly signature: unknown }>
  readonly finish: string
  readonly input: number
  readonly cached: number
  readonly output: number
  readonly thought: number
}

/** The exchange as the vendor's adapters of the AI SDK understand it. */
export const theirReading = async (exchange: Exchange): Promise<Reading> => {
  const fetch = recordedFetch(exchange)
  const model = isVertex(exchange)
    ? createGoogleVertex({ apiKey: "none", fetch })(modelOf(exchange))
    : createGoogle({ apiKey: "none", fetch })(modelOf(exchange))
  const { end, parts } = await partsOf(model, exchange.streamed)
  return {
    text: saidIn(parts, "text"),
    reasoning: saidIn(parts, "reasoning"),
    calls: parts
      .filter((part) => part.type === "tool-call" && part.providerExecuted !== true)
      .map((part) => ({
        name: part.toolName!,
        input: JSON.parse(part.input!) as unknown,
        signature: Object.values(part.providerMetadata ?? {}).find((one) => one !== undefined)?.thoughtSignature
      })),
    ...endOf(end)
  }
}
