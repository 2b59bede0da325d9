/** Cohere's typed events as chunks of a chat completion. Its indices count contents and calls apart; calls are numbered anew from 0. */
import type { JsonObject } from "../../../../core/domain/Json.ts"
import type { StreamEvent } from "../../../../core/operations/LiftedAnswer.ts"
import type { StreamLifter, UpstreamCall } from "../../../../core/pool/Protocol.ts"
import { argumentsText, isObject, objectOr, textOf } from "../../../json/LooseJson.ts"
import { stoppedWith } from "../../openai/answer/OpenAiChatFinish.ts"
import { newId } from "../../openai/answer/OpenAiChatRepair.ts"
import { errorIn, failureOfErrorObject } from "../../openai/OpenAiErrors.ts"
import { chatHead, Chunks } from "../../shared/ChatCompletions.ts"
import { JsonEvents } from "../../shared/JsonEvents.ts"
import { calledIn, finishReason, ownCounts, usageOf } from "./CohereChatResponse.ts"

interface OpenCohereCall {
  readonly number: number
  hasInput: boolean
}

export const stream = (call: UpstreamCall): StreamLifter => new CohereStream(call)

class CohereStream extends JsonEvents {
  private readonly call: UpstreamCall
  private chunks: Chunks | undefined = undefined
  /** By the event's index. */
  private readonly calls = new Map<unknown, OpenCohereCall>()
  private begun = 0

  constructor(call: UpstreamCall) {
    super()
    this.call = call
  }

  /** Types that are not known mean nothing here. */
  protected step(event: JsonObject, out: Array<StreamEvent>, kind: string): boolean {
    const error = event["type"] === undefined ? errorIn(event) : event["error"]
    if (kind === "error" || (error !== undefined && error !== null)) {
      return this.fail(failureOfErrorObject(error ?? event, "unavailable"), out)
    }
    const delta = objectOr(event["delta"])
    const message = objectOr(delta["message"])
    switch (event["type"]) {
      case "message-start":
        this.writer(event["id"])
        return true
      case "content-start":
      case "content-delta": {
        const { content } = message
        if (!isObject(content)) return false
        this.say("reasoning_content", content["thinking"], out)
        this.say("content", content["text"], out)
        return true
      }
      case "tool-plan-delta":
        this.say("reasoning_content", message["tool_plan"], out)
        return true
      case "tool-call-start":
        return this.openCall(event["index"], message["tool_calls"], out)
      case "tool-call-delta": {
        const open = this.calls.get(event["index"])
        const called = objectOr(message["tool_calls"])["function"]
        if (open === undefined || !isObject(called)) return false
        this.input(open, called["arguments"], out)
        return true
      }
      case "tool-call-end":
        this.closeCall(event["index"], out)
        return true
      case "citation-start":
        if (message["citations"] !== undefined) this.writer().content({ citations: [message["citations"]] }, out)
        return true
      case "message-end":
        this.finish(delta, out)
        return true
      default:
        return typeof event["type"] === "string"
    }
  }

  private writer(id?: unknown): Chunks {
    const { call } = this
    return (this.chunks ??= new Chunks(chatHead(call, textOf(id) ?? newId(call.now)), call.request.includeUsage))
  }

  private say(field: string, text: unknown, out: Array<StreamEvent>): void {
    if (textOf(text) !== undefined) this.writer().content({ [field]: text }, out)
  }

  private openCall(index: unknown, call: unknown, out: Array<StreamEvent>): boolean {
    const called = calledIn(call)
    if (called === undefined) return false
    const open: OpenCohereCall = { number: this.begun++, hasInput: false }
    this.calls.set(index, open)
    this.writer().call(open.number, called.id, called.name, out)
    this.input(open, called.input, out)
    return true
  }

  private input(open: OpenCohereCall, given: unknown, out: Array<StreamEvent>): void {
    const text = open.hasInput ? textOf(given) : textOf(argumentsText(given))
    if (text === undefined) return
    open.hasInput = true
    this.writer().input(open.number, text, out)
  }

  private closeCall(index: unknown, out: Array<StreamEvent>): void {
    const open = this.calls.get(index)
    this.calls.delete(index)
    if (open?.hasInput === false) this.input(open, "{}", out)
  }

  private finish(delta: JsonObject, out: Array<StreamEvent>): void {
    const usage = usageOf(delta["usage"])
    const reason = finishReason(delta["finish_reason"], this.begun)
    if (reason === undefined) {
      if (usage !== undefined) out.push(this.writer().usage(usage))
      const { error } = delta
      const isReported = isObject(error) || typeof error === "string"
      const failure = isReported
        ? failureOfErrorObject(error, "truncated")
        : stoppedWith(String(delta["finish_reason"]), usage)
      this.fail(failure, out)
      return
    }
    this.closed = true
    for (const index of this.calls.keys()) this.closeCall(index, out)
    this.writer().finish(reason, out)
    if (usage !== undefined) out.push(this.writer().usage(usage, undefined, ownCounts(delta["usage"])))
    out.push({ kind: "done" })
  }
}
