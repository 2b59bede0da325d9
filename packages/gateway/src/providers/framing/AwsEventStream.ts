/**
 * `application/vnd.amazon.eventstream`, from bytes to events, as they arrive. A message is a prelude (its length, the length of its
 * headers, their checksum), typed headers, a payload, and the checksum of all of it:
 * https://docs.aws.amazon.com/AmazonS3/latest/API/RESTSelectObjectAppendix.html and https://smithy.io/2.0/aws/amazon-eventstream.html
 * (2026-11-22). A checksum that does not fit ends the stream: what follows can't be trusted to begin where it seems to.
 */
import { crc32 } from "node:zlib"
import type { FrameDecoder, Framing, WireEvent } from "../../core/pool/Framing.ts"
import { kindOf } from "./EventHeaders.ts"
import { MAX_EVENT_LENGTH } from "./Sse.ts"

/** Two lengths and their checksum. */
const PRELUDE = 12
const CHECKSUM = 4
const LEAST = PRELUDE + CHECKSUM

const NOTHING: ReadonlyArray<WireEvent> = []

export class EventStreamDecoder implements FrameDecoder {
  /** A message was longer than allowed: nothing after it is read. */
  tooLong = false
  /** Why nothing more is read. */
  broken: string | undefined = undefined

  private readonly longest: number
  /** Pieces of a message whose end has not come: joined once, however small they are. */
  private pieces: Array<Uint8Array> = []
  private size = 0
  /** Bytes that are needed before the next step: a prelude, or a whole message. */
  private wanted = PRELUDE
  /** The headers of the last message: nearly all of a stream have the same. */
  private lastKey = ""
  private lastKind: string | undefined = undefined

  constructor(longest: number = MAX_EVENT_LENGTH) {
    this.longest = longest
  }

  push(chunk: Uint8Array): ReadonlyArray<WireEvent> {
    if (chunk.length === 0 || this.tooLong || this.broken !== undefined) return NOTHING
    this.pieces.push(chunk)
    this.size += chunk.length
    return this.size < this.wanted ? NOTHING : this.read(this.joined())
  }

  /** Half a message is dropped: it can't be told from a wrong one. */
  end(): ReadonlyArray<WireEvent> {
    return NOTHING
  }

  private joined(): Buffer {
    const [first] = this.pieces
    if (this.pieces.length !== 1 || first === undefined) return Buffer.concat(this.pieces)
    return Buffer.from(first.buffer, first.byteOffset, first.byteLength)
  }

  private read(bytes: Buffer): ReadonlyArray<WireEvent> {
    const events: Array<WireEvent> = []
    let at = 0
    this.wanted = PRELUDE
    while (bytes.length - at >= PRELUDE) {
      const length = bytes.readUInt32BE(at)
      if (crc32(bytes.subarray(at, at + 8)) !== bytes.readUInt32BE(at + 8))
        return this.giveUp(events, "the lengths of an event don't fit their checksum")
      if (length > this.longest) {
        this.tooLong = true
        return this.giveUp(events, undefined)
      }
      if (length < LEAST) return this.giveUp(events, "an event is shorter than its own frame")
      if (bytes.length - at < length) {
        this.wanted = length
        break
      }
      const end = at + length - CHECKSUM
      if (crc32(bytes.subarray(at, end)) !== bytes.readUInt32BE(end)) {
        return this.giveUp(events, "an event does not fit its checksum")
      }
      const headersEnd = at + PRELUDE + bytes.readUInt32BE(at + 4)
      const kind = headersEnd > end ? undefined : this.kind(bytes, at + PRELUDE, headersEnd)
      if (kind === undefined) return this.giveUp(events, "the headers of an event can't be read")
      events.push({ kind, data: bytes.toString("utf8", headersEnd, end) })
      at += length
    }
    this.pieces = at === bytes.length ? [] : [bytes.subarray(at)]
    this.size = bytes.length - at
    return events
  }

  private kind(bytes: Buffer, from: number, to: number): string | undefined {
    const key = bytes.toString("latin1", from, to)
    if (key === this.lastKey) return this.lastKind
    const kind = kindOf(bytes.subarray(from, to))
    this.lastKey = key
    this.lastKind = kind
    return kind
  }

  private giveUp(events: ReadonlyArray<WireEvent>, why: string | undefined): ReadonlyArray<WireEvent> {
    this.broken = why
    this.pieces = []
    this.size = 0
    return events
  }
}

const OPEN_OBJECT = 123

export const eventStream: Framing = {
  mediaType: "application/vnd.amazon.eventstream",
  // A message that began so would be two gigabytes long.
  isWholeAnswer: (first) => first === OPEN_OBJECT,
  decoder: (longest) => new EventStreamDecoder(longest)
}
