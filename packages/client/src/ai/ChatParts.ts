/** The chunks of a chat stream as parts of the AI SDK: each text, thought and call of a tool begins and ends. */
import type {
  LanguageModelV4FinishReason,
  LanguageModelV4StreamPart,
  LanguageModelV4Usage,
  SharedV4Warning
} from "@ai-sdk/provider"
import type { ChatStream } from "../api/Chat.ts"
import { placeOf } from "../stream/Collector.ts"
import type { ChatCompletionChunk } from "../wire/Inference.ts"
import { finishOf, metadataOf, usageOf } from "./Answer.ts"

type Part = LanguageModelV4StreamPart
type Delta = ChatCompletionChunk["choices"][number]["delta"]

interface ToolCall {
  id: string
  name: string
  input: string
}

export class ChatParts {
  private readonly chunks: ChatStream
  private readonly warnings: Array<SharedV4Warning>
  private readonly raw: boolean
  private readonly calls: Array<ToolCall | undefined> = []
  /** What is being said: it ends when something else begins. */
  private open: "text" | "reasoning" | undefined
  private parts = 0
  private isFirst = true
  private finish: LanguageModelV4FinishReason = finishOf(undefined)
  private usage: LanguageModelV4Usage = usageOf(undefined)

  constructor(chunks: ChatStream, warnings: Array<SharedV4Warning>, raw: boolean) {
    this.chunks = chunks
    this.warnings = warnings
    this.raw = raw
  }

  stream(): ReadableStream<Part> {
    const parts = this.all()
    return new ReadableStream<Part>(
      {
        pull: async (controller) => {
          const { done, value } = await parts.next()
          if (done === true) controller.close()
          else controller.enqueue(value)
        },
        // Closes the connection: nobody goes on generating for nobody.
        cancel: () => this.chunks.close()
      },
      { highWaterMark: 0 }
    )
  }

  private async *all(): AsyncGenerator<Part, undefined> {
    yield { type: "stream-start", warnings: this.warnings }
    try {
      for await (const chunk of this.chunks) yield* this.partsOf(chunk)
    } catch (error) {
      yield { type: "error", error }
      this.finish = { unified: "error", raw: undefined }
    }
    yield* this.end()
    for (const call of this.calls) if (call !== undefined) yield* endOfCall(call)
    yield {
      type: "finish",
      finishReason: this.finish,
      usage: this.usage,
      providerMetadata: metadataOf(this.chunks.gateway)
    }
  }

  private *partsOf(chunk: ChatCompletionChunk): Generator<Part> {
    if (this.raw) yield { type: "raw", rawValue: chunk }
    if (this.isFirst) {
      this.isFirst = false
      yield { type: "response-metadata", id: chunk.id, modelId: chunk.model, timestamp: new Date(1000 * chunk.created) }
    }
    if (chunk.usage) this.usage = usageOf(chunk.usage)
    const choice = chunk.choices.find(({ index }) => index === 0)
    if (choice === undefined) return
    if (choice.finish_reason) this.finish = finishOf(choice.finish_reason)
    yield* this.partsOfDelta(choice.delta)
  }

  private *partsOfDelta({ content, reasoning_content: thought, tool_calls: calls }: Delta): Generator<Part> {
    if (thought) yield* this.say("reasoning", thought)
    if (content) yield* this.say("text", content)
    for (const piece of calls ?? []) {
      if (placeOf(piece.index) === undefined) continue
      yield* this.end()
      yield* this.call(piece)
    }
  }

  private *say(kind: "text" | "reasoning", delta: string): Generator<Part> {
    if (this.open !== kind) {
      yield* this.end()
      this.open = kind
      yield { type: `${kind}-start`, id: String(++this.parts) }
    }
    yield { type: `${kind}-delta`, id: String(this.parts), delta }
  }

  private *end(): Generator<Part> {
    if (this.open === undefined) return
    yield { type: `${this.open}-end`, id: String(this.parts) }
    this.open = undefined
  }

  private *call({ function: said, id, index }: NonNullable<Delta["tool_calls"]>[number]): Generator<Part> {
    const begun = this.calls[index]
    const call: ToolCall = begun ?? { id: id ?? `call_${index}`, name: said?.name ?? "", input: "" }
    if (begun === undefined) {
      this.calls[index] = call
      yield { type: "tool-input-start", id: call.id, toolName: call.name }
    }
    const delta = said?.arguments ?? ""
    if (delta === "") return
    call.input += delta
    yield { type: "tool-input-delta", id: call.id, delta }
  }
}

function* endOfCall({ id, input, name }: ToolCall): Generator<Part> {
  yield { type: "tool-input-end", id }
  yield { type: "tool-call", toolCallId: id, toolName: name, input: input === "" ? "{}" : input }
}
