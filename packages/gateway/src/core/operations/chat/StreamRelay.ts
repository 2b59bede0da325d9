/**
 * Relays one streamed answer: which events go on at once, which are held, and what the last one says.
 *
 * The cost of a stream is known only at its end. So its last data event waits for the settlement: the usage chunk if the caller
 * asked for one, else the chunk with the `finish_reason`. An end mark or finish reason is never invented.
 */
import type { JsonObject } from "../../domain/Json.ts"
import { type ProviderFailure, truncated } from "../../domain/Failures.ts"
import type { StreamEvent } from "../LiftedAnswer.ts"
import { wireUsage } from "./WireUsage.ts"
import type { OperationStream } from "../Operation.ts"
import { costInUsd, gatewayObject, type RoutingMetadata } from "../RoutingMetadata.ts"
import { ProducedText } from "../ProducedText.ts"
import type { Usage } from "../../domain/Usage.ts"

/** After more unreadable events than this the stream is taken to be broken. */
const MAX_MALFORMED = 8

export class StreamRelay implements OperationStream {
  /** The first content has come, or the end. From here on the caller sees the stream, and it can't fail over. */
  started = false
  usage: Usage | undefined
  /** The tier that the provider reports. */
  serviceTier: string | undefined
  failure: ProviderFailure | undefined
  readonly produced = new ProducedText()

  private readonly includeUsage: boolean
  /** Events from the last finish chunk on, which all wait. */
  private held: Array<string> = []
  private usageChunk: string | undefined
  private finished = false
  /** Choices that have not finished yet. */
  private unfinished: number
  private done = false
  private malformed = 0

  constructor(includeUsage: boolean, choices: number) {
    this.includeUsage = includeUsage
    this.unfinished = choices
  }

  /** Nothing more is needed from the upstream. */
  get isOver(): boolean {
    return this.failure !== undefined || this.done
  }

  /** Takes events; returns the server-sent events to write now, "" for none. */
  push(events: ReadonlyArray<StreamEvent>): string {
    let text = ""
    for (const event of events) {
      if (this.isOver) break
      switch (event.kind) {
        case "lifecycle":
          if (this.finished) this.held.push(event.data)
          else text += frame(event.data)
          break
        case "content":
          text += this.flush() + frame(event.data)
          this.started = true
          this.finished = false
          this.produced.add(event.data)
          break
        case "finish":
          text += this.flush()
          this.held.push(event.data)
          // Some providers put all content into the finish chunk.
          this.produced.add(event.data)
          this.started = true
          this.finished = true
          this.unfinished--
          break
        case "usage":
          this.usage = event.usage
          this.serviceTier = event.serviceTier
          this.usageChunk = event.data
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

  /** The upstream closed the stream. */
  close(): void {
    // A provider may make fewer choices than were asked for: its end mark then shows that the answer is complete.
    const isToldAll = this.unfinished <= 0 || this.done || this.usage !== undefined
    if (this.finished && isToldAll) return
    this.failure ??= truncated("the provider's stream ended before the answer did")
  }

  /**
   * The end of a complete answer: the held events, the last one with `gateway` and the cost, then the provider's end mark if it
   * sent one. `usage`: the estimated usage on the wire, for a caller that asked for it when the provider reported none.
   */
  last(gateway: JsonObject, cost: number | null, usage: JsonObject): string {
    const events = [...this.held]
    if (this.includeUsage) events.push(this.usageChunk ?? this.ownUsageChunk(usage))
    const last = JSON.parse(events.pop()!) as Record<string, unknown>
    if (this.includeUsage) last["usage"] = { ...(last["usage"] as JsonObject), cost }
    last["gateway"] = gateway
    return events.map(frame).join("") + frame(JSON.stringify(last)) + (this.done ? "data: [DONE]\n\n" : "")
  }

  ending(metadata: RoutingMetadata, usage: Usage): string {
    return this.last(gatewayObject(metadata), costInUsd(metadata), wireUsage(usage))
  }

  private ownUsageChunk(usage: JsonObject): string {
    const { choices: _, usage: __, ...rest } = JSON.parse(this.held.at(-1)!) as Record<string, unknown>
    return JSON.stringify({ ...rest, choices: [], usage })
  }

  /** With several choices there are several finish chunks; only the last one is held. */
  private flush(): string {
    if (this.held.length === 0) return ""
    const text = this.held.map(frame).join("")
    this.held = []
    return text
  }
}

const frame = (data: string): string => `data: ${data}\n\n`
