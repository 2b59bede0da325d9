/** The legacy completions of OpenAI and of servers that speak like it. */
import { Result } from "effect"
import { type ProviderFailure, truncated, type Unsupported } from "../../../../core/domain/Failures.ts"
import type { LiftedAnswer, StreamEvent } from "../../../../core/operations/LiftedAnswer.ts"
import type { Dialect, StreamLifter, UpstreamCall, WireRequest, WireEvent } from "../../../../core/pool/Protocol.ts"
import { parseJson } from "../../../json/BoundedJson.ts"
import { isObject, objectOr, objectsIn, textOf, type JsonObject } from "../../../json/LooseJson.ts"
import { MALFORMED } from "../../shared/JsonEvents.ts"
import { finishReason, stoppedWith } from "../answer/OpenAiChatFinish.ts"
import { OpenChoices } from "../answer/OpenAiChatStream.ts"
import { newId, seconds } from "../answer/OpenAiChatRepair.ts"
import { isNative } from "../answer/OpenAiChatResponse.ts"
import { canonicalUsage, usageOf } from "../answer/OpenAiChatUsage.ts"
import { answerBody, failureOfErrorObject } from "../OpenAiErrors.ts"
import { forwarded, jsonRequest } from "../OpenAiForwarded.ts"
import { limitPrice } from "../request/OpenAiChatRequest.ts"

const lower = (call: UpstreamCall): Result.Result<WireRequest, Unsupported> => {
  const { maxOutput, request } = call
  const { body, splice } = forwarded(call)
  // Servers differ in what they write where no limit is named. The limit that was counted on is always sent.
  if (maxOutput !== undefined) body["max_tokens"] = maxOutput
  limitPrice(body, call)
  if (request.stream) body["stream_options"] = { ...objectOr(body["stream_options"]), include_usage: true }
  else delete body["stream_options"]
  return Result.succeed(jsonRequest("/completions", body, { splice, streams: request.stream }))
}

const lift: Dialect["lift"] = (text, call) =>
  Result.flatMap(answerBody(text), (body): Result.Result<LiftedAnswer, ProviderFailure> => {
    const choices = objectsIn(body["choices"])
    if (choices.length === 0 || !choices.every(({ text: one }) => typeof one === "string")) {
      return Result.fail(truncated("the response has no text"))
    }
    const usage = usageOf(body["usage"])
    const failed = failedIn(choices)
    if (failed !== undefined) return Result.fail(stoppedWith(failed, usage))
    if (isNative(call)) return Result.succeed({ body, text, usage })
    const { usage: raw, ...rest } = body
    const repaired = { ...rest, ...repairedHead(rest, call), choices: repairedChoices(choices, "stop") }
    return Result.succeed({
      body: usage === undefined ? repaired : { ...repaired, usage: canonicalUsage(objectOr(raw), usage) },
      usage
    })
  })

/** A complete response to a stream request: the text of each choice and its end, the usage, the end mark. */
const replay = ({ body, usage }: LiftedAnswer, call: UpstreamCall): ReadonlyArray<StreamEvent> => {
  const { choices, usage: told, ...head } = body
  const silent = call.request.includeUsage ? { usage: null } : {}
  const data = (choice: JsonObject) => JSON.stringify({ ...head, choices: [choice], ...silent })
  const events = objectsIn(choices).flatMap((choice): ReadonlyArray<StreamEvent> => [
    { kind: "content", data: data({ ...choice, finish_reason: null }) },
    { kind: "finish", data: data({ ...choice, text: "", logprobs: null }) }
  ])
  const last: ReadonlyArray<StreamEvent> =
    usage === undefined ? [] : [{ kind: "usage", usage, data: JSON.stringify({ ...head, choices: [], usage: told }) }]
  return [...events, ...last, { kind: "done" }]
}

class OpenAiCompletionsLifter implements StreamLifter {
  private readonly call: UpstreamCall
  /** One id, time and model for all chunks of a server that names none. */
  private head: JsonObject | undefined
  /** The usage of the complete response is the last one that is reported, and comes last. */
  private held: Extract<StreamEvent, { kind: "usage" }> | undefined
  private closed = false
  private said = false
  private readonly open = new OpenChoices()

  constructor(call: UpstreamCall) {
    this.call = call
  }

  push({ data, kind }: WireEvent): ReadonlyArray<StreamEvent> {
    if (this.closed) return []
    const text = data.trim()
    if (text === "") return []
    if (text === "[DONE]") return [...this.unfinished(), ...this.finished([{ kind: "done" }])]
    const chunk = parseJson(text)
    if (kind === "error") return this.failed(isObject(chunk) ? (chunk["error"] ?? chunk) : text)
    if (!isObject(chunk)) return MALFORMED
    if (chunk["error"] !== undefined && chunk["error"] !== null) return this.failed(chunk["error"])
    if (chunk["object"] === "error") return this.failed(chunk)
    return this.chunk(chunk)
  }

  end(): ReadonlyArray<StreamEvent> {
    return this.finished([])
  }

  private chunk({ choices: given, usage: told, ...rest }: JsonObject): ReadonlyArray<StreamEvent> {
    const { call } = this
    const choices = objectsIn(given)
    if (!isNative(call)) this.head ??= repairedHead(rest, call)
    const head = { ...rest, ...this.head }
    const usage = usageOf(told)
    if (usage !== undefined && isObject(told)) {
      const data = JSON.stringify({ ...head, choices: [], usage: canonicalUsage(told, usage) })
      this.held = { kind: "usage", usage, data }
    }
    if (choices.length === 0) return []
    const failed = failedIn(choices)
    if (failed !== undefined) return this.finished([{ kind: "failed", failure: stoppedWith(failed, usage) }])
    const shown = isNative(call) ? choices : repairedChoices(choices, null)
    const whole = { ...head, choices: shown }
    this.open.add(whole)
    const data = this.shown(whole)
    if (shown.some(({ finish_reason: reason }) => typeof reason === "string")) return [{ kind: "finish", data }]
    const isSaying = shown.some(({ text }) => text !== "")
    this.said ||= isSaying
    return [{ kind: isSaying ? "content" : "lifecycle", data }]
  }

  /** Some servers end with `[DONE]` and send no finish reason: the reason is added. A stream without content is no response. */
  private unfinished(): ReadonlyArray<StreamEvent> {
    if (!this.said) return []
    const chunks = this.open.finishes({ text: "", logprobs: null })
    return chunks.map((chunk) => ({ kind: "finish", data: this.shown(chunk) }))
  }

  private shown(chunk: JsonObject): string {
    return JSON.stringify(this.call.request.includeUsage ? { ...chunk, usage: null } : chunk)
  }

  private failed(error: unknown): ReadonlyArray<StreamEvent> {
    return this.finished([{ kind: "failed", failure: failureOfErrorObject(error, "unavailable") }])
  }

  private finished(events: ReadonlyArray<StreamEvent>): ReadonlyArray<StreamEvent> {
    this.closed = true
    const { held } = this
    this.held = undefined
    return held === undefined ? events : [held, ...events]
  }
}

/** The reason by which a choice says that the provider failed to make it. */
const failedIn = (choices: ReadonlyArray<JsonObject>): string | undefined =>
  choices
    .flatMap(({ finish_reason: reason }) => textOf(reason) ?? [])
    .find((reason) => finishReason(reason, false) === undefined)

const repairedHead = ({ created, id, model }: JsonObject, { deployment, now }: UpstreamCall): JsonObject => ({
  id: textOf(id) ?? newId(now).replace(/^chat/, ""),
  object: "text_completion",
  created: Number.isInteger(created) ? created : seconds(now),
  model: typeof model === "string" ? model : deployment.model
})

const repairedChoices = (choices: ReadonlyArray<JsonObject>, unnamed: "stop" | null): ReadonlyArray<JsonObject> =>
  choices.map((choice, at) => {
    const { index, logprobs, text } = choice
    const reason = textOf(choice["finish_reason"])
    return {
      ...choice,
      text: typeof text === "string" ? text : "",
      index: Number.isInteger(index) ? index : at,
      logprobs: logprobs ?? null,
      finish_reason: reason === undefined ? unnamed : completionReason(reason)
    }
  })

const completionReason = (reason: string): "stop" | "length" | "content_filter" => {
  const known = finishReason(reason, false)
  return known === "length" || known === "content_filter" ? known : "stop"
}

export const OpenAiCompletions: Dialect = {
  lower,
  lift,
  stream: (call) => new OpenAiCompletionsLifter(call),
  replay,
  idPrefix: "cmpl-"
}
