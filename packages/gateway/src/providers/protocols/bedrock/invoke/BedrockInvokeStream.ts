/** A model's own events, which `InvokeModelWithResponseStream` wraps in base64. */
import type { StreamEvent } from "../../../../core/operations/LiftedAnswer.ts"
import type { WireEvent } from "../../../../core/pool/Framing.ts"
import type { StreamLifter } from "../../../../core/pool/Protocol.ts"
import { parseJson } from "../../../json/BoundedJson.ts"
import { objectOf, textOf } from "../../../json/LooseJson.ts"
import { streamFailure } from "../BedrockErrors.ts"

const MALFORMED: ReadonlyArray<StreamEvent> = [{ kind: "malformed" }]
const NOTHING: ReadonlyArray<StreamEvent> = []

export class InvokedStream implements StreamLifter {
  private readonly inner: StreamLifter
  private closed = false

  constructor(inner: StreamLifter) {
    this.inner = inner
  }

  push({ data, kind }: WireEvent): ReadonlyArray<StreamEvent> {
    if (this.closed) return NOTHING
    const failure = streamFailure(kind, data)
    if (failure !== undefined) {
      this.closed = true
      return [{ kind: "failed", failure }]
    }
    if (kind !== "chunk") return NOTHING
    const bytes = textOf(objectOf(parseJson(data))?.["bytes"])
    if (bytes === undefined) return MALFORMED
    return this.inner.push({ kind: "", data: Buffer.from(bytes, "base64").toString("utf8") })
  }

  end(): ReadonlyArray<StreamEvent> {
    return this.closed ? NOTHING : this.inner.end()
  }
}
