/** Writes the chunks of one streamed answer: same `id`, `created` and `model` on all, a role in the first delta of a choice alone. */
import type { JsonObject } from "../../../../core/domain/Json.ts"
import type { Usage } from "../../../../core/domain/Usage.ts"
import { wireUsage } from "../../../../core/operations/chat/ChatWireUsage.ts"
import type { StreamEvent } from "../../../../core/operations/LiftedAnswer.ts"
import type { OpenAiFinish } from "../../openai/answer/OpenAiChatFinish.ts"
import type { Head } from "./GeminiChatHead.ts"

export class GeminiChunks {
  private readonly head: string
  /** Callers who asked for usage see it announced as null on every other chunk. */
  private readonly tail: string
  private readonly opened = new Set<number>()

  constructor({ created, id, model }: Head, includeUsage: boolean) {
    this.head = JSON.stringify({ id, object: "chat.completion.chunk", created, model }).slice(0, -1)
    this.tail = includeUsage ? ',"usage":null}' : "}"
  }

  /** One delta, after the role where that has not been sent. A tool call that comes first has no content. */
  content(choice: number, delta: JsonObject, out: Array<StreamEvent>, logprobs: JsonObject | null = null): void {
    this.open(choice, delta["tool_calls"] === undefined ? "" : null, out)
    out.push({ kind: "content", data: this.chunk(choice, delta, null, logprobs) })
  }

  private open(choice: number, content: "" | null, out: Array<StreamEvent>): void {
    if (this.opened.has(choice)) return
    this.opened.add(choice)
    out.push({ kind: "lifecycle", data: this.chunk(choice, { role: "assistant", content }, null, null) })
  }

  finish(choice: number, reason: OpenAiFinish, out: Array<StreamEvent>): void {
    this.open(choice, "", out)
    out.push({ kind: "finish", data: this.chunk(choice, {}, reason, null) })
  }

  usage(usage: Usage, serviceTier: string | undefined): StreamEvent {
    const data = `${this.head},"choices":[],"usage":${JSON.stringify(wireUsage(usage))}}`
    return { kind: "usage", usage, serviceTier, data }
  }

  private chunk(index: number, delta: JsonObject, finish: OpenAiFinish | null, logprobs: JsonObject | null): string {
    const choice = JSON.stringify({ index, delta, logprobs, finish_reason: finish })
    return `${this.head},"choices":[${choice}]${this.tail}`
  }
}
