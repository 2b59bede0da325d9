/** Writes the stream of a response item by item: the only place that numbers events and opens and closes items. */
import { wireUsage } from "../../core/operations/responses/ResponsesAnswerText.ts"
import type { UpstreamCall, StreamEvent } from "../../core/pool/Protocol.ts"
import type { Usage } from "../../core/domain/Usage.ts"
import { isObject, type JsonObject } from "../json/LooseJson.ts"
import { CallItem, ImageItem, MessageItem, type OpenItem, type EmitEvent, ThoughtItem } from "./OpenItems.ts"
import { responseFrame } from "./Frame.ts"
import { ownId } from "../../core/operations/responses/OwnIds.ts"

/** The tiers that clients of responses know. Any other is told as the request had it. */
const TIERS = new Set(["default", "flex", "priority", "scale"])

export type ResponseEnding = "completed" | "max_output_tokens" | "content_filter"

export class ResponseWriter {
  private readonly call: UpstreamCall
  private readonly id = ownId("resp")
  private events: Array<StreamEvent> = []
  private begun: JsonObject | undefined
  private readonly output: Array<JsonObject> = []
  private open: OpenItem | undefined
  private count = 0

  constructor(call: UpstreamCall) {
    this.call = call
  }

  take(): ReadonlyArray<StreamEvent> {
    const { events } = this
    this.events = []
    return events
  }

  /** Does nothing if the response has begun. */
  begin(model: unknown): void {
    if (this.begun !== undefined) return
    this.begun = responseFrame(this.call, this.id, model)
    this.say("lifecycle", "created", { response: this.begun })
    this.say("lifecycle", "in_progress", { response: this.begun })
  }

  thought(): ThoughtItem {
    if (this.open instanceof ThoughtItem) return this.open
    const { reasoning } = this.call.request.body
    const asSummary = isObject(reasoning) && typeof reasoning["summary"] === "string" && reasoning["summary"] !== ""
    return this.opened(new ThoughtItem(this.sayFrom(), asSummary))
  }

  /** A thought that nobody but the provider can read. */
  sealed(blob: string): void {
    this.opened(new ThoughtItem(this.sayFrom(), true)).seal = () => blob
  }

  message(): MessageItem {
    return this.open instanceof MessageItem ? this.open : this.opened(new MessageItem(this.sayFrom()))
  }

  image(base64: string, format: string): void {
    this.opened(new ImageItem(this.sayFrom(), base64, format))
  }

  tool(item: Pick<CallItem, "callId" | "tool">): CallItem {
    return this.opened(new CallItem(this.sayFrom(), item.callId, item.tool))
  }

  /** Closes what is open. Undefined usage: the provider told none. */
  end(ending: ResponseEnding, usage: Usage | undefined, serviceTier: string | undefined): void {
    this.begin(undefined)
    this.close(ending === "completed" ? "completed" : "incomplete")
    const isComplete = ending === "completed"
    const response = {
      ...this.begun,
      status: isComplete ? "completed" : "incomplete",
      completed_at: isComplete ? Math.floor(this.call.now / 1000) : null,
      incomplete_details: isComplete ? null : { reason: ending },
      output: this.output,
      usage: usage === undefined ? null : wireUsage(usage),
      ...(serviceTier !== undefined && TIERS.has(serviceTier) ? { service_tier: serviceTier } : undefined)
    }
    this.say("finish", isComplete ? "completed" : "incomplete", { response })
    if (usage !== undefined) this.events.push({ kind: "usage", data: "", usage, serviceTier })
    this.events.push({ kind: "done" })
  }

  private opened<Item extends OpenItem>(item: Item): Item {
    this.begin(undefined)
    this.close("completed")
    this.open = item
    item.begin()
    return item
  }

  private close(status: "completed" | "incomplete"): void {
    if (this.open === undefined) return
    this.output.push(this.open.close(status))
    this.open = undefined
  }

  private sayFrom(): EmitEvent {
    // Whatever is open now will be in the output by then.
    const place = this.output.length + (this.open === undefined ? 0 : 1)
    return (kind, name, fields) => this.say(kind, name, { output_index: place, ...fields })
  }

  private say(kind: "lifecycle" | "content" | "finish", name: string, fields: JsonObject): void {
    const type = `response.${name}`
    this.events.push({ kind, data: JSON.stringify({ type, sequence_number: this.count++, ...fields }) })
  }
}
