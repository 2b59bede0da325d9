/** What Anthropic really sent, and an independent reading of it by `@ai-sdk/anthropic`. */
import { createAnthropic } from "@ai-sdk/anthropic"
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

interface Part {
  readonly type: string
  readonly text?: string
  readonly id?: string
  readonly delta?: string
  readonly toolCallId?: string
  readonly toolName?: string
  readonly input?: string
  readonly providerExecuted?: boolean
  readonly providerMetadata?: { readonly anthropic?: { readonly type?: unknown } }
}

interface TheirUsage {
  readonly inputTokens: { readonly total?: number; readonly cacheRead?: number; readonly cacheWrite?: number }
  readonly outputTokens: { readonly total?: number; readonly reasoning?: number }
}

const finishes: { readonly [unified: string]: string } = {
  "tool-calls": "tool_calls",
  "content-filter": "content_filter"
}

const reading = (parts: ReadonlyArray<Part>, finish: string, usage: TheirUsage): Reading => {
  const isSummary = (part: Part) => part.providerMetadata?.anthropic?.type === "compaction"
  const summaries = new Set(parts.filter((part) => part.type === "text-start" && isSummary(part)).map(({ id }) => id))
  const said = (type: string) =>
    parts
      .filter((part) => part.type === type || (part.type === `${type}-delta` && !summaries.has(part.id)))
      .filter((part) => !isSummary(part))
      .map((part) => part.text ?? part.delta ?? "")
      .join("")
  return {
    text: said("text"),
    reasoning: said("reasoning"),
    calls: parts
      .filter((part) => part.type === "tool-call" && part.providerExecuted !== true)
      .map((part) => ({ id: part.toolCallId!, name: part.toolName!, input: JSON.parse(part.input!) as unknown })),
    finish: finishes[finish] ?? finish,
    input: usage.inputTokens.total ?? 0,
    cached: usage.inputTokens.cacheRead ?? 0,
    written: usage.inputTokens.cacheWrite ?? 0,
    output: usage.outputTokens.total ?? 0,
    thought: usage.outputTokens.reasoning ?? 0
  }
}

/** The exchange as `@ai-sdk/anthropic` understands it. */
export const theirReading = async (exchange: Exchange): Promise<Reading> => {
  const { bytes, headers, status } = exchange.response
  const answer = () =>
    new Response(bytes.slice(), { status, headers: { "content-type": headers["content-type"] ?? "" } })
  const anthropic = createAnthropic({ apiKey: "none", fetch: () => Promise.resolve(answer()) })
  const model = anthropic(String(exchange.request.body?.["model"]))
  const prompt = [{ role: "user" as const, content: [{ type: "text" as const, text: "Hi" }] }]
  if (!exchange.streamed) {
    const { content, finishReason, usage } = await model.doGenerate({ prompt })
    return reading(content as ReadonlyArray<Part>, finishReason.unified, usage as TheirUsage)
  }
  const parts: Array<Part> = []
  const { stream } = await model.doStream({ prompt })
  for await (const part of stream as unknown as AsyncIterable<Part>) parts.push(part)
  const finish = parts.find((part) => part.type === "finish") as unknown as {
    readonly finishReason: { readonly unified: string }
    readonly usage: TheirUsage
  }
  return reading(parts, finish.finishReason.unified, finish.usage)
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
