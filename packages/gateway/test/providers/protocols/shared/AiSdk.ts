/** What adapters of the AI SDK read from recorded responses: an independent reading beside the gateway's own. */
import type { Exchange } from "../../../support/Transcripts.ts"

/** A piece of a complete response, or an event of a stream. */
export interface AiSdkPart {
  readonly type: string
  readonly text?: string
  readonly id?: string
  readonly delta?: string
  readonly toolCallId?: string
  readonly toolName?: string
  readonly input?: string
  readonly providerExecuted?: boolean
  readonly providerMetadata?: {
    readonly [name: string]: { readonly type?: unknown; readonly thoughtSignature?: unknown } | undefined
  }
  readonly error?: unknown
}

interface AiSdkEnd {
  readonly finishReason: { readonly unified: string }
  readonly usage: {
    readonly inputTokens: { readonly total?: number; readonly cacheRead?: number; readonly cacheWrite?: number }
    readonly outputTokens: { readonly total?: number; readonly reasoning?: number }
  }
}

const prompt = [{ role: "user" as const, content: [{ type: "text" as const, text: "Hi" }] }]

interface AiSdkModel {
  doGenerate(options: { prompt: typeof prompt }): PromiseLike<unknown>
  doStream(options: { prompt: typeof prompt }): PromiseLike<{ readonly stream: unknown }>
}

/** A `fetch` that returns the recorded response. */
export const recordedFetch =
  ({ response: { bytes, headers, status } }: Exchange) =>
  (): Promise<Response> =>
    Promise.resolve(new Response(bytes.slice(), { status, headers: { "content-type": headers["content-type"] ?? "" } }))

/** Fails as the adapter fails. */
export const partsOf = async (
  model: AiSdkModel,
  streamed: boolean
): Promise<{ readonly parts: ReadonlyArray<AiSdkPart>; readonly end: AiSdkEnd }> => {
  if (!streamed) {
    const complete = (await model.doGenerate({ prompt })) as AiSdkEnd & { readonly content: ReadonlyArray<AiSdkPart> }
    return { parts: complete.content, end: complete }
  }
  const parts: Array<AiSdkPart> = []
  const { stream } = await model.doStream({ prompt })
  for await (const part of stream as AsyncIterable<AiSdkPart>) parts.push(part)
  const failed = parts.find(({ type }) => type === "error")
  if (failed !== undefined) throw failed.error
  return { parts, end: parts.find(({ type }) => type === "finish") as unknown as AiSdkEnd }
}

/** The text or the reasoning in these parts. */
export const saidIn = (parts: ReadonlyArray<AiSdkPart>, type: "text" | "reasoning"): string =>
  parts
    .filter((part) => part.type === type || part.type === `${type}-delta`)
    .map((part) => part.text ?? part.delta ?? "")
    .join("")

const finishes: { readonly [unified: string]: string } = {
  "tool-calls": "tool_calls",
  "content-filter": "content_filter"
}

/** How it ended and what it used, in the gateway's words. */
export const endOf = ({ finishReason: { unified }, usage: { inputTokens, outputTokens } }: AiSdkEnd) => ({
  finish: finishes[unified] ?? unified,
  input: inputTokens.total ?? 0,
  cached: inputTokens.cacheRead ?? 0,
  output: outputTokens.total ?? 0,
  thought: outputTokens.reasoning ?? 0
})
