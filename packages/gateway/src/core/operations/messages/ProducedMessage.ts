/** What a message or its stream has produced, for an estimate where the provider tells no usage. */
import { Predicate, Result } from "effect"
import type { JsonObject } from "../../domain/Json.ts"
import type { Produced } from "../ProducedText.ts"

const MAX_KEPT_CHARACTERS = 256 * 1024

/** Keeps the events of a stream as they are, and reads them when asked; a very long answer is read on the way. */
export class ProducedMessage {
  private events: Array<string> = []
  private kept = 0
  private readonly sum = new MessageSum()

  /** `data`: the JSON of one event. */
  add(data: string): void {
    this.events.push(data)
    this.kept += data.length
    if (this.kept > MAX_KEPT_CHARACTERS) this.all()
  }

  all(): Produced {
    for (const data of this.events) {
      const event = Result.getOrUndefined(Result.try(() => JSON.parse(data) as unknown))
      if (Predicate.hasProperty(event, "content_block")) this.sum.block(event.content_block)
      if (Predicate.hasProperty(event, "delta")) this.sum.block(event.delta)
    }
    this.events = []
    this.kept = 0
    return this.sum
  }
}

/** The output of a complete message. */
export const producedIn = ({ content }: JsonObject): Produced => {
  const sum = new MessageSum()
  if (Array.isArray(content)) for (const block of content) sum.block(block)
  return sum
}

class MessageSum implements Produced {
  text = ""
  calls = 0
  hasThoughts = false

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
