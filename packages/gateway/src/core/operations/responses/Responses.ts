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

export const responses: Operation = {
  name: "responses",
  path: "/v1/responses",
  content: responsesContent,
  read: (body) => (body.kind === "json" ? parseResponses(body.value, body.bytes, body.long) : notJson()),
  produced: producedIn,
  withMetadata: answerText,
  relay: () => new ResponsesRelay()
}
