/** The stream of a response: each event goes on with the gateway's ids and a number of its own. */
import { tierNamed } from "../../../../core/domain/pricing/ServiceTier.ts"
import type { JsonObject } from "../../../../core/domain/Json.ts"
import type { WireEvent } from "../../../../core/pool/Framing.ts"
import type { StreamEvent } from "../../../../core/operations/LiftedAnswer.ts"
import type { UpstreamCall, StreamLifter } from "../../../../core/pool/Protocol.ts"
import { OwnIds } from "../../../responses/LiftedIds.ts"
import { failureOfErrorObject } from "../OpenAiErrors.ts"
import { parseJson } from "../../../json/BoundedJson.ts"
import { isObject, objectOr } from "../../../json/LooseJson.ts"
import { failedResponse } from "./OpenAiResponsesFailed.ts"
import { OwnOutput } from "./OpenAiResponsesOutput.ts"
import { responseUsage } from "./OpenAiResponsesUsage.ts"

export const stream = (call: UpstreamCall): StreamLifter => new ResponsesStream(call)

class ResponsesStream implements StreamLifter {
  private readonly call: UpstreamCall
  private readonly output: OwnOutput
  /** Items that are complete, by their place. */
  private readonly items = new Map<number, JsonObject>()
  private count = 0
  private closed = false

  constructor(call: UpstreamCall) {
    this.call = call
    this.output = new OwnOutput(call, new OwnIds())
  }

  push({ data }: WireEvent): ReadonlyArray<StreamEvent> {
    if (this.closed) return []
    const text = data.trim()
    // Some servers end with the mark of chat streams.
    if (text === "" || text === "[DONE]") return []
    const event = parseJson(text)
    if (!isObject(event)) return [{ kind: "malformed" }]
    const type = event["type"]
    if (typeof type !== "string" || type === "error") return this.unnamed(event)
    // Signs of life, and whatever else is no event of a response.
    if (!type.startsWith("response.")) return []
    switch (type) {
      case "response.failed":
        this.closed = true
        return [{ kind: "failed", failure: failedResponse(objectOr(event["response"]), this.call) }]
      case "response.completed":
      case "response.incomplete":
      case "response.done":
        return this.ended(type, objectOr(event["response"]))
      case "response.created":
      case "response.queued":
      case "response.in_progress":
        return [this.told("lifecycle", type, { response: this.output.response(objectOr(event["response"])) })]
      default:
        return [this.inside(type, event)]
    }
  }

  end(): ReadonlyArray<StreamEvent> {
    return []
  }

  private inside(type: string, { sequence_number: _, type: __, ...event }: JsonObject): StreamEvent {
    const own = this.output.event(event)
    if (type === "response.output_item.done" && isObject(own["item"]) && typeof own["output_index"] === "number") {
      this.items.set(own["output_index"], own["item"])
    }
    const isSaid = type.endsWith(".delta") || (type === "response.output_item.done" && !isThought(own["item"]))
    return this.told(isSaid ? "content" : "lifecycle", type, own)
  }

  private ended(type: string, response: JsonObject): ReadonlyArray<StreamEvent> {
    this.closed = true
    const places = [...this.items.keys()].sort((a, b) => a - b)
    const items = places.map((place) => this.items.get(place)!)
    const name = type !== "response.done" ? type : `response.${String(response["status"] ?? "completed")}`
    const last = this.told("finish", name, { response: this.output.response(response, items) })
    const hasOutput = Array.isArray(response["output"]) && response["output"].length > 0
    const usage = responseUsage(hasOutput ? response : { ...response, output: items }, this.call)
    const serviceTier = tierNamed(response["service_tier"])
    return usage === undefined
      ? [last, { kind: "done" }]
      : [last, { kind: "usage", data: "", usage, serviceTier }, { kind: "done" }]
  }

  private unnamed(event: JsonObject): ReadonlyArray<StreamEvent> {
    if (event["type"] !== "error" && event["error"] === undefined) return []
    this.closed = true
    const error = isObject(event["error"]) ? event["error"] : { ...event, type: undefined }
    return [{ kind: "failed", failure: failureOfErrorObject(error, "unavailable") }]
  }

  private told(kind: "lifecycle" | "content" | "finish", type: string, fields: JsonObject): StreamEvent {
    return { kind, data: JSON.stringify({ type, sequence_number: this.count++, ...fields }) }
  }
}

const isThought = (item: unknown): boolean => isObject(item) && item["type"] === "reasoning"
