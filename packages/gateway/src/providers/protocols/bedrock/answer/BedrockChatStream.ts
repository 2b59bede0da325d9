/** A streamed response of Converse as chunks of a chat completion. A block of text has no start, and the usage ends the stream. */
import type { StreamLifter, UpstreamCall, StreamEvent, WireEvent } from "../../../../core/pool/Protocol.ts"
import { objectOf, textOf, type JsonObject } from "../../../json/LooseJson.ts"
import { finishReason, thinkingBlock } from "../../anthropic/answer/AnthropicChatResponse.ts"
import { chatHead, Chunks } from "../../shared/ChatCompletions.ts"
import { CallEvents, MALFORMED } from "../../shared/JsonEvents.ts"
import { streamFailure } from "../BedrockErrors.ts"
import { isMalformed, isServers, malformed, redactedBlock, servedTier, readUsage } from "./BedrockChatResponse.ts"

/** A block of thoughts or a tool call between its start and its stop. Text needs no memory. */
type BedrockBlock =
  | { readonly kind: "thinking"; thinking: string; signature: string }
  /** `call` is the number of the caller's tool call. */
  | { readonly kind: "input"; readonly call: number; started: boolean }
  | { readonly kind: "ignored" }

export const stream = (call: UpstreamCall): StreamLifter => new ConverseStream(call)

class ConverseStream extends CallEvents {
  private readonly chunks = new Chunks(chatHead(this.call), this.call.request.includeUsage)
  private readonly blocks = new Map<unknown, BedrockBlock>()
  private readonly thoughts: Array<JsonObject> = []
  private calls = 0
  private finished = false
  /** Why the response makes no sense: reported with the usage that follows. */
  private nonsense: string | undefined = undefined

  override push(event: WireEvent): ReadonlyArray<StreamEvent> {
    if (this.closed) return []
    const failure = streamFailure(event.kind, event.data)
    if (failure === undefined) return event.data === "" ? MALFORMED : super.push(event)
    this.closed = true
    return [{ kind: "failed", failure }]
  }

  override end(): ReadonlyArray<StreamEvent> {
    const out: Array<StreamEvent> = []
    if (!this.closed && this.nonsense !== undefined) this.fail(malformed(this.nonsense, undefined), out)
    this.closed = true
    return out
  }

  /** Types that are not known mean nothing here. */
  protected step(event: JsonObject, out: Array<StreamEvent>, kind: string): boolean {
    switch (kind) {
      case "contentBlockStart":
        return this.openBlock(event["contentBlockIndex"], objectOf(event["start"]), out)
      case "contentBlockDelta":
        return this.delta(event["contentBlockIndex"], objectOf(event["delta"]), out)
      case "contentBlockStop":
        this.closeBlock(event["contentBlockIndex"], out)
        return true
      case "messageStop":
        return this.stop(event["stopReason"], out)
      case "metadata":
        return this.metadata(event, out)
      default:
        return true
    }
  }

  private openBlock(index: unknown, start: JsonObject | undefined, out: Array<StreamEvent>): boolean {
    if (start === undefined || this.finished) return false
    const toolUse = objectOf(start["toolUse"])
    if (toolUse === undefined || isServers(toolUse)) {
      this.blocks.set(index, { kind: "ignored" })
      return true
    }
    const { name, toolUseId: id } = toolUse
    if (typeof name !== "string" || typeof id !== "string") return false
    const call = this.calls++
    this.blocks.set(index, { kind: "input", call, started: false })
    this.chunks.call(call, id, name, out)
    return true
  }

  private delta(index: unknown, delta: JsonObject | undefined, out: Array<StreamEvent>): boolean {
    if (delta === undefined || this.finished) return false
    const block = this.blocks.get(index)
    if (block?.kind === "ignored") return true
    const text = textOf(delta["text"])
    if (text !== undefined) this.chunks.content({ content: text }, out)
    const reasoning = objectOf(delta["reasoningContent"])
    if (reasoning !== undefined) this.think(index, block, reasoning, out)
    const input = objectOf(delta["toolUse"])?.["input"]
    if (typeof input !== "string") return true
    if (block?.kind !== "input") return false
    if (input !== "") this.input(block, input, out)
    return true
  }

  private think(index: unknown, open: BedrockBlock | undefined, reasoning: JsonObject, out: Array<StreamEvent>): void {
    if (reasoning["redactedContent"] !== undefined)
      return this.remember(redactedBlock(reasoning["redactedContent"]), out)
    const block = open?.kind === "thinking" ? open : { kind: "thinking" as const, thinking: "", signature: "" }
    this.blocks.set(index, block)
    block.signature += textOf(reasoning["signature"]) ?? ""
    const thinking = textOf(reasoning["text"])
    if (thinking === undefined) return
    block.thinking += thinking
    this.chunks.content({ reasoning_content: thinking }, out)
  }

  private input(block: Extract<BedrockBlock, { kind: "input" }>, json: string, out: Array<StreamEvent>): void {
    block.started = true
    this.chunks.input(block.call, json, out)
  }

  private closeBlock(index: unknown, out: Array<StreamEvent>): void {
    const block = this.blocks.get(index)
    this.blocks.delete(index)
    // Unsigned thoughts can't be sent back.
    if (block?.kind === "thinking" && block.signature !== "") {
      this.remember(thinkingBlock(block.thinking, block.signature), out)
    }
    // A tool without arguments sends no input at all.
    if (block?.kind === "input" && !block.started) this.input(block, "{}", out)
  }

  /** As for Anthropic: each list holds the earlier blocks too. */
  private remember(thought: JsonObject, out: Array<StreamEvent>): void {
    this.thoughts.push(thought)
    this.chunks.content({ thinking_blocks: this.thoughts }, out)
  }

  private stop(reason: unknown, out: Array<StreamEvent>): boolean {
    if (typeof reason !== "string" || this.finished) return false
    for (const index of this.blocks.keys()) this.closeBlock(index, out)
    this.finished = true
    if (isMalformed(reason)) this.nonsense = reason
    else this.chunks.finish(finishReason(reason, this.calls), out)
    return true
  }

  /** The end mark of a stream that has stopped. */
  private metadata(event: JsonObject, out: Array<StreamEvent>): boolean {
    if (!this.finished) return false
    this.closed = true
    const usage = readUsage(objectOf(event["usage"]))
    if (this.nonsense !== undefined) return this.fail(malformed(this.nonsense, usage), out)
    if (usage !== undefined) out.push(this.chunks.usage(usage, servedTier(event)))
    out.push({ kind: "done" })
    return true
  }
}
