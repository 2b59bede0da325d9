/** Streams whose events name their type in `type`, and whose last one says that the response is complete: transcripts, speech. */
import type { JsonObject } from "../../../core/domain/Json.ts"
import type { Usage } from "../../../core/domain/Usage.ts"
import type { StreamLifter, StreamEvent } from "../../../core/pool/Protocol.ts"
import { JsonEvents } from "../shared/JsonEvents.ts"
import { reportedIn } from "./OpenAiErrors.ts"

export class TypedEvents extends JsonEvents {
  private readonly last: string
  private readonly usageOf: (event: JsonObject) => Usage | undefined

  constructor(last: string, usageOf: (event: JsonObject) => Usage | undefined) {
    super()
    this.last = last
    this.usageOf = usageOf
  }

  protected step(event: JsonObject, out: Array<StreamEvent>, kind: string, data: string): boolean {
    const failure = reportedIn(event, kind)
    if (failure !== undefined) return this.fail(failure, out)
    this.closed = event["type"] === this.last
    out.push(...(this.closed ? lastEvents(data, this.usageOf(event)) : [{ kind: "content", data } as const]))
    return true
  }
}

export const lastEvents = (data: string, usage: Usage | undefined): ReadonlyArray<StreamEvent> => [
  { kind: "finish", data },
  ...(usage === undefined ? [] : [{ kind: "usage", data, usage } as const]),
  { kind: "done" }
]

export const unstreamed = (): StreamLifter => ({ push: () => [], end: () => [] })
