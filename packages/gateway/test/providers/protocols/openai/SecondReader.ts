/** Recorded answers of servers that speak like OpenAI, as the readers made for them by others understand them. */
import { createAzure } from "@ai-sdk/azure"
import { createGroq } from "@ai-sdk/groq"
import { createOpenAICompatible } from "@ai-sdk/openai-compatible"
import type { Exchange } from "../../../support/Transcripts.ts"

/** What an answer says, whoever read it. */
export interface Reading {
  readonly text: string
  readonly reasoning: string
  readonly calls: ReadonlyArray<{ readonly name: string; readonly input: unknown }>
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
  readonly error?: unknown
}

interface TheirUsage {
  readonly inputTokens: { readonly total?: number; readonly cacheRead?: number }
  readonly outputTokens: { readonly total?: number; readonly reasoning?: number }
}

interface Finish {
  readonly finishReason: { readonly unified: string }
  readonly usage: TheirUsage
}

const finishes: { readonly [unified: string]: string } = {
  "tool-calls": "tool_calls",
  "content-filter": "content_filter"
}

export const parsed = (text: string): unknown => {
  try {
    return JSON.parse(text === "" ? "{}" : text) as unknown
  } catch {
    return text
  }
}

const reading = (parts: ReadonlyArray<Part>, { finishReason, usage }: Finish): Reading => {
  const said = (type: string) =>
    parts
      .filter((part) => part.type === type || part.type === `${type}-delta`)
      .map((part) => part.text ?? part.delta ?? "")
      .join("")
  return {
    text: said("text"),
    reasoning: said("reasoning"),
    calls: parts
      .filter((part) => part.type === "tool-call")
      .map((part) => ({ name: part.toolName!, input: parsed(part.input!) })),
    finish: finishes[finishReason.unified] ?? finishReason.unified,
    input: usage.inputTokens.total ?? 0,
    cached: usage.inputTokens.cacheRead ?? 0,
    output: usage.outputTokens.total ?? 0,
    thought: usage.outputTokens.reasoning ?? 0
  }
}

const readerOf = (vendor: string, name: string, fetch: () => Promise<Response>) => {
  if (vendor === "azure") return createAzure({ apiKey: "none", baseURL: "https://azure.test/openai", fetch }).chat(name)
  if (vendor === "groq") return createGroq({ apiKey: "none", fetch })(name)
  return createOpenAICompatible({ name: vendor, baseURL: "https://vendor.test/v1", includeUsage: true, fetch })(name)
}

export const theirReading = async (vendor: string, exchange: Exchange): Promise<Reading> => {
  const { bytes, headers, status } = exchange.response
  const answer = () =>
    new Response(bytes.slice(), { status, headers: { "content-type": headers["content-type"] ?? "" } })
  const model = readerOf(vendor, String(exchange.request.body?.["model"] ?? "model"), () => Promise.resolve(answer()))
  const prompt = [{ role: "user" as const, content: [{ type: "text" as const, text: "Hi" }] }]
  if (!exchange.streamed) {
    const whole = await model.doGenerate({ prompt })
    return reading(whole.content as ReadonlyArray<Part>, whole as unknown as Finish)
  }
  const parts: Array<Part> = []
  const { stream } = await model.doStream({ prompt })
  for await (const part of stream as unknown as AsyncIterable<Part>) parts.push(part)
  const failed = parts.find(({ type }) => type === "error")
  if (failed !== undefined) throw failed.error
  return reading(parts, parts.find(({ type }) => type === "finish") as unknown as Finish)
}
