/** Writes chat completions, whole or as the chunks of a stream. */
import type { Usage } from "../../../core/domain/Usage.ts"
import { wireUsage } from "../../../core/operations/chat/ChatAnswerText.ts"
import type { UpstreamCall, StreamEvent } from "../../../core/pool/Protocol.ts"
import { textOf, type JsonObject } from "../../json/LooseJson.ts"

export type FinishReason = "stop" | "length" | "tool_calls" | "content_filter"

/** What a completion and all its chunks say about it. */
export interface ChatHead {
  readonly id: string
  /** Seconds. */
  readonly created: number
  readonly model: string
}

/** `id`, `model`: those that the provider names, if it does. */
export const chatHead = ({ deployment, now }: UpstreamCall, id?: unknown, model?: unknown): ChatHead => ({
  id: textOf(id) ?? `chatcmpl-${deployment.id}-${now}`,
  created: Math.floor(now / 1_000),
  model: textOf(model) ?? deployment.model
})

export const completion = (
  { created, id, model }: ChatHead,
  choices: ReadonlyArray<JsonObject>,
  usage: Usage | undefined,
  more: { readonly fields?: JsonObject; readonly usage?: JsonObject } = {}
): JsonObject => ({
  id,
  object: "chat.completion",
  created,
  model,
  choices,
  ...more.fields,
  ...(usage === undefined ? {} : { usage: { ...wireUsage(usage), ...more.usage } })
})

interface AssistantMessage {
  readonly content: string
  readonly refusal?: string | undefined
  readonly reasoning: string
  readonly calls: ReadonlyArray<JsonObject>
  /** Left out where they are empty. */
  readonly lists?: { readonly [field: string]: ReadonlyArray<unknown> }
  readonly more?: JsonObject
}

/** One choice. The content of a message that only calls tools is null. */
export const completionChoice = (
  index: number,
  reason: string,
  { calls, content, lists = {}, more, reasoning, refusal }: AssistantMessage,
  logprobs: JsonObject | null = null
): JsonObject => ({
  index,
  finish_reason: reason,
  logprobs,
  message: {
    role: "assistant",
    content: content === "" && calls.length > 0 ? null : content,
    refusal: refusal ?? null,
    ...(reasoning === "" ? {} : { reasoning_content: reasoning }),
    ...Object.fromEntries(Object.entries({ ...lists, tool_calls: calls }).filter(([, list]) => list.length > 0)),
    ...more
  }
})

/** Writes the chunks of one streamed response: same `id`, `created` and `model` on all, a role in the first delta of a choice alone. */
export class Chunks {
  private readonly head: string
  /** Callers who asked for usage see it announced as null on every other chunk. */
  private readonly tail: string
  private readonly opened = new Set<number>()

  constructor({ created, id, model }: ChatHead, includeUsage: boolean, extra: JsonObject = {}) {
    this.head = JSON.stringify({ id, object: "chat.completion.chunk", created, model, ...extra }).slice(0, -1)
    this.tail = includeUsage ? ',"usage":null}' : "}"
  }

  get isOpened(): boolean {
    return this.opened.size > 0
  }

  /** One delta, after the role where that has not been sent. A tool call that comes first has no content. */
  content(delta: JsonObject, out: Array<StreamEvent>, choice = 0, logprobs: JsonObject | null = null): void {
    this.open(choice, delta["tool_calls"] === undefined ? "" : null, out)
    out.push({ kind: "content", data: this.chunk(choice, delta, null, logprobs) })
  }

  call(index: number, id: string, name: string, out: Array<StreamEvent>): void {
    this.content({ tool_calls: [{ index, id, type: "function", function: { name, arguments: "" } }] }, out)
  }

  input(index: number, json: string, out: Array<StreamEvent>): void {
    this.content({ tool_calls: [{ index, function: { arguments: json } }] }, out)
  }

  private open(choice: number, content: "" | null, out: Array<StreamEvent>): void {
    if (this.opened.has(choice)) return
    this.opened.add(choice)
    out.push({ kind: "lifecycle", data: this.chunk(choice, { role: "assistant", content }, null, null) })
  }

  finish(reason: string, out: Array<StreamEvent>, choice = 0): void {
    this.open(choice, "", out)
    out.push({ kind: "finish", data: this.chunk(choice, {}, reason, null) })
  }

  usage(usage: Usage, serviceTier?: string, more: JsonObject = {}): StreamEvent {
    const data = `${this.head},"choices":[],"usage":${JSON.stringify({ ...wireUsage(usage), ...more })}}`
    return { kind: "usage", usage, serviceTier, data }
  }

  private chunk(index: number, delta: JsonObject, finish: string | null, logprobs: JsonObject | null): string {
    const choice = JSON.stringify({ index, delta, logprobs, finish_reason: finish })
    return `${this.head},"choices":[${choice}]${this.tail}`
  }
}
