/** Cohere's typed events as chunks of a chat completion. Its indices count contents and calls apart; calls are numbered anew from 0. */
import type { JsonObject } from "../../../../core/domain/Json.ts"
import type { StreamEvent } from "../../../../core/operations/LiftedAnswer.ts"
import type { StreamLifter, UpstreamCall } from "../../../../core/pool/Protocol.ts"
import type { WireEvent } from "../../../../core/pool/Framing.ts"
import { parseJson } from "../../../json/BoundedJson.ts"
import { Chunks } from "../../shared/ChatChunks.ts"
import { argumentsText, isObject, textOf } from "../../../json/LooseJson.ts"
import { stoppedWith } from "../../openai/answer/OpenAiChatFinish.ts"
import { newId, seconds } from "../../openai/answer/OpenAiChatRepair.ts"
import { errorIn, failureOfErrorObject } from "../../openai/OpenAiErrors.ts"
import { finishReason } from "./CohereChatFinish.ts"
import { ownCounts, usageOf } from "./CohereChatUsage.ts"

interface CohereCall {
  readonly number: number
  said: boolean
}

const MALFORMED: ReadonlyArray<StreamEvent> = [{ kind: "malformed" }]

export const stream = (call: UpstreamCall): StreamLifter => new CohereStream(call)

class CohereStream implements StreamLifter {
  private readonly call: UpstreamCall
  private chunks: Chunks | undefined = undefined
  /** By the event's index. */
  private readonly calls = new Map<unknown, CohereCall>()
  private begun = 0
  private closed = false

  constructor(call: UpstreamCall) {
    this.call = call
  }

  push({ data, kind }: WireEvent): ReadonlyArray<StreamEvent> {
    const text = data.trim()
    if (this.closed || text === "" || text === "[DONE]") return []
    const event = parseJson(text)
    if (!isObject(event)) return MALFORMED
    const error = event["type"] === undefined ? errorIn(event) : event["error"]
    if (kind === "error" || (error !== undefined && error !== null)) {
      this.closed = true
      return [{ kind: "failed", failure: failureOfErrorObject(error ?? event, "unavailable") }]
    }
    const out: Array<StreamEvent> = []
    return this.step(event, out) ? out : MALFORMED
  }

  end(): ReadonlyArray<StreamEvent> {
    return []
  }

  /** False when the event makes no sense. Types that are not known mean nothing here. */
  private step(event: JsonObject, out: Array<StreamEvent>): boolean {
    const delta = isObject(event["delta"]) ? event["delta"] : {}
    const message = isObject(delta["message"]) ? delta["message"] : {}
    switch (event["type"]) {
      case "message-start":
        this.chunks ??= this.newChunks(event["id"])
        return true
      case "content-start":
      case "content-delta":
        return this.content(message["content"], out)
      case "tool-plan-delta":
        this.say("reasoning_content", message["tool_plan"], out)
        return true
      case "tool-call-start":
        return this.openCall(event["index"], message["tool_calls"], out)
      case "tool-call-delta":
        return this.argue(event["index"], message["tool_calls"], out)
      case "tool-call-end":
        this.closeCall(event["index"], out)
        return true
      case "citation-start":
        if (message["citations"] !== undefined) this.writer.content({ citations: [message["citations"]] }, out)
        return true
      case "message-end":
        this.finish(delta, out)
        return true
      default:
        return typeof event["type"] === "string"
    }
  }

  private get writer(): Chunks {
    return (this.chunks ??= this.newChunks(undefined))
  }

  private newChunks(id: unknown): Chunks {
    const { deployment, now, request } = this.call
    const head = { id: textOf(id) ?? newId(now), created: seconds(now), model: deployment.model }
    return new Chunks(head, {}, request.includeUsage)
  }

  private content(content: unknown, out: Array<StreamEvent>): boolean {
    if (!isObject(content)) return false
    this.say("reasoning_content", content["thinking"], out)
    this.say("content", content["text"], out)
    return true
  }

  private say(field: string, text: unknown, out: Array<StreamEvent>): void {
    const said = textOf(text)
    if (said !== undefined) this.writer.content({ [field]: said }, out)
  }

  private openCall(index: unknown, call: unknown, out: Array<StreamEvent>): boolean {
    const called = isObject(call) ? call["function"] : undefined
    const id = isObject(call) ? textOf(call["id"]) : undefined
    const name = isObject(called) ? textOf(called["name"]) : undefined
    if (!isObject(called) || id === undefined || name === undefined) return false
    const open: CohereCall = { number: this.begun++, said: false }
    this.calls.set(index, open)
    const begun = { index: open.number, id, type: "function", function: { name, arguments: "" } }
    this.writer.content({ tool_calls: [begun] }, out)
    this.input(open, called["arguments"], out)
    return true
  }

  private argue(index: unknown, call: unknown, out: Array<StreamEvent>): boolean {
    const open = this.calls.get(index)
    const called = isObject(call) ? call["function"] : undefined
    if (open === undefined || !isObject(called)) return false
    this.input(open, called["arguments"], out)
    return true
  }

  private input(open: CohereCall, given: unknown, out: Array<StreamEvent>): void {
    const text = open.said ? textOf(given) : textOf(argumentsText(given))
    if (text === undefined) return
    open.said = true
    this.writer.content({ tool_calls: [{ index: open.number, function: { arguments: text } }] }, out)
  }

  private closeCall(index: unknown, out: Array<StreamEvent>): void {
    const open = this.calls.get(index)
    this.calls.delete(index)
    if (open !== undefined && !open.said) this.input(open, "{}", out)
  }

  private finish(delta: JsonObject, out: Array<StreamEvent>): void {
    this.closed = true
    const told = delta["usage"]
    const usage = usageOf(told)
    const reason = finishReason(delta["finish_reason"], this.begun)
    if (reason === undefined) {
      const failure =
        isObject(delta["error"]) || typeof delta["error"] === "string"
          ? failureOfErrorObject(delta["error"], "truncated")
          : stoppedWith(String(delta["finish_reason"]), usage)
      if (usage !== undefined) out.push(this.writer.usage(usage))
      out.push({ kind: "failed", failure })
      return
    }
    for (const index of this.calls.keys()) this.closeCall(index, out)
    this.writer.finish(reason, out)
    if (usage !== undefined) out.push(this.writer.usage(usage, undefined, ownCounts(told)))
    out.push({ kind: "done" })
  }
}
