/** A complete response of Cohere as a chat completion. The plan for tool calls is what the model thought. */
import { Result } from "effect"
import { type ProviderFailure, truncated } from "../../../../core/domain/Failures.ts"
import type { JsonObject } from "../../../../core/domain/Json.ts"
import { noUsage, totalTokens, type Usage } from "../../../../core/domain/Usage.ts"
import type { StreamLifter, UpstreamCall, LiftedAnswer, StreamEvent } from "../../../../core/pool/Protocol.ts"
import {
  argumentsText,
  arrayOf,
  countOf,
  isGarbage,
  isObject,
  objectOr,
  objectsIn,
  textOf
} from "../../../json/LooseJson.ts"
import { answerBody, errorIn, failureOfErrorObject } from "../../openai/OpenAiErrors.ts"
import { finishReason as knownReason, stoppedWith } from "../../openai/answer/OpenAiChatFinish.ts"
import { newId } from "../../openai/answer/OpenAiChatRepair.ts"
import { chatHead, Chunks, completion, completionChoice, type FinishReason } from "../../shared/ChatCompletions.ts"
import { CallEvents } from "../../shared/JsonEvents.ts"

// Cohere's typed events. Its indices count contents and calls apart; calls are numbered anew from 0.

interface OpenCohereCall {
  readonly number: number
  hasInput: boolean
}

export const stream = (call: UpstreamCall): StreamLifter => new CohereStream(call)

class CohereStream extends CallEvents {
  private chunks: Chunks | undefined = undefined
  private readonly calls = new Map<unknown, OpenCohereCall>()
  private begun = 0

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

export const lift = (text: string, call: UpstreamCall): Result.Result<LiftedAnswer, ProviderFailure> =>
  Result.flatMap(answerBody(text), (body) => {
    const { message } = body
    if (!isObject(message)) return Result.fail(truncated("the response has no message"))
    const given = arrayOf(message["tool_calls"])
    const calls = given.flatMap((one) => calledIn(one) ?? [])
    if (calls.length < given.length) return Result.fail(truncated("a tool call of the response can't be read"))
    const usage = usageOf(body["usage"])
    const finish = finishReason(body["finish_reason"], calls.length)
    if (finish === undefined) return Result.fail(stoppedWith(String(body["finish_reason"]), usage))
    const parts = objectsIn(message["content"])
    const textsOf = (field: string) => parts.map((part) => textOf(part[field]) ?? "").join("")
    const choice = completionChoice(0, finish, {
      content: textsOf("text"),
      reasoning: (textOf(message["tool_plan"]) ?? "") + textsOf("thinking"),
      calls: calls.map(({ id, input, name }) => ({
        id,
        type: "function",
        function: { name, arguments: argumentsText(input) || "{}" }
      })),
      lists: { citations: arrayOf(message["citations"]) }
    })
    const head = chatHead(call, textOf(body["id"]) ?? newId(call.now))
    return Result.succeed({ usage, body: completion(head, [choice], usage, { usage: ownCounts(body["usage"]) }) })
  })

/** A tool call that can be passed on. */
const calledIn = (call: unknown) => {
  const called = isObject(call) ? call["function"] : undefined
  const id = isObject(call) ? textOf(call["id"]) : undefined
  const name = isObject(called) ? textOf(called["name"]) : undefined
  if (!isObject(called) || id === undefined || name === undefined) return undefined
  return { id, name, input: called["arguments"] }
}

/** Undefined where the reason says that the provider failed: `ERROR`, `TIMEOUT`. */
const finishReason = (reason: unknown, calls: number): FinishReason | undefined => {
  if (reason === "TIMEOUT") return undefined
  const known = knownReason(typeof reason === "string" ? reason : "", calls > 0)
  return known === "function_call" ? "tool_calls" : known
}

/**
 * What a response is billed for: `billed_units`. `tokens` counts also what Cohere adds and the model writes unseen, which is free
 * (https://docs.cohere.com/v2/docs/how-does-cohere-pricing-work.md, read 2026-11-22). Undefined: neither is reported, or one is no number.
 */
const usageOf = (raw: unknown): Usage | undefined => {
  if (!isObject(raw)) return undefined
  const counts = isObject(raw["billed_units"]) ? raw["billed_units"] : raw["tokens"]
  if (!isObject(counts) || isGarbage(counts["input_tokens"]) || isGarbage(counts["output_tokens"])) return undefined
  const usage = { ...noUsage, input: countOf(counts["input_tokens"]), output: countOf(counts["output_tokens"]) }
  return totalTokens(usage) === 0 ? undefined : usage
}

/** Cohere's own counts, which are not what is billed. */
const ownCounts = (raw: unknown): JsonObject => {
  if (!isObject(raw)) return {}
  const { cached_tokens: cached, tokens } = raw
  return {
    ...(isObject(tokens) ? { tokens } : {}),
    ...(typeof cached === "number" ? { cached_tokens: cached } : {})
  }
}
