/** The events of several streams with a choice each, as those of one stream: one id, choices numbered, one usage, one end. */
import type { JsonObject } from "../../core/domain/Json.ts"
import { plus, type Usage } from "../../core/domain/Usage.ts"
import { wireUsage } from "../../core/operations/chat/ChatWireUsage.ts"
import type { StreamEvent } from "../../core/operations/LiftedAnswer.ts"
import { objectsIn } from "../json/LooseJson.ts"

export class MergedChoices {
  private readonly count: number
  /** What all chunks of one answer have in common, from the first of any stream. */
  private head: JsonObject | undefined
  private usage: Usage | undefined
  private told = 0
  private finished = 0
  private done = 0
  /** A chunk without choices. */
  private template: JsonObject = {}
  private readonly tiers = new Set<string | undefined>()

  constructor(count: number) {
    this.count = count
  }

  /** An event of the stream of choice `index`; undefined where it is held for the end. */
  step(event: StreamEvent, index: number): StreamEvent | undefined {
    switch (event.kind) {
      case "done":
        this.done++
        return undefined
      case "usage":
        this.usage = this.usage === undefined ? event.usage : plus(this.usage, event.usage)
        this.told++
        this.tiers.add(event.serviceTier)
        this.template = JSON.parse(event.data)
        return undefined
      case "lifecycle":
      case "content":
      case "finish":
        if (event.kind === "finish") this.finished++
        return { kind: event.kind, data: JSON.stringify(this.numbered(JSON.parse(event.data), index)) }
      default:
        return event
    }
  }

  /** What follows the last event of all. A choice without its finish leaves the answer without an end. */
  end(): ReadonlyArray<StreamEvent> {
    if (this.finished < this.count) return []
    const events: Array<StreamEvent> = []
    if (this.usage !== undefined && this.told === this.count) {
      const data = JSON.stringify({ ...this.template, ...this.head, choices: [], usage: wireUsage(this.usage) })
      const [serviceTier, ...others] = this.tiers
      events.push({
        kind: "usage",
        data,
        usage: this.usage,
        serviceTier: others.length === 0 ? serviceTier : undefined
      })
    }
    if (this.done === this.count) events.push({ kind: "done" })
    return events
  }

  private numbered(chunk: JsonObject, index: number): JsonObject {
    this.head ??= { id: chunk["id"], created: chunk["created"], model: chunk["model"] }
    return { ...chunk, ...this.head, choices: objectsIn(chunk["choices"]).map((choice) => ({ ...choice, index })) }
  }
}
