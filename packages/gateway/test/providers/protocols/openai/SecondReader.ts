/** Recorded answers of servers that speak like OpenAI, as the readers made for them by others understand them. */
import { createAzure } from "@ai-sdk/azure"
import { createGroq } from "@ai-sdk/groq"
import { createOpenAICompatible } from "@ai-sdk/openai-compatible"
import type { Exchange } from "../../../support/Transcripts.ts"
import { endOf, partsOf, recordedFetch, saidIn } from "../shared/AiSdk.ts"

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

export const parsed = (text: string): unknown => {
  try {
    return JSON.parse(text === "" ? "{}" : text) as unknown
  } catch {
    return text
  }
}

const readerOf = (vendor: string, name: string, fetch: () => Promise<Response>) => {
  if (vendor === "azure") return createAzure({ apiKey: "none", baseURL: "https://azure.test/openai", fetch }).chat(name)
  if (vendor === "groq") return createGroq({ apiKey: "none", fetch })(name)
  return createOpenAICompatible({ name: vendor, baseURL: "https://vendor.test/v1", includeUsage: true, fetch })(name)
}

export const theirReading = async (vendor: string, exchange: Exchange): Promise<Reading> => {
  const model = readerOf(vendor, String(exchange.request.body?.["model"] ?? "model"), recordedFetch(exchange))
  const { end, parts } = await partsOf(model, exchange.streamed)
  return {
    text: saidIn(parts, "text"),
    reasoning: saidIn(parts, "reasoning"),
    calls: parts
      .filter((part) => part.type === "tool-call")
      .map((part) => ({ name: part.toolName!, input: parsed(part.input!) })),
    ...endOf(end)
  }
}
