/** A streamed message, whose events go on as they came. */
import type { JsonObject } from "../../../../core/domain/Json.ts"
import type { StreamEvent } from "../../../../core/operations/LiftedAnswer.ts"
import type { WireEvent } from "../../../../core/pool/Framing.ts"
import type { StreamLifter } from "../../../../core/pool/Protocol.ts"
import { mergeUsage, readUsage } from "../answer/Usage.ts"
import { reportedFailure } from "../Errors.ts"
import { parseJson } from "../../shared/BoundedJson.ts"
import { isObject, objectOf, textOf } from "../../shared/Json.ts"
import { servedAs } from "./Answer.ts"

export const stream = (): StreamLifter => new NativeStream()

const MALFORMED: ReadonlyArray<StreamEvent> = [{ kind: "malformed" }]

class NativeStream implements StreamLifter {
  private usage: JsonObject | undefined = undefined
  private finished = false
  private closed = false

  push({ data }: WireEvent): ReadonlyArray<StreamEvent> {
    if (this.closed || data.trim() === "") return []
    const event = parseJson(data)
    if (!isObject(event) || typeof event["type"] !== "string") return MALFORMED
    // One line for each event.
    return this.step(event, data.includes("\n") ? JSON.stringify(event) : data)
  }

  end(): ReadonlyArray<StreamEvent> {
    const due = !this.closed && this.finished ? this.told() : []
    this.closed = true
    return due
  }

  private step(event: JsonObject, data: string): ReadonlyArray<StreamEvent> {
    switch (event["type"]) {
      case "message_start": {
        const message = objectOf(event["message"])
        if (message === undefined) return MALFORMED
        this.usage = objectOf(message["usage"])
        return [{ kind: "lifecycle", data }]
      }
      case "content_block_start":
        return [{ kind: isEmpty(objectOf(event["content_block"])) ? "lifecycle" : "content", data }]
      case "content_block_delta":
        return [{ kind: "content", data }]
      case "message_delta":
        return this.delta(event, data)
      case "message_stop": {
        if (!this.finished) return MALFORMED
        this.closed = true
        return [{ kind: "lifecycle", data }, ...this.told(), { kind: "done" }]
      }
      case "error":
        this.closed = true
        return [{ kind: "failed", failure: reportedFailure(event) }]
      default:
        return [{ kind: "lifecycle", data }]
    }
  }

  private delta(event: JsonObject, data: string): ReadonlyArray<StreamEvent> {
    const usage = objectOf(event["usage"])
    if (usage !== undefined) this.usage = mergeUsage(this.usage, usage)
    if (textOf(objectOf(event["delta"])?.["stop_reason"]) === undefined) return [{ kind: "lifecycle", data }]
    this.finished = true
    return [{ kind: "finish", data }]
  }

  private told(): ReadonlyArray<StreamEvent> {
    const usage = readUsage(this.usage)
    return usage === undefined ? [] : [{ kind: "usage", usage, serviceTier: servedAs(this.usage), data: "" }]
  }
}

/** A block of text or thoughts begins without any. */
const isEmpty = (block: JsonObject | undefined): boolean =>
  block === undefined ||
  ((block["type"] === "text" || block["type"] === "thinking") &&
    textOf(block["text"]) === undefined &&
    textOf(block["thinking"]) === undefined)
