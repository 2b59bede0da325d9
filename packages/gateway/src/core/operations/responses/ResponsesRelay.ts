/**
 * Relays one streamed response. Its last event tells the usage, so it waits for the settlement and then tells the exact cost. A
 * response has no end mark. One that broke off ends with the vendor's `error` and `response.failed`.
 */
import { Predicate } from "effect"
import { type ProviderFailure, truncated } from "../../domain/Failures.ts"
import type { JsonObject } from "../../domain/Json.ts"
import type { Usage } from "../../domain/Usage.ts"
import type { StreamEvent } from "../LiftedAnswer.ts"
import type { BrokenBy, OperationStream } from "../Operation.ts"
import type { RoutingMetadata } from "../RoutingMetadata.ts"
import { withMetadata, withUsage } from "./AnswerText.ts"
import { ProducedEvents } from "./ProducedItems.ts"

/** After more unreadable events than this the stream is taken to be broken. */
const MAX_MALFORMED = 8

export class ResponsesRelay implements OperationStream {
  started = false
  usage: Usage | undefined
  serviceTier: string | undefined
  failure: ProviderFailure | undefined
  readonly produced = new ProducedEvents()

  /** The first event: it holds the response as it was begun. */
  private first: string | undefined
  /** The events of items that are complete. */
  private items: Array<string> = []
  /** The last event, which tells how the response ended. */
  private held: string | undefined
  private complete: JsonObject | undefined
  private count = 0
  private done = false
  private malformed = 0

  get isOver(): boolean {
    return this.failure !== undefined || this.done
  }

  push(events: ReadonlyArray<StreamEvent>): string {
    let text = ""
    for (const event of events) {
      if (this.isOver) break
      switch (event.kind) {
        case "lifecycle":
        case "content":
          text += this.shown(event.data)
          if (event.kind === "content") this.started = true
          this.produced.add(event.data)
          break
        case "finish":
          this.held = event.data
          this.started = true
          break
        case "usage":
          this.usage = event.usage
          this.serviceTier = event.serviceTier
          break
        case "failed":
          this.failure = event.failure
          break
        case "malformed":
          if (++this.malformed > MAX_MALFORMED) this.failure = truncated("the provider sent events that can't be read")
          break
        case "done":
          this.done = true
          break
      }
    }
    return text
  }

  close(): void {
    if (this.held === undefined) this.failure ??= truncated("the provider's stream ended before the answer did")
  }

  ending(metadata: RoutingMetadata, usage: Usage): string {
    const last = JSON.parse(this.held!) as { readonly type: string; readonly response: JsonObject }
    this.complete = withUsage(last.response, usage)
    return this.frame(last.type, JSON.stringify({ ...last, response: withMetadata(last.response, usage, metadata) }))
  }

  answer(): JsonObject | undefined {
    return this.complete
  }

  broken({ code, message, param }: BrokenBy): string {
    const error = { type: "error", code, message, param, sequence_number: this.count, error: { code, message, param } }
    const told = this.frame("error", JSON.stringify(error))
    const begun = this.begun()
    if (begun === undefined) return told
    const response = {
      ...begun,
      status: "failed",
      error: { code: code === "upstream_rate_limited" ? "rate_limit_exceeded" : "server_error", message },
      output: this.items.map((data) => (JSON.parse(data) as JsonObject)["item"])
    }
    const failed = { type: "response.failed", response, sequence_number: this.count }
    return told + this.frame(failed.type, JSON.stringify(failed))
  }

  private shown(data: string): string {
    const type = typeOf(data)
    this.first ??= data
    if (type === "response.output_item.done") this.items.push(data)
    return this.frame(type, data)
  }

  private frame(type: string, data: string): string {
    this.count++
    return `event: ${type}\ndata: ${data}\n\n`
  }

  private begun(): JsonObject | undefined {
    const event: unknown = this.first === undefined ? undefined : JSON.parse(this.first)
    return Predicate.hasProperty(event, "response") && Predicate.isObject(event.response)
      ? (event.response as JsonObject)
      : undefined
  }
}

const START = '{"type":"'

/** Events are written with their type first. */
const typeOf = (data: string): string => data.slice(START.length, data.indexOf('"', START.length))
