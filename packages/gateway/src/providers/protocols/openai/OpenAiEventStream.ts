/** Streams whose events name their type in `type`, and whose last one says that the answer is complete: transcripts, speech. */
import type { WireEvent } from "../../../core/pool/Framing.ts"
import type { JsonObject } from "../../../core/domain/Json.ts"
import type { Usage } from "../../../core/domain/Usage.ts"
import type { StreamEvent } from "../../../core/operations/LiftedAnswer.ts"
import type { StreamLifter } from "../../../core/pool/Protocol.ts"
import { failureOfErrorObject } from "./OpenAiErrors.ts"
import { parseJson } from "../../json/BoundedJson.ts"
import { isObject } from "../../json/LooseJson.ts"

export interface Events {
  /** The type of the last event. */
  readonly last: string
  readonly usageOf: (event: JsonObject) => Usage | undefined
}

export class TypedEvents implements StreamLifter {
  private readonly events: Events
  private closed = false

  constructor(events: Events) {
    this.events = events
  }

  push({ data, kind }: WireEvent): ReadonlyArray<StreamEvent> {
    const text = data.trim()
    if (this.closed || text === "" || text === "[DONE]") return []
    const event = parseJson(text)
    if (!isObject(event)) return [{ kind: "malformed" }]
    const error = event["error"]
    if (kind === "error" || event["type"] === "error" || (error !== undefined && error !== null)) {
      this.closed = true
      return [{ kind: "failed", failure: failureOfErrorObject(isObject(error) ? error : event, "unavailable") }]
    }
    if (event["type"] !== this.events.last) return [{ kind: "content", data: text }]
    this.closed = true
    return lastEvents(text, this.events.usageOf(event))
  }

  end(): ReadonlyArray<StreamEvent> {
    return []
  }
}

/** What the last event says. */
export const lastEvents = (data: string, usage: Usage | undefined): ReadonlyArray<StreamEvent> => [
  { kind: "finish", data },
  ...(usage === undefined ? [] : [{ kind: "usage", data, usage } as const]),
  { kind: "done" }
]
