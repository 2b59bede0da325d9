import type { JsonObject } from "../../core/domain/Json.ts"
import { ownId } from "../../core/operations/responses/OwnIds.ts"

export type EmitEvent = (kind: "lifecycle" | "content", name: string, fields: JsonObject) => void

export interface OpenItem {
  begin(): void
  close(status: "completed" | "incomplete"): JsonObject
}

/** Thoughts: as a summary where the caller asked for one, else as the text they are. */
export class ThoughtItem implements OpenItem {
  /** Makes of its whole text what is for the provider alone. */
  seal: ((text: string) => string) | undefined
  private readonly id = ownId("rs")
  private readonly say: EmitEvent
  private readonly asSummary: boolean
  private said = ""

  constructor(say: EmitEvent, asSummary: boolean) {
    this.say = say
    this.asSummary = asSummary
  }

  begin(): void {
    this.say("lifecycle", "output_item.added", { item: { id: this.id, type: "reasoning", summary: [] } })
  }

  add(delta: string): void {
    if (this.said === "") this.part("added", "")
    this.said += delta
    this.say("content", `${this.name}.delta`, { ...this.place, delta })
  }

  close(): JsonObject {
    const part = { type: this.asSummary ? "summary_text" : "reasoning_text", text: this.said }
    const isEmpty = this.said === ""
    if (!isEmpty) {
      this.say("lifecycle", `${this.name}.done`, { ...this.place, text: this.said })
      this.part("done", this.said)
    }
    const item = {
      id: this.id,
      type: "reasoning",
      summary: this.asSummary && !isEmpty ? [part] : [],
      ...(this.asSummary || isEmpty ? undefined : { content: [part] }),
      ...(this.seal === undefined ? undefined : { encrypted_content: this.seal(this.said) })
    }
    this.say("lifecycle", "output_item.done", { item })
    return item
  }

  private get name(): string {
    return this.asSummary ? "reasoning_summary_text" : "reasoning_text"
  }

  private get place(): JsonObject {
    return { item_id: this.id, [this.asSummary ? "summary_index" : "content_index"]: 0 }
  }

  private part(step: "added" | "done", text: string): void {
    const name = this.asSummary ? "reasoning_summary_part" : "content_part"
    const part = { type: this.asSummary ? "summary_text" : "reasoning_text", text }
    this.say("lifecycle", `${name}.${step}`, { ...this.place, part })
  }
}

export class MessageItem implements OpenItem {
  private readonly id = ownId("msg")
  private readonly say: EmitEvent
  private readonly parts: Array<JsonObject> = []
  private open: { type: "output_text" | "refusal"; text: string } | undefined
  private annotations: Array<unknown> = []
  private logprobs: Array<unknown> = []

  constructor(say: EmitEvent) {
    this.say = say
  }

  begin(): void {
    this.say("lifecycle", "output_item.added", { item: this.item("in_progress") })
  }

  text(delta: string, logprobs: ReadonlyArray<unknown>): void {
    this.into("output_text").text += delta
    this.logprobs.push(...logprobs)
    this.say("content", "output_text.delta", { ...this.place, delta, logprobs })
  }

  refusal(delta: string): void {
    this.into("refusal").text += delta
    this.say("content", "refusal.delta", { ...this.place, delta })
  }

  annotate(annotation: JsonObject): void {
    this.into("output_text")
    const annotation_index = this.annotations.length
    this.annotations.push(annotation)
    this.say("lifecycle", "output_text.annotation.added", { ...this.place, annotation_index, annotation })
  }

  close(status: "completed" | "incomplete"): JsonObject {
    this.closePart()
    const item = this.item(status)
    this.say("lifecycle", "output_item.done", { item })
    return item
  }

  private into(type: "output_text" | "refusal") {
    if (this.open?.type === type) return this.open
    this.closePart()
    this.open = { type, text: "" }
    this.say("lifecycle", "content_part.added", { ...this.place, part: this.part() })
    return this.open
  }

  private closePart(): void {
    if (this.open === undefined) return
    const { text, type } = this.open
    const told = type === "refusal" ? { refusal: text } : { text, logprobs: this.logprobs }
    this.say("lifecycle", `${type}.done`, { ...this.place, ...told })
    const part = this.part()
    this.say("lifecycle", "content_part.done", { ...this.place, part })
    this.parts.push(part)
    this.open = undefined
    this.annotations = []
    this.logprobs = []
  }

  private part(): JsonObject {
    const { text, type } = this.open!
    return type === "refusal"
      ? { type, refusal: text }
      : { type, text, annotations: [...this.annotations], logprobs: [...this.logprobs] }
  }

  private get place(): JsonObject {
    return { item_id: this.id, content_index: this.parts.length }
  }

  private item(status: string): JsonObject {
    return { id: this.id, type: "message", role: "assistant", status, content: [...this.parts] }
  }
}

/** An image that the model made: it is complete as it comes. */
export class ImageItem implements OpenItem {
  private readonly id = ownId("ig")
  private readonly say: EmitEvent
  private readonly base64: string
  private readonly format: string

  constructor(say: EmitEvent, base64: string, format: string) {
    this.say = say
    this.base64 = base64
    this.format = format
  }

  begin(): void {
    this.say("lifecycle", "output_item.added", { item: this.item("in_progress", null) })
  }

  close(): JsonObject {
    const item = this.item("completed", this.base64)
    this.say("lifecycle", "image_generation_call.completed", { item_id: this.id })
    this.say("content", "output_item.done", { item })
    return item
  }

  private item(status: string, result: string | null): JsonObject {
    return { id: this.id, type: "image_generation_call", status, output_format: this.format, result }
  }
}

export interface KnownTool {
  readonly kind: "function" | "custom"
  readonly name: string
  readonly namespace: string | undefined
}

export class CallItem implements OpenItem {
  readonly callId: string
  readonly tool: KnownTool
  private readonly id: string
  private readonly say: EmitEvent
  private text = ""

  constructor(say: EmitEvent, callId: string, tool: KnownTool) {
    this.say = say
    this.callId = callId
    this.tool = tool
    this.id = ownId(tool.kind === "custom" ? "ctc" : "fc")
  }

  begin(): void {
    this.say("lifecycle", "output_item.added", { item: this.item("in_progress", "") })
  }

  add(delta: string): void {
    if (delta === "") return
    this.text += delta
    this.say("content", `${this.name}.delta`, { item_id: this.id, delta })
  }

  close(status: "completed" | "incomplete"): JsonObject {
    const { kind, name } = this.tool
    const told = kind === "custom" ? { input: this.text } : { name, arguments: this.text }
    this.say("lifecycle", `${this.name}.done`, { item_id: this.id, ...told })
    const item = this.item(status, this.text)
    this.say("content", "output_item.done", { item })
    return item
  }

  private get name(): string {
    return this.tool.kind === "custom" ? "custom_tool_call_input" : "function_call_arguments"
  }

  private item(status: string, text: string): JsonObject {
    const { kind, name, namespace } = this.tool
    const named = { call_id: this.callId, name, ...(namespace === undefined ? undefined : { namespace }) }
    return kind === "custom"
      ? { id: this.id, type: "custom_tool_call", ...named, input: text, status }
      : { id: this.id, type: "function_call", ...named, arguments: text, status }
  }
}
