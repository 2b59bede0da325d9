import { truncated } from "../../../core/domain/Failures.ts"
import { wireUsage } from "../../../core/operations/messages/MessagesRelay.ts"
import { noUsage } from "../../../core/domain/Usage.ts"
import type { UpstreamCall, StreamEvent } from "../../../core/pool/Protocol.ts"
import { parseJson } from "../../json/BoundedJson.ts"
import { arrayOf, isObject, objectOf, objectOr, textOf, type JsonObject } from "../../json/LooseJson.ts"
import { foreignSignature } from "../../protocols/anthropic/messages/AnthropicMessagesRequest.ts"
import { MessageSeals } from "../Seals.ts"
import { CALL_GOES_ON, CallOrder } from "../CallOrder.ts"
import { writtenId } from "./MessagesCallIds.ts"
import { messageHead, sealOf, stopOf, thoughtIn, redacted } from "./MessagesToChatResult.ts"

type OpenMessageBlock =
  | { readonly kind: "text" }
  | { readonly kind: "thinking"; readonly field: string }
  | { readonly kind: "call"; readonly index: unknown }

export const upStream = (call: UpstreamCall) => new BridgedMessageStream(call)

class BridgedMessageStream {
  private readonly call: UpstreamCall
  private begun = false
  private finished = false
  private stopped = false
  private index = -1
  private open: OpenMessageBlock | undefined
  private readonly order = new CallOrder()
  private hasCalls = false
  private hasRefused = false
  private readonly seals: MessageSeals

  constructor(call: UpstreamCall) {
    this.call = call
    this.seals = new MessageSeals(call)
  }

  push(event: StreamEvent): ReadonlyArray<StreamEvent> {
    const out: Array<StreamEvent> = []
    switch (event.kind) {
      case "lifecycle":
      case "content":
      case "finish":
        if (!this.chunk(objectOf(parseJson(event.data)) ?? {}, out))
          out.push({ kind: "failed", failure: truncated(CALL_GOES_ON) })
        return out
      case "usage":
        return [{ ...event, data: "" }]
      case "done":
        this.stop(out)
        return [...out, event]
      default:
        return [event]
    }
  }

  /** Some servers close the stream without an end mark. */
  end(): ReadonlyArray<StreamEvent> {
    const out: Array<StreamEvent> = []
    this.stop(out)
    return out
  }

  /** False where the provider went back to a complete call. */
  private chunk(chunk: JsonObject, out: Array<StreamEvent>): boolean {
    if (!this.begun) {
      this.begun = true
      // The provider reports the usage with the last event; until then clients read the size of their context from here.
      const usage = wireUsage({ ...noUsage, input: this.call.request.inputEstimate })
      const unfinished = { content: [], stop_reason: null, stop_sequence: null, usage }
      say("lifecycle", { type: "message_start", message: { ...messageHead(chunk, this.call), ...unfinished } }, out)
    }
    const choice = arrayOf(chunk["choices"]).find(isObject)
    if (choice === undefined || this.finished) return true
    const inOrder = this.order.push(choice)
    for (const one of inOrder ?? []) this.delta(objectOr(one["delta"]), out)
    if (textOf(choice["finish_reason"]) !== undefined) {
      for (const one of this.order.end()) this.delta(objectOr(one["delta"]), out)
      this.finish(choice, out)
    }
    return inOrder !== undefined
  }

  private delta(delta: JsonObject, out: Array<StreamEvent>): void {
    this.seals.add(delta)
    this.seals.addUnshown(delta)
    const thought = thoughtIn(delta)
    if (thought !== undefined) {
      if (this.open?.kind !== "thinking") {
        this.begin({ kind: "thinking", field: thought.field }, { type: "thinking", thinking: "", signature: "" }, out)
      }
      this.piece({ type: "thinking_delta", thinking: thought.text }, out)
    }
    const refusal = textOf(delta["refusal"])
    if (refusal !== undefined) this.hasRefused = true
    for (const text of [textOf(delta["content"]), refusal]) {
      if (text === undefined) continue
      if (this.open?.kind !== "text") this.begin({ kind: "text" }, { type: "text", text: "" }, out)
      this.piece({ type: "text_delta", text }, out)
    }
    for (const call of arrayOf(delta["tool_calls"])) if (isObject(call)) this.called(call, out)
  }

  private called(piece: JsonObject, out: Array<StreamEvent>): void {
    const { function: called, id, index } = piece
    const { arguments: given, name } = isObject(called) ? called : {}
    const input = textOf(given) ?? ""
    if (this.open?.kind !== "call" || this.open.index !== index) {
      this.hasCalls = true
      this.redact(sealOf(piece, this.call), out)
      this.begin({ kind: "call", index }, { type: "tool_use", id: writtenId(String(id)), name, input: {} }, out)
    }
    if (input !== "") this.piece({ type: "input_json_delta", partial_json: input }, out)
  }

  private begin(open: OpenMessageBlock, block: JsonObject, out: Array<StreamEvent>): void {
    this.close(out)
    if (open.kind !== "thinking") this.redact(this.seals.takeDetails().map(redacted), out)
    this.open = open
    this.index++
    const kind = open.kind === "call" ? "content" : "lifecycle"
    say(kind, { type: "content_block_start", index: this.index, content_block: block }, out)
  }

  private redact(blocks: ReadonlyArray<JsonObject>, out: Array<StreamEvent>): void {
    if (blocks.length === 0) return
    this.close(out)
    for (const block of blocks) {
      this.index++
      say("lifecycle", { type: "content_block_start", index: this.index, content_block: block }, out)
      say("lifecycle", { type: "content_block_stop", index: this.index }, out)
    }
  }

  private piece(delta: JsonObject, out: Array<StreamEvent>): void {
    say("content", { type: "content_block_delta", index: this.index, delta }, out)
  }

  private close(out: Array<StreamEvent>): void {
    const { open } = this
    if (open === undefined) return
    if (open.kind === "thinking") this.piece({ type: "signature_delta", signature: foreignSignature(open.field) }, out)
    say("lifecycle", { type: "content_block_stop", index: this.index }, out)
    this.open = undefined
  }

  private finish(choice: JsonObject, out: Array<StreamEvent>): void {
    this.close(out)
    this.redact(this.seals.takeAll().map(redacted), out)
    this.finished = true
    const delta = stopOf(choice, this.call, this.hasCalls, this.hasRefused)
    say("finish", { type: "message_delta", delta }, out)
  }

  private stop(out: Array<StreamEvent>): void {
    if (!this.finished || this.stopped) return
    this.stopped = true
    say("lifecycle", { type: "message_stop" }, out)
  }
}

const say = (kind: "lifecycle" | "content" | "finish", event: JsonObject, out: Array<StreamEvent>): void => {
  out.push({ kind, data: JSON.stringify(event) })
}
