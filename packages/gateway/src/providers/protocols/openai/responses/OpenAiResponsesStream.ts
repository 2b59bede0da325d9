/** The stream of a response: each event goes on with the gateway's ids and a number of its own. */
import { tierNamed } from "../../../../core/domain/pricing/ServiceTier.ts"
import type { JsonObject } from "../../../../core/domain/Json.ts"
import type { StreamEvent } from "../../../../core/operations/LiftedAnswer.ts"
import type { UpstreamCall, StreamLifter } from "../../../../core/pool/Protocol.ts"
import { OwnIds } from "../../../responses/LiftedIds.ts"
import { JsonEvents } from "../../shared/JsonEvents.ts"
import { failureOfErrorObject } from "../OpenAiErrors.ts"
import { isObject, objectOr } from "../../../json/LooseJson.ts"
import { OwnOutput } from "./OpenAiResponsesOutput.ts"
import { failedResponse, responseUsage } from "./OpenAiResponsesUsage.ts"

export const stream = (call: UpstreamCall): StreamLifter => new ResponsesStream(call)

class ResponsesStream extends JsonEvents {
  private readonly call: UpstreamCall
  private readonly output: OwnOutput
  /** Items that are complete, by their place. */
  private readonly items = new Map<number, JsonObject>()
  private count = 0

  constructor(call: UpstreamCall) {
    super()
    this.call = call
    this.output = new OwnOutput(call, new OwnIds())
  }

  protected step(event: JsonObject, out: Array<StreamEvent>): boolean {
    const { error, response, type } = event
    if (type === "error" || (typeof type !== "string" && error !== undefined)) {
      const reported = isObject(error) ? error : { ...event, type: undefined }
      return this.fail(failureOfErrorObject(reported, "unavailable"), out)
    }
    if (type === "response.failed") return this.fail(failedResponse(objectOr(response), this.call), out)
    // Signs of life, and whatever else is no event of a response.
    if (typeof type === "string" && type.startsWith("response.")) out.push(...this.events(type, event))
    return true
  }

  private events(type: string, event: JsonObject): ReadonlyArray<StreamEvent> {
    switch (type) {
      case "response.completed":
      case "response.incomplete":
      case "response.done":
        return this.ended(type, objectOr(event["response"]))
      case "response.created":
      case "response.queued":
      case "response.in_progress":
        return [this.event("lifecycle", type, { response: this.output.response(objectOr(event["response"])) })]
      default:
        return [this.inside(type, event)]
    }
  }

  private inside(type: string, { sequence_number: _, type: __, ...event }: JsonObject): StreamEvent {
    const own = this.output.event(event)
    if (type === "response.output_item.done" && isObject(own["item"]) && typeof own["output_index"] === "number") {
      this.items.set(own["output_index"], own["item"])
    }
    const isSaid = type.endsWith(".delta") || (type === "response.output_item.done" && !isThought(own["item"]))
    return this.event(isSaid ? "content" : "lifecycle", type, own)
  }

  private ended(type: string, response: JsonObject): ReadonlyArray<StreamEvent> {
    this.closed = true
    const places = [...this.items.keys()].sort((a, b) => a - b)
    const items = places.map((place) => this.items.get(place)!)
    const name = type !== "response.done" ? type : `response.${String(response["status"] ?? "completed")}`
    const last = this.event("finish", name, { response: this.output.response(response, items) })
    const hasOutput = Array.isArray(response["output"]) && response["output"].length > 0
    const usage = responseUsage(hasOutput ? response : { ...response, output: items }, this.call)
    const serviceTier = tierNamed(response["service_tier"])
    return usage === undefined
      ? [last, { kind: "done" }]
      : [last, { kind: "usage", data: "", usage, serviceTier }, { kind: "done" }]
  }

  private event(kind: "lifecycle" | "content" | "finish", type: string, fields: JsonObject): StreamEvent {
    return { kind, data: JSON.stringify({ type, sequence_number: this.count++, ...fields }) }
  }
}

const isThought = (item: unknown): boolean => isObject(item) && item["type"] === "reasoning"
