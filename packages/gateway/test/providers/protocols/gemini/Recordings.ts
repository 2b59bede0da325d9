/** What Google really sent, and an independent reading of it by `@ai-sdk/google` and `@ai-sdk/google-vertex`. */
import { createGoogle } from "@ai-sdk/google"
import { createGoogleVertex } from "@ai-sdk/google-vertex"
import type { UpstreamCall } from "../../../../src/core/pool/Protocol.ts"
import { families, loadFamily, sayWhenMissing, type Exchange } from "../../../support/Transcripts.ts"
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

interface Part {
  readonly type: string
  readonly text?: string
  readonly delta?: string
  readonly toolName?: string
  readonly input?: string
  readonly providerExecuted?: boolean
  readonly providerMetadata?: { readonly [name: string]: { readonly thoughtSignature?: unknown } | undefined }
}

interface TheirUsage {
  readonly inputTokens: { readonly total?: number; readonly cacheRead?: number }
  readonly outputTokens: { readonly total?: number; readonly reasoning?: number }
}

const finishes: { readonly [unified: string]: string } = {
  "tool-calls": "tool_calls",
  "content-filter": "content_filter"
}

const reading = (parts: ReadonlyArray<Part>, finish: string, usage: TheirUsage): Reading => {
  const said = (type: string) =>
    parts
      .filter((part) => part.type === type || part.type === `${type}-delta`)
      .map((part) => part.text ?? part.delta ?? "")
      .join("")
  return {
    text: said("text"),
    reasoning: said("reasoning"),
    calls: parts
      .filter((part) => part.type === "tool-call" && part.providerExecuted !== true)
      .map((part) => ({
        name: part.toolName!,
        input: JSON.parse(part.input!) as unknown,
        signature: Object.values(part.providerMetadata ?? {}).find((one) => one !== undefined)?.thoughtSignature
      })),
    finish: finishes[finish] ?? finish,
    input: usage.inputTokens.total ?? 0,
    cached: usage.inputTokens.cacheRead ?? 0,
    output: usage.outputTokens.total ?? 0,
    thought: usage.outputTokens.reasoning ?? 0
  }
}

/** The exchange as the vendor's adapters of the AI SDK understand it. */
export const theirReading = async (exchange: Exchange): Promise<Reading> => {
  const { bytes, headers, status } = exchange.response
  const answer = () =>
    new Response(bytes.slice(), { status, headers: { "content-type": headers["content-type"] ?? "" } })
  const fetch = () => Promise.resolve(answer())
  const model = isVertex(exchange)
    ? createGoogleVertex({ apiKey: "none", fetch })(modelOf(exchange))
    : createGoogle({ apiKey: "none", fetch })(modelOf(exchange))
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
