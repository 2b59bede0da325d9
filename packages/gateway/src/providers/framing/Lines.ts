/**
 * A JSON value a line (NDJSON), from bytes to events, as they arrive. The network may split lines anywhere, inside a UTF-8 sequence too; the
 * end of the last line may be missing.
 */
import { parseJson } from "../json/BoundedJson.ts"
import type { FrameDecoder, Framing, WireEvent } from "../../core/pool/Framing.ts"
import { MAX_EVENT_LENGTH } from "./Sse.ts"

const LF = 10

export class LineDecoder implements FrameDecoder {
  tooLong = false
  private readonly longest: number
  /** Pieces of a line whose end has not come. Line feeds are never part of a longer sequence. */
  private pieces: Array<Uint8Array> = []
  private length = 0

  constructor(longest: number = MAX_EVENT_LENGTH) {
    this.longest = longest
  }

  push(bytes: Uint8Array): ReadonlyArray<WireEvent> {
    const events: Array<WireEvent> = []
    let from = 0
    while (!this.tooLong) {
      const end = bytes.indexOf(LF, from)
      this.keep(bytes.subarray(from, end < 0 ? bytes.length : end))
      if (end < 0 || this.tooLong) break
      this.take(events)
      from = end + 1
    }
    return events
  }

  /** Half of a value is dropped: its missing part may have been the part that matters. */
  end(): ReadonlyArray<WireEvent> {
    const events: Array<WireEvent> = []
    if (!this.tooLong) this.take(events)
    return events.filter(({ data }) => parseJson(data) !== undefined)
  }

  /** Copied, as the network's buffers are used again. */
  private keep(piece: Uint8Array): void {
    if (piece.length === 0) return
    this.length += piece.length
    // A character has at most four bytes.
    if (this.length > this.longest * 4) this.tooLong = true
    else this.pieces.push(new Uint8Array(piece))
  }

  private take(events: Array<WireEvent>): void {
    const data = Buffer.concat(this.pieces)
      .toString("utf8")
      .replace(/^\uFEFF/, "")
      .trim()
    this.pieces = []
    this.length = 0
    if (data.length > this.longest) this.tooLong = true
    else if (data !== "") events.push({ kind: "", data })
  }
}

/** A complete response is one line, and so an event like any other. */
export const jsonLines: Framing = {
  mediaType: "application/x-ndjson",
  decoder: (longest) => new LineDecoder(longest)
}
