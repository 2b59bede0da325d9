/** What Anthropic really sent, and an independent reading of it by `@ai-sdk/anthropic`. */
import { createAnthropic } from "@ai-sdk/anthropic"
import { type AiSdkPart, endOf, partsOf, recordedFetch, saidIn } from "../shared/AiSdk.ts"
import { callOf } from "./Support.ts"
import type { UpstreamCall } from "../../../../src/core/pool/Protocol.ts"
import { families, loadFamily, sayWhenMissing, type Exchange } from "../../../support/Transcripts.ts"

sayWhenMissing("Anthropic's recorded answers")

export const exchanges = families("anthropic.messages").flatMap(loadFamily)

export const textOf = (exchange: Exchange): string => Buffer.from(exchange.response.bytes).toString("utf8")

/** A chat call to the model of the exchange. */
export const callFor = (exchange: Exchange): UpstreamCall =>
  callOf(
    { messages: [{ role: "user", content: "Hi" }], stream: exchange.streamed, stream_options: { include_usage: true } },
    { model: String(exchange.request.body?.["model"]) }
  )

/** What an answer says, whoever read it. */
export interface Reading {
  readonly text: string
  readonly reasoning: string
  readonly calls: ReadonlyArray<{ readonly id: string; readonly name: string; readonly input: unknown }>
  readonly finish: string
  readonly input: number
  readonly cached: number
  readonly written: number
  readonly output: number
  readonly thought: number
}

/** The exchange as `@ai-sdk/anthropic` understands it. */
export const theirReading = async (exchange: Exchange): Promise<Reading> => {
  const anthropic = createAnthropic({ apiKey: "none", fetch: recordedFetch(exchange) })
  const { end, parts } = await partsOf(anthropic(String(exchange.request.body?.["model"])), exchange.streamed)
  const isSummary = (part: AiSdkPart) => part.providerMetadata?.["anthropic"]?.type === "compaction"
  const summaries = new Set(parts.filter((part) => part.type === "text-start" && isSummary(part)).map(({ id }) => id))
  const said = parts.filter((part) => !isSummary(part) && !(part.type.endsWith("-delta") && summaries.has(part.id)))
  return {
    text: saidIn(said, "text"),
    reasoning: saidIn(said, "reasoning"),
    calls: parts
      .filter((part) => part.type === "tool-call" && part.providerExecuted !== true)
      .map((part) => ({ id: part.toolCallId!, name: part.toolName!, input: JSON.parse(part.input!) as unknown })),
    written: end.usage.inputTokens.cacheWrite ?? 0,
    ...endOf(end)
  }
}

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

/** The other reader fails on the result of a provider's tool that was called in an earlier answer. */
export const isReadable = (exchange: Exchange): boolean => {
  const text = textOf(exchange)
  return !text.includes('"mcp_tool_result"') || text.includes('"mcp_tool_use"')
}
