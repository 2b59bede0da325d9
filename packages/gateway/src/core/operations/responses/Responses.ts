import { responsesContent } from "@model-gateway/protocol"
import { Predicate } from "effect"
import type { JsonObject } from "../../domain/Json.ts"
import type { Usage } from "../../domain/Usage.ts"
import { EventRelay } from "../EventRelay.ts"
import type { BrokenBy, Operation } from "../Operation.ts"
import { notJson } from "../ParseFields.ts"
import type { RoutingMetadata } from "../RoutingMetadata.ts"
import { parseResponses } from "./ParseResponses.ts"
import { ProducedEvents, producedIn } from "./ProducedItems.ts"
import { answerText, withMetadata, withUsage } from "./ResponsesAnswerText.ts"

/**
 * Relays a streamed response. Its last event has the usage, so it waits for the settlement. One that broke off ends with the
 * vendor's `error` and `response.failed`.
 */
export class ResponsesRelay extends EventRelay {
  readonly produced = new ProducedEvents()

  /** The first event: it holds the response as it was begun. */
  private first: string | undefined
  /** The events of items that are complete. */
  private items: Array<string> = []
  /** The last event, which tells how the response ended. */
  private held: string | undefined
  private count = 0

  protected get isComplete(): boolean {
    return this.held !== undefined
  }

  protected lifecycle(data: string): string {
    this.produced.add(data)
    return this.shown(data)
  }

  protected content(data: string): string {
    return this.lifecycle(data)
  }

  protected finish(data: string): string {
    this.held = data
    return ""
  }

  ending(metadata: RoutingMetadata, usage: Usage): string {
    const last = JSON.parse(this.held!) as { readonly type: string; readonly response: JsonObject }
    return this.frame(last.type, JSON.stringify({ ...last, response: withMetadata(last.response, usage, metadata) }))
  }

  answer(usage: Usage): JsonObject {
    return withUsage((JSON.parse(this.held!) as { readonly response: JsonObject }).response, usage)
  }

  broken(error: BrokenBy): string | undefined {
    const begun = this.begun()
    if (begun === undefined) return undefined
    const output = this.items.map((data) => (JSON.parse(data) as JsonObject)["item"])
    return failedEvents(error, { ...begun, output }, this.count)
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

/** The end of a stream that broke off: `error`, then `response.failed`. Their numbers are `count` and the next one. */
export const failedEvents = (error: BrokenBy, response: JsonObject, count: number): string => {
  const { code, message, param } = error
  const reason = { code: code === "upstream_rate_limited" ? "rate_limit_exceeded" : "server_error", message }
  const failed = { ...response, status: "failed", error: reason }
  return [
    { type: "error", code, message, param, sequence_number: count, error },
    { type: "response.failed", response: failed, sequence_number: count + 1 }
  ]
    .map((event) => `event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`)
    .join("")
}

const START = '{"type":"'

/** Events are written with their type first. */
const typeOf = (data: string): string => data.slice(START.length, data.indexOf('"', START.length))

export const responses: Operation = {
  name: "responses",
  path: "/v1/responses",
  content: responsesContent,
  read: (body) => (body.kind === "json" ? parseResponses(body.value, body.bytes, body.long) : notJson()),
  produced: producedIn,
  withMetadata: answerText,
  relay: () => new ResponsesRelay()
}
