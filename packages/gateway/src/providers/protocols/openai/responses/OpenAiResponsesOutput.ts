/** Responses as the caller gets them: with the gateway's own ids, and with what only this provider can read sealed. */
import type { JsonObject } from "../../../../core/domain/Json.ts"
import type { UpstreamCall } from "../../../../core/pool/Protocol.ts"
import { responseFrame } from "../../../responses/Frame.ts"
import type { OwnIds } from "../../../responses/LiftedIds.ts"
import { seal } from "../../../responses/Sealed.ts"
import { isObject, objectsIn } from "../../../json/LooseJson.ts"

export class OwnOutput {
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
