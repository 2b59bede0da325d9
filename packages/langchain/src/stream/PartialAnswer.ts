/** What has come of a streamed answer: told when it breaks. */
import { AIMessageChunk } from "@langchain/core/messages"
import { PROVIDER } from "../Version.ts"
import type { WireChunk } from "../answer/Wire.ts"

interface PartialCall {
  id: string | undefined
  name: string | undefined
  args: string
}

export class PartialAnswer {
  /** The answer's own. */
  id: string | undefined
  private text = ""
  private reasoning = ""
  private readonly calls = new Map<number, PartialCall>()

  add(chunk: WireChunk): void {
    this.id ??= chunk.id
    const delta = chunk.choices?.[0]?.delta
    if (!delta) return
    this.text += delta.content ?? ""
    this.reasoning += delta.reasoning_content ?? delta.reasoning ?? ""
    for (const [position, call] of (delta.tool_calls ?? []).entries()) {
      const index = call.index ?? position
      const known = this.calls.get(index) ?? { id: undefined, name: undefined, args: "" }
      known.id ??= call.id ?? undefined
      known.name ??= call.function?.name ?? undefined
      known.args += call.function?.arguments ?? ""
      this.calls.set(index, known)
    }
  }

  /** Undefined when nothing has come. */
  message(): AIMessageChunk | undefined {
    if (this.text === "" && this.reasoning === "" && this.calls.size === 0) return undefined
    return new AIMessageChunk({
      ...(this.id === undefined ? {} : { id: this.id }),
      content: this.text,
      additional_kwargs: this.reasoning === "" ? {} : { reasoning_content: this.reasoning },
      response_metadata: { model_provider: PROVIDER },
      tool_call_chunks: [...this.calls].map(([index, { args, id, name }]) => ({
        type: "tool_call_chunk" as const,
        index,
        args,
        ...(id === undefined ? {} : { id }),
        ...(name === undefined ? {} : { name })
      }))
    })
  }
}
