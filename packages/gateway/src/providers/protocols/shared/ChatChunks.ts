/** Writes the chunks of one streamed answer: same `id`, `created` and `model` on all, role in the first delta and only there. */
import type { JsonObject } from "../../../core/domain/Json.ts"
import type { StreamEvent } from "../../../core/operations/LiftedAnswer.ts"
import type { Usage } from "../../../core/domain/Usage.ts"
import { wireUsage } from "./ChatUsage.ts"

export type FinishReason = "stop" | "length" | "tool_calls" | "content_filter"

interface ChunkHead {
  readonly id: string
  readonly created: number
  readonly model: string
}

export class Chunks {
  private readonly head: string
  /** Callers who asked for usage see it announced as null on every other chunk. */
  private readonly tail: string
  /** Something was said. */
  opened = false

  constructor(head: ChunkHead, extra: JsonObject, includeUsage: boolean) {
    const { created, id, model } = head
    this.head = JSON.stringify({ id, object: "chat.completion.chunk", created, model, ...extra }).slice(0, -1)
    this.tail = includeUsage ? ',"usage":null}' : "}"
  }

  /** One delta, after the role where that has not been sent. A tool call that comes first has no content. */
  content(delta: JsonObject, out: Array<StreamEvent>): void {
    this.open(delta["tool_calls"] === undefined ? "" : null, out)
    out.push({ kind: "content", data: this.chunk(delta, null) })
  }

  open(content: "" | null, out: Array<StreamEvent>): void {
    if (this.opened) return
    this.opened = true
    out.push({ kind: "lifecycle", data: this.chunk({ role: "assistant", content }, null) })
  }

  finish(reason: FinishReason, out: Array<StreamEvent>): void {
    this.open("", out)
    out.push({ kind: "finish", data: this.chunk({}, reason) })
  }

  /** `more`: what the provider tells besides. */
  usage(usage: Usage, serviceTier?: string, more: JsonObject = {}): StreamEvent {
    return {
      kind: "usage",
      usage,
      serviceTier,
      data: `${this.head},"choices":[],"usage":${JSON.stringify({ ...wireUsage(usage), ...more })}}`
    }
  }

  private chunk(delta: JsonObject, finish: FinishReason | null): string {
    const choice = `{"index":0,"delta":${JSON.stringify(delta)},"logprobs":null,"finish_reason":${JSON.stringify(finish)}}`
    return `${this.head},"choices":[${choice}]${this.tail}`
  }
}
