/** A streamed message, whose events go on as they came. */
import type { StreamLifter, LiftedAnswer, StreamEvent, WireEvent } from "../../../../core/pool/Protocol.ts"
import { mergeUsage, readUsage } from "../answer/AnthropicChatResponse.ts"
import { reportedFailure } from "../AnthropicErrors.ts"
import { parseJson } from "../../../json/BoundedJson.ts"
import { isObject, objectOf, textOf, type JsonObject } from "../../../json/LooseJson.ts"
import { Result } from "effect"
import { type ProviderFailure, truncated } from "../../../../core/domain/Failures.ts"
import { tierNamed } from "../../../../core/domain/pricing/ServiceTier.ts"
import { MALFORMED } from "../../shared/JsonEvents.ts"

export const stream = (): StreamLifter => new NativeStream()

const STOP = JSON.stringify({ type: "message_stop" })

class NativeStream implements StreamLifter {
  private usage: JsonObject | undefined = undefined
  private said = false
  private hasCalls = false
  private finished = false
  private closed = false

  push({ data }: WireEvent): ReadonlyArray<StreamEvent> {
    if (this.closed || data.trim() === "") return []
    const event = parseJson(data)
    if (!isObject(event) || typeof event["type"] !== "string") return MALFORMED
    // One line for each event.
    return this.step(event, data.includes("\n") ? JSON.stringify(event) : data)
  }

  end(): ReadonlyArray<StreamEvent> {
    const due = !this.closed && this.finished ? this.stopped(STOP) : []
    this.closed = true
    return due
  }

  private step(event: JsonObject, data: string): ReadonlyArray<StreamEvent> {
    switch (event["type"]) {
      case "message_start": {
        const message = objectOf(event["message"])
        if (message === undefined) return MALFORMED
        this.usage = objectOf(message["usage"])
        return [{ kind: "lifecycle", data }]
      }
      case "content_block_start":
        return [{ kind: this.isEmpty(objectOf(event["content_block"])) ? "lifecycle" : "content", data }]
      case "content_block_delta":
        this.said = true
        return [{ kind: "content", data }]
      case "message_delta":
        return this.delta(event, data)
      case "message_stop": {
        // A message that says nothing is no response.
        if (!this.finished && !this.said) return MALFORMED
        this.closed = true
        return this.finished ? this.stopped(data) : [this.reason(), ...this.stopped(data)]
      }
      case "error":
        this.closed = true
        return [{ kind: "failed", failure: reportedFailure(event) }]
      default:
        return [{ kind: "lifecycle", data }]
    }
  }

  /** Whether a block says nothing as it begins: those of text and thoughts mostly do. */
  private isEmpty(block: JsonObject | undefined): boolean {
    if (block?.["type"] === "tool_use") this.hasCalls = true
    const isText = block?.["type"] === "text" || block?.["type"] === "thinking"
    const isEmpty = isText && textOf(block["text"]) === undefined && textOf(block["thinking"]) === undefined
    this.said ||= block !== undefined && !isEmpty
    return block === undefined || isEmpty
  }

  private delta(event: JsonObject, data: string): ReadonlyArray<StreamEvent> {
    const usage = objectOf(event["usage"])
    if (usage !== undefined) this.usage = mergeUsage(this.usage, usage)
    if (textOf(objectOf(event["delta"])?.["stop_reason"]) === undefined) return [{ kind: "lifecycle", data }]
    this.finished = true
    return [{ kind: "finish", data }]
  }

  /** For a server that sends no stop reason. */
  private reason(): StreamEvent {
    const delta = { stop_reason: this.hasCalls ? "tool_use" : "end_turn", stop_sequence: null }
    return { kind: "finish", data: JSON.stringify({ type: "message_delta", delta }) }
  }

  /** `message_stop` and what follows it: servers that leave it out close the stream behind the stop reason. */
  private stopped(data: string): ReadonlyArray<StreamEvent> {
    return [{ kind: "lifecycle", data }, ...this.told(), { kind: "done" }]
  }

  private told(): ReadonlyArray<StreamEvent> {
    const usage = readUsage(this.usage)
    return usage === undefined ? [] : [{ kind: "usage", usage, serviceTier: servedAs(this.usage), data: "" }]
  }
}

export const lift = (text: string): Result.Result<LiftedAnswer, ProviderFailure> => {
  const body = parseJson(text)
  if (isObject(body) && body["type"] === "error") return Result.fail(reportedFailure(body))
  if (!isObject(body) || !Array.isArray(body["content"]) || !body["content"].every(isObject)) {
    return Result.fail(truncated("the provider's response is not a message"))
  }
  const usage = objectOf(body["usage"])
  return Result.succeed({ body, text, usage: readUsage(usage), serviceTier: servedAs(usage) })
}

/** What decides the price: Anthropic's fast mode and its data residency cost more, whatever the tier is. */
const servedAs = (usage: JsonObject | undefined): string | undefined => {
  if (usage?.["speed"] === "fast") return "fast"
  return usage?.["inference_geo"] === "us" ? "us" : tierNamed(usage?.["service_tier"])
}
