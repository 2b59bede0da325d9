/** Streamed images: previews, then an event with the complete image and what it used. */
import type { JsonObject } from "../../../../core/domain/Json.ts"
import { truncated } from "../../../../core/domain/Failures.ts"
import { plus, type Usage } from "../../../../core/domain/Usage.ts"
import type { LiftedAnswer, StreamEvent } from "../../../../core/operations/LiftedAnswer.ts"
import type { StreamLifter, UpstreamCall } from "../../../../core/pool/Protocol.ts"
import type { WireEvent } from "../../../../core/pool/Framing.ts"
import { failureOfErrorObject } from "../OpenAiErrors.ts"
import { parseJson } from "../../../json/BoundedJson.ts"
import { isObject, objectsIn } from "../../../json/LooseJson.ts"
import { imagesUsage } from "./OpenAiImagesUsage.ts"

export const stream = (call: UpstreamCall): StreamLifter => new ImagesStream(call)

class ImagesStream implements StreamLifter {
  private readonly call: UpstreamCall
  private completed = 0
  private usage: Usage | undefined
  /** Every complete image so far told its usage. */
  private isTold = true
  private isClosed = false

  constructor(call: UpstreamCall) {
    this.call = call
  }

  push({ data, kind }: WireEvent): ReadonlyArray<StreamEvent> {
    if (this.isClosed) return []
    const text = data.trim()
    if (text === "") return []
    if (text === "[DONE]") return [...this.end(), { kind: "done" }]
    const event = parseJson(text)
    if (!isObject(event)) return [{ kind: "malformed" }]
    const { error, type } = event
    if (kind === "error" || type === "error" || (error !== undefined && error !== null)) {
      this.isClosed = true
      return [{ kind: "failed", failure: failureOfErrorObject(isObject(error) ? error : event, "unavailable") }]
    }
    const name = typeof type === "string" ? type : kind
    if (name.endsWith(".partial_image")) return [{ kind: hasImage(event) ? "content" : "lifecycle", data: text }]
    if (!name.endsWith(".completed")) return [{ kind: "lifecycle", data: text }]
    return hasImage(event) ? this.finished(event, text) : [{ kind: "malformed" }]
  }

  end(): ReadonlyArray<StreamEvent> {
    if (this.isClosed) return []
    this.isClosed = true
    return this.isTold && this.usage !== undefined ? [{ kind: "usage", data: "", usage: this.usage }] : []
  }

  private finished(event: JsonObject, data: string): ReadonlyArray<StreamEvent> {
    this.completed++
    const told = imagesUsage(event["usage"], 1, this.call)
    if (told === undefined) this.isTold = false
    else this.usage = this.usage === undefined ? told : plus(this.usage, told)
    const finish: StreamEvent = { kind: "finish", data }
    return this.completed < this.call.request.choices ? [finish] : [finish, ...this.end()]
  }
}

const hasImage = ({ b64_json: base64 }: JsonObject): boolean => typeof base64 === "string" && base64 !== ""

/** A provider that does not stream answers with all images at once. */
export const replay = (
  { body, usage }: LiftedAnswer,
  { now }: UpstreamCall,
  prefix: string
): ReadonlyArray<StreamEvent> => {
  const { background, created, data, output_format: format, quality, size, usage: told } = body
  const images = objectsIn(data)
  if (!images.every(hasImage)) {
    return [
      { kind: "failed", failure: truncated("the provider responded to a stream request with addresses of images") }
    ]
  }
  const events = images.map(({ b64_json: base64 }, index): StreamEvent => {
    const event = {
      type: `${prefix}.completed`,
      b64_json: base64,
      created_at: created ?? Math.floor(now / 1000),
      size: size ?? "auto",
      quality: quality ?? "auto",
      background: background ?? "auto",
      output_format: format ?? "png",
      // It is that of all images, and told once.
      ...(index === images.length - 1 && isObject(told) ? { usage: told } : undefined)
    }
    return { kind: "finish", data: JSON.stringify(event) }
  })
  return usage === undefined ? events : [...events, { kind: "usage", data: "", usage }]
}
