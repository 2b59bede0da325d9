import { wireUsage } from "../../../core/operations/chat/ChatAnswerText.ts"
import type { UpstreamCall, StreamEvent } from "../../../core/pool/Protocol.ts"
import { parseJson } from "../../json/BoundedJson.ts"
import { objectOr, objectsIn, type JsonObject } from "../../json/LooseJson.ts"
import { callOf, citation, completionId, detailOf, finishOf } from "./ChatToResponsesResult.ts"
import { ownItems } from "./ChatToResponsesOwnItems.ts"

/** An item of the output, and what was said of it. Whatever comes again in a `done` event or with the response is said once. */
interface Item {
  /** Undefined for items that are no calls. */
  call?: { readonly index: number; readonly isCustom: boolean }
  /** By kind and index. */
  readonly texts: Map<string, string>
  thoughts: number
  annotations: number
  hasDetail: boolean
  /** As it came last. */
  given: JsonObject | undefined
}

export class ResponseChunks {
  private readonly head: { id: string; object: string; created: number; model: unknown }
  private readonly silent: JsonObject
  private hasBegun = false
  private readonly byId = new Map<unknown, Item>()
  /** Some servers give an item another id in each event, others name no place. */
  private readonly byPlace = new Map<unknown, Item>()
  /** In the order of the output. */
  private readonly items: Array<Item> = []
  private calls = 0

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
        return this.event(objectOr(parseJson(event.data)), [])
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

  private event(event: JsonObject, out: Array<StreamEvent>): ReadonlyArray<StreamEvent> {
    const { content_index: index, delta, item: given, item_id: id, output_index: place, response, type } = event
    const item = () => this.item(id ?? objectOr(given)["id"], place)
    switch (type) {
      case "response.created":
      case "response.in_progress":
        this.begin(objectOr(response), out)
        break
      case "response.output_text.delta":
        this.text(item(), "content", index, delta, out, event["logprobs"])
        break
      case "response.refusal.delta":
        this.text(item(), "refusal", index, delta, out)
        break
      case "response.reasoning_text.delta":
        this.thought(item(), "content", index, delta, out)
        break
      case "response.reasoning_summary_text.delta":
        this.thought(item(), "summary", event["summary_index"], delta, out)
        break
      case "response.function_call_arguments.delta":
      case "response.custom_tool_call_input.delta":
        this.argument(item(), delta, out)
        break
      case "response.output_text.annotation.added":
        this.annotated(item(), [event["annotation"]], out)
        break
      case "response.content_part.done":
        this.part(item(), objectOr(event["part"]), index, out)
        break
      case "response.output_item.added":
        this.opened(item(), objectOr(given), out)
        break
      case "response.output_item.done":
        this.whole(item(), objectOr(given), out)
        break
      case "response.completed":
      case "response.incomplete":
        this.ended(objectOr(response), out)
        break
    }
    return out
  }

  private item(id: unknown, place: unknown): Item {
    const known = (id === undefined ? undefined : this.byId.get(id)) ?? this.byPlace.get(place)
    const item = known ?? { texts: new Map(), thoughts: 0, annotations: 0, hasDetail: false, given: undefined }
    if (known === undefined) this.items.push(item)
    if (id !== undefined) this.byId.set(id, item)
    if (place !== undefined) this.byPlace.set(place, item)
    return item
  }

  private begin({ model }: JsonObject, out: Array<StreamEvent>): void {
    if (this.hasBegun) return
    this.hasBegun = true
    this.head.model = model
    out.push(this.chunk("lifecycle", { role: "assistant", content: "", refusal: null }))
  }

  private text(
    item: Item,
    kind: "content" | "refusal",
    index: unknown,
    text: unknown,
    out: Array<StreamEvent>,
    logprobs?: unknown
  ): void {
    if (typeof text !== "string") return
    const key = `${kind} ${String(index ?? 0)}`
    item.texts.set(key, (item.texts.get(key) ?? "") + text)
    const told = objectsIn(logprobs)
    this.say({ [kind]: text }, out, told.length === 0 ? {} : { logprobs: { content: told, refusal: null } })
  }

  /** Parts of thoughts are apart by an empty line. */
  private thought(
    item: Item,
    kind: "content" | "summary",
    index: unknown,
    text: unknown,
    out: Array<StreamEvent>
  ): void {
    if (typeof text !== "string") return
    const key = `thought ${kind} ${String(index ?? 0)}`
    const said = item.texts.get(key)
    if (said === undefined && item.thoughts++ > 0) this.say({ reasoning_content: "\n\n" }, out)
    item.texts.set(key, (said ?? "") + text)
    this.say({ reasoning_content: text }, out)
  }

  private argument(item: Item, text: unknown, out: Array<StreamEvent>): void {
    const { call } = item
    if (call === undefined || typeof text !== "string" || text === "") return
    item.texts.set("call", (item.texts.get("call") ?? "") + text)
    const piece = call.isCustom ? { custom: { input: text } } : { function: { arguments: text } }
    this.say({ tool_calls: [{ index: call.index, ...piece }] }, out)
  }

  private annotated(item: Item, annotations: ReadonlyArray<unknown>, out: Array<StreamEvent>): void {
    item.annotations += annotations.length
    const cited = objectsIn(annotations).flatMap((one) => citation(one) ?? [])
    if (cited.length > 0) this.say({ annotations: cited }, out)
  }

  private opened(item: Item, given: JsonObject, out: Array<StreamEvent>): void {
    const call = callOf(given)
    if (call === undefined || item.call !== undefined) return
    item.call = { index: this.calls++, isCustom: call["type"] === "custom" }
    const { name } = given
    const empty = item.call.isCustom ? { custom: { name, input: "" } } : { function: { name, arguments: "" } }
    this.say({ tool_calls: [{ index: item.call.index, id: call["id"], type: call["type"], ...empty }] }, out)
  }

  /** Some servers tell texts or arguments only with the whole item, or with the complete response. */
  private whole(item: Item, given: JsonObject, out: Array<StreamEvent>): void {
    item.given = given
    this.opened(item, given, out)
    if (item.call !== undefined) this.argument(item, unsaid(item, "call", given["arguments"] ?? given["input"]), out)
    const contents = objectsIn(given["content"])
    if (given["type"] === "message") {
      for (const [index, part] of contents.entries()) this.part(item, part, index, out)
      const annotations = contents.flatMap((part) => objectsIn(part["annotations"]))
      this.annotated(item, annotations.slice(item.annotations), out)
    }
    if (given["type"] !== "reasoning") return
    for (const [index, part] of objectsIn(given["summary"]).entries())
      this.thought(item, "summary", index, unsaid(item, `thought summary ${index}`, part["text"]), out)
    for (const [index, part] of contents.entries())
      this.thought(item, "content", index, unsaid(item, `thought content ${index}`, part["text"]), out)
    const detail = detailOf(given)
    if (detail === undefined || item.hasDetail) return
    item.hasDetail = true
    out.push(this.chunk("lifecycle", { reasoning_details: [detail] }))
  }

  private part(item: Item, part: JsonObject, index: unknown, out: Array<StreamEvent>): void {
    const key = String(index ?? 0)
    const { logprobs, refusal, text, type } = part
    if (type === "output_text") this.text(item, "content", index, unsaid(item, `content ${key}`, text), out, logprobs)
    if (type === "refusal") this.text(item, "refusal", index, unsaid(item, `refusal ${key}`, refusal), out)
  }

  private ended(response: JsonObject, out: Array<StreamEvent>): void {
    for (const [place, given] of objectsIn(response["output"]).entries())
      this.whole(this.item(given["id"], place), given, out)
    const own = ownItems(this.items.flatMap(({ given }) => (given === undefined ? [] : [given])))
    if (own["extra_content"] !== undefined) out.push(this.chunk("lifecycle", own))
    out.push(this.chunk("finish", {}, finishOf(response, this.calls > 0)))
  }

  private say(delta: JsonObject, out: Array<StreamEvent>, more: JsonObject = {}): void {
    this.begin({ model: this.head.model }, out)
    out.push(this.chunk("content", delta, null, more))
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

const unsaid = (item: Item, key: string, text: unknown): string | undefined => {
  const said = item.texts.get(key) ?? ""
  return typeof text === "string" && text.length > said.length && text.startsWith(said)
    ? text.slice(said.length)
    : undefined
}
