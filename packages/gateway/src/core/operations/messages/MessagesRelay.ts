/** Relays one streamed message. Its last `message_delta` waits for the settlement and tells the exact cost. */
import { Predicate } from "effect"
import type { JsonObject } from "../../domain/Json.ts"
import { inputTokens, outputTokens, type Usage } from "../../domain/Usage.ts"
import { EventRelay } from "../EventRelay.ts"
import { KeptEvents, type Produced } from "../ProducedText.ts"
import { costInUsd, gatewayObject, type RoutingMetadata } from "../RoutingMetadata.ts"

/** Usage in Anthropic's shape, whose cached tokens come on top of `input_tokens`. */
export const wireUsage = (usage: Usage): JsonObject => {
  const written = usage.cacheWrite + usage.cacheWrite1h + usage.cacheWrite12h
  const cached = usage.cachedInput + usage.cachedAudioInput
  return {
    input_tokens: inputTokens(usage) - cached - written,
    cache_creation_input_tokens: written,
    cache_read_input_tokens: cached,
    output_tokens: outputTokens(usage),
    ...(usage.reasoning === 0 ? {} : { output_tokens_details: { thinking_tokens: usage.reasoning } })
  }
}

/** What a message or its stream has produced, for an estimate where the provider tells no usage. */
class ProducedMessage extends KeptEvents {
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

export class MessagesRelay extends EventRelay {
  readonly produced = new ProducedMessage()

  /** The last `message_delta`, and what followed it. */
  private held: Array<string> = []

  protected get isComplete(): boolean {
    return this.held.length > 0
  }

  protected lifecycle(data: string): string {
    if (this.held.length === 0) return frame(data)
    this.held.push(data)
    return ""
  }

  protected content(data: string): string {
    this.produced.add(data)
    return this.flush() + frame(data)
  }

  protected finish(data: string): string {
    const text = this.flush()
    this.held.push(data)
    return text
  }

  ending(metadata: RoutingMetadata, usage: Usage): string {
    const [last, ...rest] = this.held
    if (last === undefined) return ""
    const delta = JSON.parse(last) as JsonObject
    const told = (delta["usage"] as JsonObject | undefined) ?? wireUsage(usage)
    const complete = { ...delta, usage: { ...told, cost: costInUsd(metadata) }, gateway: gatewayObject(metadata) }
    return [JSON.stringify(complete), ...rest].map(frame).join("")
  }

  private flush(): string {
    if (this.held.length === 0) return ""
    const text = this.held.map(frame).join("")
    this.held = []
    return text
  }
}

const TYPE = /^\{\s*"type"\s*:\s*"([\w-]+)"/

/** Anthropic names each event by its type. */
const frame = (data: string): string => {
  const name = TYPE.exec(data)?.[1] ?? String((JSON.parse(data) as JsonObject)["type"])
  return `event: ${name}\ndata: ${data}\n\n`
}
