/** What a response has produced so far, for an estimate if it is cut before its usage comes. */
import { Predicate } from "effect"
import type { JsonObject } from "../../domain/Json.ts"
import { KeptEvents, type Produced } from "../ProducedText.ts"

export class ProducedEvents extends KeptEvents {
  protected read(event: unknown): void {
    if (!Predicate.hasProperty(event, "type") || typeof event.type !== "string") return
    const { type } = event
    if (type.endsWith(".delta") && Predicate.hasProperty(event, "delta") && typeof event.delta === "string") {
      this.text += event.delta
      this.hasThoughts ||= type === "response.reasoning_text.delta"
    } else if (type === "response.output_item.added" && Predicate.hasProperty(event, "item")) {
      const name = callIn(event.item)
      if (name === undefined) return
      this.calls++
      this.text += name
    }
  }
}

/** The output of a complete response. */
export const producedIn = (body: JsonObject): Produced => {
  let text = ""
  let calls = 0
  let hasThoughts = false
  for (const item of listOf(body["output"])) {
    if (!Predicate.isObject(item)) continue
    const fields = item as JsonObject
    const name = callIn(item)
    if (name !== undefined) {
      calls++
      text += name + textOr(fields["arguments"]) + textOr(fields["input"])
    }
    for (const part of [...listOf(fields["summary"]), ...listOf(fields["content"])]) {
      if (!Predicate.isObject(part)) continue
      const { refusal, text: said, type } = part as JsonObject
      text += textOr(said) + textOr(refusal)
      hasThoughts ||= type === "reasoning_text"
    }
  }
  return { text, calls, hasThoughts }
}

/** The name that an item calls; undefined for items of other kinds. */
const callIn = (item: unknown): string | undefined =>
  Predicate.hasProperty(item, "name") && typeof item.name === "string" && Predicate.hasProperty(item, "call_id")
    ? item.name
    : undefined

const listOf = (value: unknown): ReadonlyArray<unknown> => (Array.isArray(value) ? value : [])
const textOr = (value: unknown): string => (typeof value === "string" ? value : "")
