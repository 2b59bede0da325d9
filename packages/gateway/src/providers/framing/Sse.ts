/**
 * Server-sent events, from bytes to events, as they arrive.
 *
 * Accepts what real providers send: LF, CRLF and CR, a byte order mark, comments, `data:` over several lines, events split anywhere
 * (inside a UTF-8 sequence too), a missing blank line at the end. Made for one event per few hundred bytes: the usual shape,
 * `data: …` and a blank line, costs two searches and one slice.
 */
import { parseJson } from "../json/BoundedJson.ts"
import type { FrameDecoder, Framing, WireEvent } from "../../core/pool/Framing.ts"

/** Characters of one event, and so of one line, where an operation needs no more. An upstream that sends more is not believed. */
export const MAX_EVENT_LENGTH = 1024 * 1024

const LF = 10
const SPACE = 32

export class SseDecoder implements FrameDecoder {
  /** An event was longer than allowed: nothing after it is read. */
  tooLong = false

  private readonly longest: number

  private readonly utf8 = new TextDecoder("utf-8", { ignoreBOM: true })
  /** The last chunk ended, or may have ended, inside a UTF-8 sequence. */
  private openSequence = false
  private started = false
  private afterCarriageReturn = false
  /** Pieces of a line whose end has not come: joined once, however small they are. */
  private pieces: Array<string> = []
  private piecesLength = 0
  private data: Array<string> = []
  private dataLength = 0
  private event = ""

  constructor(longest: number = MAX_EVENT_LENGTH) {
    this.longest = longest
  }

  push(chunk: Uint8Array): ReadonlyArray<WireEvent> {
    if (chunk.length === 0 || this.tooLong) return []
    return this.read(this.normalised(this.decode(chunk)))
  }

  /**
   * The upstream closed. An event without its blank line still counts when it is whole; half of one is dropped: its missing part
   * may have been the part that matters.
   */
  end(): ReadonlyArray<WireEvent> {
    if (this.tooLong) return []
    const events: Array<WireEvent> = []
    if (this.piecesLength > 0) {
      const line = this.takePieces()
      this.field(line)
      if (!isWhole(this.data.join("\n"))) this.data = []
    }
    this.dispatch(events)
    return events
  }

  /** Node decodes whole sequences several times faster in one go than as a stream. */
  private decode(chunk: Uint8Array): string {
    const endsOpen = chunk[chunk.length - 1]! >= 0x80
    if (this.openSequence || endsOpen) {
      this.openSequence = endsOpen
      return this.utf8.decode(chunk, { stream: true })
    }
    return Buffer.from(chunk.buffer, chunk.byteOffset, chunk.byteLength).toString("utf8")
  }

  /** Without byte order mark, every line end a line feed. */
  private normalised(text: string): string {
    let out = text
    if (!this.started && out.length > 0) {
      this.started = true
      if (out.charCodeAt(0) === 0xfeff) out = out.slice(1)
    }
    if (this.afterCarriageReturn && out.length > 0) {
      this.afterCarriageReturn = false
      if (out.charCodeAt(0) === LF) out = out.slice(1)
    }
    if (!out.includes("\r")) return out
    this.afterCarriageReturn = out.endsWith("\r")
    return out.replace(/\r\n?/g, "\n")
  }

  private read(text: string): ReadonlyArray<WireEvent> {
    const events: Array<WireEvent> = []
    let start = 0
    let end = text.indexOf("\n")
    if (this.piecesLength > 0 && end >= 0) {
      this.piecesLength += end
      this.pieces.push(text.slice(0, end))
      if (this.piecesLength > this.longest) return this.giveUp(events)
      this.line(this.takePieces(), events)
      start = end + 1
      end = text.indexOf("\n", start)
    }
    while (end >= 0 && !this.tooLong) {
      if (this.isPlainEvent(text, start, end)) {
        events.push({ kind: "", data: text.slice(start + 6, end) })
        start = end + 2
      } else {
        this.line(text.slice(start, end), events)
        start = end + 1
      }
      end = text.indexOf("\n", start)
    }
    if (start < text.length && !this.tooLong) {
      this.pieces.push(start === 0 ? text : text.slice(start))
      this.piecesLength += text.length - start
      if (this.piecesLength > this.longest) return this.giveUp(events)
    }
    return events
  }

  /** `data: …` followed by a blank line, with no field read before it. */
  private isPlainEvent(text: string, start: number, end: number): boolean {
    return (
      text.charCodeAt(end + 1) === LF &&
      this.data.length === 0 &&
      this.event === "" &&
      text.startsWith("data: ", start) &&
      end - start <= this.longest
    )
  }

  private line(line: string, events: Array<WireEvent>): void {
    if (line === "") return this.dispatch(events)
    this.field(line)
    if (line.length > this.longest || this.dataLength > this.longest) this.giveUp(events)
  }

  /** Comments, `id` and `retry` mean nothing here. */
  private field(line: string): void {
    if (line.startsWith("data:")) {
      const value = line.slice(line.charCodeAt(5) === SPACE ? 6 : 5)
      this.data.push(value)
      this.dataLength += value.length + 1
    } else if (line.startsWith("event:")) {
      this.event = line.slice(line.charCodeAt(6) === SPACE ? 7 : 6)
    }
  }

  private dispatch(events: Array<WireEvent>): void {
    if (this.data.length > 0) {
      events.push({ kind: this.event, data: this.data.length === 1 ? this.data[0]! : this.data.join("\n") })
      this.data = []
      this.dataLength = 0
    }
    this.event = ""
  }

  private takePieces(): string {
    const line = this.pieces.length === 1 ? this.pieces[0]! : this.pieces.join("")
    this.pieces = []
    this.piecesLength = 0
    return line
  }

  private giveUp(events: ReadonlyArray<WireEvent>): ReadonlyArray<WireEvent> {
    this.tooLong = true
    this.pieces = []
    this.data = []
    return events
  }
}

const OPEN_LIST = 91
const OPEN_OBJECT = 123

export const serverSentEvents: Framing = {
  mediaType: "text/event-stream",
  // No line of an event stream begins so, and every JSON answer does.
  isWholeAnswer: (first) => first === OPEN_OBJECT || first === OPEN_LIST,
  decoder: (longest) => new SseDecoder(longest)
}

/** What an end mark or a JSON value looks like when nothing of it is missing. */
const isWhole = (data: string): boolean => {
  if (data.trim() === "[DONE]") return true
  return parseJson(data) !== undefined
}
