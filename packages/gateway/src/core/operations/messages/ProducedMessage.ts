/** What a message or its stream has produced, for an estimate where the provider tells no usage. */
import { Predicate } from "effect"
import type { JsonObject } from "../../domain/Json.ts"
import { KeptEvents, type Produced } from "../ProducedText.ts"

export class ProducedMessage extends KeptEvents {
  protected read(event: unknown): void {
    if (Predicate.hasProperty(event, "content_block")) this.block(event.content_block)
    if (Predicate.hasProperty(event, "delta")) this.block(event.delta)
  }

  block(block: unknown): void {
    if (!Predicate.isObject(block)) return
    const fields = block as JsonObject
    for (const name of ["text", "thinking", "partial_json"]) {
      const value = fields[name]
      if (typeof value === "string") this.text += value
    }
    const { input, name, thinking } = fields
    if (typeof thinking === "string" && thinking !== "") this.hasThoughts = true
    if (typeof name !== "string") return
    this.calls++
    this.text += name
    // A stream's block begins with an empty input.
    if (Predicate.isObject(input) && Object.keys(input).length > 0) this.text += JSON.stringify(input)
  }
}

/** The output of a complete message. */
export const producedIn = ({ content }: JsonObject): Produced => {
  const sum = new ProducedMessage()
  if (Array.isArray(content)) for (const block of content) sum.block(block)
  return sum
}
