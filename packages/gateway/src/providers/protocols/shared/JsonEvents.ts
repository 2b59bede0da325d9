import type { ProviderFailure } from "../../../core/domain/Failures.ts"
import type { StreamLifter, UpstreamCall, StreamEvent, WireEvent } from "../../../core/pool/Protocol.ts"
import { parseJson } from "../../json/BoundedJson.ts"
import { isObject, type JsonObject } from "../../json/LooseJson.ts"

export const MALFORMED: ReadonlyArray<StreamEvent> = [{ kind: "malformed" }]

export abstract class JsonEvents implements StreamLifter {
  /** Nothing can follow. */
  protected closed = false

  push({ data, kind }: WireEvent): ReadonlyArray<StreamEvent> {
    const text = data.trim()
    if (this.closed || text === "" || text === "[DONE]") return []
    const event = parseJson(text)
    const out: Array<StreamEvent> = []
    return isObject(event) && this.step(event, out, kind, text) ? out : MALFORMED
  }

  end(): ReadonlyArray<StreamEvent> {
    return []
  }

  /** Adds what an event says to `out`; false when it makes no sense. `kind`: the event's name. */
  protected abstract step(event: JsonObject, out: Array<StreamEvent>, kind: string, text: string): boolean

  protected fail(failure: ProviderFailure, out: Array<StreamEvent>): true {
    this.closed = true
    out.push({ kind: "failed", failure })
    return true
  }
}

/** Events of the response to one call. */
export abstract class CallEvents extends JsonEvents {
  protected readonly call: UpstreamCall

  constructor(call: UpstreamCall) {
    super()
    this.call = call
  }
}
