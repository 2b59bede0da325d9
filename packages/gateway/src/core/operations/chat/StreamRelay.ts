/**
 * One streamed answer on its way to the caller: which events go on at once, which are held, and what the last one says.
 *
 * The cost of a stream is known only at its end, so its last data event waits for the settlement: the usage chunk when the caller
 * asked for one, else the chunk with the `finish_reason`. No end mark and no finish reason is ever invented.
 */
import type { JsonObject } from "../../domain/Json.ts"
import { type ProviderFailure, truncated } from "../../domain/Failures.ts"
import type { StreamEvent } from "../LiftedAnswer.ts"
import { wireUsage } from "./WireUsage.ts"
import type { OperationStream } from "../Operation.ts"
import { costInUsd, gatewayObject, type RoutingMetadata } from "../RoutingMetadata.ts"
import { ProducedText } from "../ProducedText.ts"
import type { Usage } from "../../domain/Usage.ts"

/** A provider that sends more unreadable events than this is not believed any more. */
const MAX_MALFORMED = 8

export class StreamRelay implements OperationStream {
  /** The first content has come (or an end without any): from here on the caller sees it, and no other deployment can. */
  started = false
  usage: Usage | undefined
  /** As the provider says. */
  serviceTier: string | undefined
  failure: ProviderFailure | undefined
  readonly produced = new ProducedText()

  private readonly includeUsage: boolean
  /** From the last finish chunk on, everything waits. */
  private held: Array<string> = []
  private usageChunk: string | undefined
  private finished = false
  /** Choices that were asked for and have not finished yet. */
  private unfinished: number
  private done = false
  private malformed = 0

  constructor(includeUsage: boolean, choices: number) {
    this.includeUsage = includeUsage
    this.unfinished = choices
  }

  /** Nothing more is wanted of the upstream. */
  get isOver(): boolean {
    return this.failure !== undefined || this.done
  }

  /** Takes events in; the server-sent events to write now, "" for none. */
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
          // Some providers say it all with their finish.
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

  /** The upstream closed. */
  close(): void {
    // A provider that goes on to its end mark may have made fewer choices than were asked for.
    const isToldAll = this.unfinished <= 0 || this.done || this.usage !== undefined
    if (this.finished && isToldAll) return
    this.failure ??= truncated("the provider's stream ended before the answer did")
  }

  /**
   * The end of a whole answer: the held events, the last of them with `gateway` and with the cost in its usage, and the provider's
   * end mark where one came. `usage`: the wire form of what was counted here, for a caller that asked when the provider was silent.
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

  /** With several choices there are several finish chunks: all but the last go on. */
  private flush(): string {
    if (this.held.length === 0) return ""
    const text = this.held.map(frame).join("")
    this.held = []
    return text
  }
}

const frame = (data: string): string => `data: ${data}\n\n`
