/** The stream of a completion. Its chunks have the shape of the whole answer. */
import type { JsonObject } from "../../../../core/domain/Json.ts"
import type { StreamEvent } from "../../../../core/operations/LiftedAnswer.ts"
import type { StreamLifter, UpstreamCall } from "../../../../core/pool/Protocol.ts"
import type { WireEvent } from "../../../../core/pool/Framing.ts"
import { isNative } from "../answer/OpenAiChatResponse.ts"
import { stoppedWith } from "../answer/OpenAiChatFinish.ts"
import { canonicalUsage, usageOf } from "../answer/OpenAiChatUsage.ts"
import { OpenChoices } from "../answer/OpenAiChatOpenChoices.ts"
import { failureOfErrorObject } from "../OpenAiErrors.ts"
import { parseJson } from "../../../json/BoundedJson.ts"
import { isObject, objectsIn } from "../../../json/LooseJson.ts"
import { failedIn, repairedChoices, repairedHead } from "./OpenAiCompletionsRepair.ts"

type UsageEvent = Extract<StreamEvent, { kind: "usage" }>

export const stream = (call: UpstreamCall): StreamLifter => new OpenAiCompletionsLifter(call)

class OpenAiCompletionsLifter implements StreamLifter {
  private readonly call: UpstreamCall
  /** One id, time and model for all chunks of a server that names none. */
  private head: JsonObject | undefined
  /** The usage of the whole answer is the last one told, and told last. */
  private held: UsageEvent | undefined
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
    if (!isObject(chunk)) return [{ kind: "malformed" }]
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

  /** Some servers end with `[DONE]` and send no finish reason: the reason is added. A stream without content is no answer. */
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
