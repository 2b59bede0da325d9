/** Responses, natively: the same language in and out. */
import { Result } from "effect"
import { truncated } from "../../../../core/domain/Failures.ts"
import { tierNamed } from "../../../../core/domain/pricing/ServiceTier.ts"
import { responseEvents } from "../../../../core/operations/responses/ResponseEvents.ts"
import type { Dialect, StreamLifter, UpstreamCall, StreamEvent } from "../../../../core/pool/Protocol.ts"
import { parseJson } from "../../../json/BoundedJson.ts"
import { isObject, objectOr, objectsIn, type JsonObject } from "../../../json/LooseJson.ts"
import { responseFrame } from "../../../responses/Frame.ts"
import { OwnIds } from "../../../responses/LiftedIds.ts"
import { seal } from "../../../responses/Sealed.ts"
import { JsonEvents } from "../../shared/JsonEvents.ts"
import { errorIn, failureOfErrorBody, failureOfErrorObject, noObject } from "../OpenAiErrors.ts"
import { lower } from "./OpenAiResponsesRequest.ts"
import { failedResponse, responseUsage } from "./OpenAiResponsesUsage.ts"

/** The stream of a response: each event goes on with the gateway's ids and a number of its own. */
const stream = (call: UpstreamCall): StreamLifter => new ResponsesStream(call)

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

/** Responses as the caller gets them: with the gateway's own ids, and with what only this provider can read sealed. */
class OwnOutput {
  private readonly call: UpstreamCall
  private readonly ids: OwnIds

  constructor(call: UpstreamCall, ids: OwnIds) {
    this.call = call
    this.ids = ids
  }

  item(item: JsonObject, place: number | undefined): JsonObject {
    const own = { ...item, id: this.ids.of(item["id"], place, item["type"]) }
    const { encrypted_content: encrypted, id } = item
    const isOpen = item["type"] === "reasoning" && Array.isArray(item["content"]) && item["content"].length > 0
    // Thoughts in plain words are this provider's own all the same: others refuse them.
    const content = typeof encrypted === "string" && encrypted !== "" ? encrypted : isOpen ? "" : undefined
    if (content === undefined) return own
    return { ...own, encrypted_content: seal(this.call, typeof id === "string" ? id : "", content) }
  }

  /** `items`: in place of its output, if it has none. */
  response(response: JsonObject, items?: ReadonlyArray<JsonObject>): JsonObject {
    const { request } = this.call
    const told = objectsIn(response["output"])
    const output = told.map((item, index) => this.item(item, item["id"] === undefined ? index : undefined))
    return {
      ...responseFrame(this.call, this.ids.response, response["model"]),
      ...withoutUndefined(response),
      id: this.ids.response,
      output: told.length === 0 && items !== undefined ? items : output,
      // The provider keeps nothing, whatever the caller asked of the gateway.
      store: request.body["store"] ?? true,
      previous_response_id: request.body["previous_response_id"] || null
    }
  }

  event(event: JsonObject): JsonObject {
    const place = typeof event["output_index"] === "number" ? event["output_index"] : undefined
    const { item, item_id: itemId } = event
    return {
      ...event,
      ...(isObject(item) ? { item: this.item(item, place) } : undefined),
      ...(itemId === undefined ? undefined : { item_id: this.ids.of(itemId, place, undefined) })
    }
  }
}

/** Several servers leave out what is null elsewhere. */
const withoutUndefined = (response: JsonObject): JsonObject =>
  Object.fromEntries(
    Object.entries(response).filter(([name, value]) => value !== undefined && !(value === null && name in NEVER_NULL))
  )

const NEVER_NULL = { metadata: true, tools: true, tool_choice: true, parallel_tool_calls: true }

const lift: Dialect["lift"] = (text, call) => {
  const raw = parseJson(text)
  if (!isObject(raw)) return Result.fail(noObject(text))
  const { status } = raw
  if (status === "failed" || status === "cancelled") return Result.fail(failedResponse(raw, call))
  const error = errorIn(raw)
  if (error !== undefined) return Result.fail(failureOfErrorBody(error, raw))
  if (status === "queued" || status === "in_progress") return Result.fail(truncated("the response is not complete"))
  if (!Array.isArray(raw["output"])) return Result.fail(truncated("the response has no output"))
  const body = new OwnOutput(call, new OwnIds()).response(raw)
  return Result.succeed({ body, usage: responseUsage(raw, call), serviceTier: tierNamed(raw["service_tier"]) })
}

export const OpenAiResponses: Dialect = { lower, lift, stream, replay: responseEvents }
