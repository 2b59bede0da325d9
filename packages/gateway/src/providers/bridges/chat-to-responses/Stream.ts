/** The stream of a response as the stream of a chat completion. */
import type { JsonObject } from "../../../core/domain/Json.ts"
import type { StreamEvent } from "../../../core/operations/LiftedAnswer.ts"
import { wireUsage } from "../../../core/operations/chat/WireUsage.ts"
import type { UpstreamCall } from "../../../core/pool/Protocol.ts"
import { parseJson } from "../../protocols/shared/BoundedJson.ts"
import { objectOr, objectsIn } from "../../protocols/shared/Json.ts"
import { callOf, citation, completionId, detailOf, finishOf } from "./Answer.ts"

/** A call that is being written. */
interface Call {
  readonly index: number
  readonly isCustom: boolean
  hasText: boolean
}

export class ResponseChunks {
  private readonly head: { id: string; object: string; created: number; model: unknown }
  private readonly silent: JsonObject
  private hasBegun = false
  /** By the id of their item. */
  private readonly calls = new Map<unknown, Call>()

  constructor({ now, request }: UpstreamCall) {
    const created = Math.floor(now / 1000)
    this.head = { id: completionId(), object: "chat.completion.chunk", created, model: request.model }
    this.silent = request.includeUsage ? { usage: null } : {}
  }

  push(event: StreamEvent): ReadonlyArray<StreamEvent> {
    switch (event.kind) {
      case "lifecycle":
      case "content":
      case "finish":
        return this.event(objectOr(parseJson(event.data)))
      case "usage": {
        const data = JSON.stringify({ ...this.head, choices: [], usage: wireUsage(event.usage) })
        return [{ ...event, data }]
      }
      default:
        return [event]
    }
  }

  end(): ReadonlyArray<StreamEvent> {
    return []
  }

  private event(event: JsonObject): ReadonlyArray<StreamEvent> {
    const { delta, item_id: id, response, type } = event
    switch (type) {
      case "response.created":
      case "response.in_progress":
        return this.begun(objectOr(response))
      case "response.output_text.delta": {
        const logprobs = objectsIn(event["logprobs"])
        return this.said(
          { content: delta },
          logprobs.length === 0 ? {} : { logprobs: { content: logprobs, refusal: null } }
        )
      }
      case "response.refusal.delta":
        return this.said({ refusal: delta })
      case "response.reasoning_text.delta":
      case "response.reasoning_summary_text.delta":
        return this.said({ reasoning_content: delta })
      case "response.reasoning_summary_part.added":
        return event["summary_index"] === 0 ? [] : this.said({ reasoning_content: "\n\n" })
      case "response.output_text.annotation.added": {
        const cited = citation(objectOr(event["annotation"]))
        return cited === undefined ? [] : this.said({ annotations: [cited] })
      }
      case "response.output_item.added":
        return this.opened(objectOr(event["item"]))
      case "response.function_call_arguments.delta":
      case "response.custom_tool_call_input.delta":
        return this.called(id, delta)
      case "response.output_item.done":
        return this.closed(objectOr(event["item"]))
      case "response.completed":
      case "response.incomplete":
        return [this.chunk("finish", {}, finishOf(objectOr(response), this.calls.size > 0))]
      default:
        return []
    }
  }

  private begun({ model }: JsonObject): ReadonlyArray<StreamEvent> {
    if (this.hasBegun) return []
    this.hasBegun = true
    this.head.model = model
    return [this.chunk("lifecycle", { role: "assistant", content: "", refusal: null })]
  }

  private opened(item: JsonObject): ReadonlyArray<StreamEvent> {
    const call = callOf(item)
    if (call === undefined) return []
    const known: Call = { index: this.calls.size, isCustom: call["type"] === "custom", hasText: false }
    this.calls.set(item["id"], known)
    const empty = known.isCustom
      ? { custom: { name: item["name"], input: "" } }
      : { function: { name: item["name"], arguments: "" } }
    return this.said({ tool_calls: [{ index: known.index, id: call["id"], type: call["type"], ...empty }] })
  }

  private called(id: unknown, text: unknown): ReadonlyArray<StreamEvent> {
    const call = this.calls.get(id)
    if (call === undefined || typeof text !== "string" || text === "") return []
    call.hasText = true
    const piece = call.isCustom ? { custom: { input: text } } : { function: { arguments: text } }
    return this.said({ tool_calls: [{ index: call.index, ...piece }] })
  }

  /** Some servers tell the arguments only with the whole item. */
  private closed(item: JsonObject): ReadonlyArray<StreamEvent> {
    const detail = detailOf(item)
    if (detail !== undefined) return [this.chunk("lifecycle", { reasoning_details: [detail] })]
    const call = this.calls.get(item["id"])
    return call === undefined || call.hasText ? [] : this.called(item["id"], item["arguments"] ?? item["input"])
  }

  private said(delta: JsonObject, more: JsonObject = {}): ReadonlyArray<StreamEvent> {
    return [...this.begun({ model: this.head.model }), this.chunk("content", delta, null, more)]
  }

  private chunk(
    kind: "lifecycle" | "content" | "finish",
    delta: JsonObject,
    finish: string | null = null,
    more: JsonObject = {}
  ): StreamEvent {
    const choices = [{ index: 0, delta, logprobs: null, ...more, finish_reason: finish }]
    return { kind, data: JSON.stringify({ ...this.head, choices, ...this.silent }) }
  }
}
