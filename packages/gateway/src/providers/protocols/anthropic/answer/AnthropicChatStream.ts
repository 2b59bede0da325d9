/** A streamed Anthropic message as chunks of a chat completion, which counts tool calls alone and knows no empty arguments. */
import { tierNamed } from "../../../../core/domain/pricing/ServiceTier.ts"
import type { StreamLifter, UpstreamCall, StreamEvent } from "../../../../core/pool/Protocol.ts"
import { objectOf, objectOr, textOf, type JsonObject } from "../../../json/LooseJson.ts"
import { chatHead, Chunks } from "../../shared/ChatCompletions.ts"
import { CallEvents } from "../../shared/JsonEvents.ts"
import { reportedFailure } from "../AnthropicErrors.ts"
import {
  annotations,
  finishReason,
  refusalText,
  servedTier,
  thinkingBlock,
  toolArguments,
  mergeUsage,
  readUsage,
  StreamedBlocks
} from "./AnthropicChatResponse.ts"

/** A block between its start and its stop. */
type AnthropicBlock =
  | { readonly kind: "text"; readonly start: number; readonly citations: Array<unknown> }
  | { readonly kind: "thinking"; thinking: string; signature: string }
  /** `call`: the number of the tool call. */
  | { readonly kind: "input"; readonly call: number; readonly given: string; started: boolean }

export const stream = (call: UpstreamCall): StreamLifter => new AnthropicChatLifter(call)

class AnthropicChatLifter extends CallEvents {
  private chunks: Chunks | undefined = undefined
  private usage: JsonObject | undefined = undefined
  private stopDetails: unknown = undefined
  private readonly blocks = new Map<unknown, AnthropicBlock>()
  private readonly thoughts: Array<JsonObject> = []
  private readonly own = new StreamedBlocks()
  private calls = 0
  private length = 0
  private finished = false

  override end(): ReadonlyArray<StreamEvent> {
    const out: Array<StreamEvent> = []
    if (!this.closed && this.finished) this.tellUsage(out)
    this.closed = true
    return out
  }

  /** Types that are not known mean nothing here. */
  protected step(data: JsonObject, out: Array<StreamEvent>): boolean {
    switch (data["type"]) {
      case "message_start":
        return this.begin(objectOf(data["message"]))
      case "content_block_start":
        return this.openBlock(data["index"], objectOf(data["content_block"]), out)
      case "content_block_delta":
        this.own.add(data["index"], objectOr(data["delta"]))
        return this.delta(this.blocks.get(data["index"]), objectOf(data["delta"]), out)
      case "content_block_stop":
        return this.closeBlock(data["index"], out)
      case "message_delta":
        return this.messageDelta(data, objectOf(data["delta"]), out)
      case "message_stop":
        return this.stop(out)
      case "error":
        return this.fail(reportedFailure(data), out)
      default:
        return typeof data["type"] === "string"
    }
  }

  private begin(message: JsonObject | undefined): boolean {
    if (message === undefined) return false
    this.usage = objectOf(message["usage"])
    this.stopDetails = message["stop_details"]
    this.chunks ??= this.newChunks(message)
    return true
  }

  private newChunks(message: JsonObject = {}): Chunks {
    const { call } = this
    const head = chatHead(call, message["id"], message["model"])
    return new Chunks(head, call.request.includeUsage, servedTier(this.usage))
  }

  private get writer(): Chunks {
    return (this.chunks ??= this.newChunks())
  }

  private openBlock(index: unknown, block: JsonObject | undefined, out: Array<StreamEvent>): boolean {
    if (block === undefined || this.finished) return false
    this.own.open(index, block)
    switch (block["type"]) {
      case "text":
        this.blocks.set(index, { kind: "text", start: this.length, citations: [] })
        this.say(textOf(block["text"]), out)
        return true
      case "thinking":
        this.blocks.set(index, { kind: "thinking", thinking: "", signature: textOf(block["signature"]) ?? "" })
        return this.delta(this.blocks.get(index), { type: "thinking_delta", thinking: block["thinking"] }, out)
      case "redacted_thinking":
        this.remember({ type: "redacted_thinking", data: textOf(block["data"]) ?? "" }, out)
        return true
      case "tool_use":
        return this.openTool(index, block, out)
      default:
        // The provider's own tools and their results: see `OWN_BLOCKS`.
        return typeof block["type"] === "string"
    }
  }

  private openTool(index: unknown, block: JsonObject, out: Array<StreamEvent>): boolean {
    const { id, name } = block
    const given = toolArguments(block)
    if (typeof name !== "string" || typeof id !== "string" || given === undefined) return false
    const call = this.calls++
    this.blocks.set(index, { kind: "input", call, given, started: false })
    this.writer.call(call, id, name, out)
    return true
  }

  private delta(block: AnthropicBlock | undefined, delta: JsonObject | undefined, out: Array<StreamEvent>): boolean {
    if (delta === undefined) return false
    if (block === undefined) return true
    if (block.kind === "text") {
      if (delta["type"] === "text_delta") this.say(textOf(delta["text"]), out)
      if (delta["type"] === "citations_delta") block.citations.push(delta["citation"])
    } else if (block.kind === "thinking") {
      const thinking = textOf(delta["thinking"])
      block.signature += textOf(delta["signature"]) ?? ""
      if (thinking !== undefined) {
        block.thinking += thinking
        this.writer.content({ reasoning_content: thinking }, out)
      }
    } else {
      const json = textOf(delta["partial_json"])
      if (json !== undefined) this.input(block, json, out)
    }
    return true
  }

  private say(text: string | undefined, out: Array<StreamEvent>): void {
    if (text === undefined) return
    this.length += text.length
    this.writer.content({ content: text }, out)
  }

  private input(block: Extract<AnthropicBlock, { kind: "input" }>, json: string, out: Array<StreamEvent>): void {
    block.started = true
    this.writer.input(block.call, json, out)
  }

  private closeBlock(index: unknown, out: Array<StreamEvent>): boolean {
    const block = this.blocks.get(index)
    this.blocks.delete(index)
    if (block?.kind === "text") {
      const cited = annotations(block.citations, block.start, this.length)
      if (cited.length > 0) this.writer.content({ annotations: cited }, out)
    }
    if (block?.kind === "thinking") this.remember(thinkingBlock(block.thinking, block.signature), out)
    if (block?.kind === "input" && !block.started) this.input(block, block.given, out)
    return true
  }

  /** Clients keep the last `thinking_blocks` or append them all: each list holds the earlier blocks, and repeated ones are dropped. */
  private remember(thought: JsonObject, out: Array<StreamEvent>): void {
    this.thoughts.push(thought)
    this.writer.content({ thinking_blocks: this.thoughts }, out)
  }

  private messageDelta(data: JsonObject, delta: JsonObject | undefined, out: Array<StreamEvent>): boolean {
    const usage = objectOf(data["usage"])
    if (usage !== undefined) this.usage = mergeUsage(this.usage, usage)
    const reason = textOf(delta?.["stop_reason"])
    if (reason === undefined || this.finished) return delta !== undefined || usage !== undefined
    this.finish(reason, delta?.["stop_details"] ?? this.stopDetails, out)
    return true
  }

  private finish(reason: string, details: unknown, out: Array<StreamEvent>): void {
    for (const index of this.blocks.keys()) this.closeBlock(index, out)
    const refusal = refusalText(details)
    if (refusal !== undefined) this.writer.content({ refusal }, out)
    const own = this.own.end()
    if (own["extra_content"] !== undefined) this.writer.content(own, out)
    this.finished = true
    this.writer.finish(finishReason(reason, this.calls), out)
  }

  private stop(out: Array<StreamEvent>): boolean {
    if (this.chunks?.isOpened !== true) return false
    if (!this.finished) this.finish(this.calls > 0 ? "tool_use" : "end_turn", this.stopDetails, out)
    this.closed = true
    this.tellUsage(out)
    out.push({ kind: "done" })
    return true
  }

  private tellUsage(out: Array<StreamEvent>): void {
    const usage = readUsage(this.usage)
    if (usage !== undefined) out.push(this.writer.usage(usage, tierNamed(this.usage?.["service_tier"])))
  }
}
