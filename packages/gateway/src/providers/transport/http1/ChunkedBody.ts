/**
 * A body in chunks (RFC 9112, 7.1), read as its bytes come. All that one read of the connection brought of it becomes one piece, whatever
 * chunks it came in: an event of a stream is often a chunk of its own, and those that came together are written on together.
 */
import { FIELD, TOKEN, whole } from "./Grammar.ts"

// Where the next byte stands.
const SIZE_START = 0
const SIZE = 1
const EXTENSION = 2
const SIZE_LF = 3
const CHUNK = 4
const CHUNK_CR = 5
const CHUNK_LF = 6
const TRAILER_START = 7
const TRAILER = 8
const TRAILER_LF = 9
const LAST_LF = 10
const OVER = 11

/** Bytes of the CR LF behind a chunk. */
const END_OF_CHUNK = 2

const CR = 13
const LF = 10
const SPACE = 32
const SEMICOLON = 59

/** 281 TB: what is larger is no size. */
const MOST_DIGITS = 12
/** Bytes of all trailers, and of what stands behind a size. */
const MOST_BESIDE = 16 * 1024

/** What may stand behind a size (RFC 9112, 7.1.1), and a trailer. Nothing reads them. */
const QUOTED = String.raw`"(?:[\t \x21\x23-\x5b\x5d-\x7e\x80-\xff]|\\[\t\x20-\x7e\x80-\xff])*"`
const EXTENSIONS = whole(String.raw`(?:[\t ]*;[\t ]*${TOKEN}(?:[\t ]*=[\t ]*(?:${TOKEN}|${QUOTED}))?)+`)
const TRAILER_FIELD = whole(FIELD)

export class ChunkedBody {
  /** What is wrong with it. Nothing is read after that. */
  flaw: string | undefined
  private at = SIZE_START
  /** Digits of the size so far. */
  private digits = 0
  /** Bytes of the chunk that are still to come. */
  private left = 0
  /** The line that is no part of the body, so far; and the bytes behind this size, or of all trailers. */
  private line = ""
  private beside = 0
  private piece: Buffer | undefined

  get isOver(): boolean {
    return this.at === OVER
  }

  /** What the last `read` brought. */
  take(): Buffer | undefined {
    const { piece } = this
    this.piece = undefined
    return piece
  }

  /** Reads from `start` to `end` at most, and says how far it came. */
  read(bytes: Buffer, start: number, end: number): number {
    let place = start
    let piece: Buffer | undefined
    let filled = 0
    while (place < end && this.at !== OVER && this.flaw === undefined) {
      if (this.at !== CHUNK) {
        this.step(bytes[place]!)
        place++
        continue
      }
      const size = Math.min(this.left, end - place)
      const rest = end - place
      // An event that comes alone: its chunk, and what ends it.
      piece ??= Buffer.allocUnsafe(rest <= size + END_OF_CHUNK ? size : rest)
      bytes.copy(piece, filled, place, place + size)
      filled += size
      place += size
      this.left -= size
      if (this.left === 0) this.at = CHUNK_CR
    }
    this.piece = piece === undefined ? undefined : fitted(piece, filled)
    return place
  }

  private step(byte: number): void {
    switch (this.at) {
      case SIZE_START:
      case SIZE:
        return this.sized(byte)
      case EXTENSION:
        return this.readLine(byte, EXTENSIONS, SIZE_LF)
      case SIZE_LF:
        return this.expect(byte === LF, this.left > 0 ? CHUNK : TRAILER_START)
      case CHUNK_CR:
        return this.expect(byte === CR, CHUNK_LF)
      case CHUNK_LF:
        this.digits = 0
        this.beside = 0
        return this.expect(byte === LF, SIZE_START)
      case TRAILER_START:
        if (byte === CR) {
          this.at = LAST_LF
          return
        }
        this.at = TRAILER
        return this.readLine(byte, TRAILER_FIELD, TRAILER_LF)
      case TRAILER:
        return this.readLine(byte, TRAILER_FIELD, TRAILER_LF)
      case TRAILER_LF:
        return this.expect(byte === LF, TRAILER_START)
      case LAST_LF:
        return this.expect(byte === LF, OVER)
    }
  }

  private sized(byte: number): void {
    const digit = digitOf(byte)
    if (digit >= 0) {
      this.left = this.at === SIZE_START ? digit : this.left * 16 + digit
      this.at = SIZE
      if (++this.digits > MOST_DIGITS) this.flaw = "a chunk's size is too large"
      return
    }
    if (this.at === SIZE && byte === CR) this.at = SIZE_LF
    else if (this.at === SIZE && (byte === SEMICOLON || byte === SPACE)) {
      this.at = EXTENSION
      this.readLine(byte, EXTENSIONS, SIZE_LF)
    } else this.flaw = "a chunk has no size"
  }

  private expect(isRight: boolean, next: number): void {
    if (isRight) this.at = next
    else this.flaw = "a chunk does not end where its size says"
  }

  private readLine(byte: number, grammar: RegExp, next: number): void {
    if (byte !== CR) {
      this.line += String.fromCharCode(byte)
      if (++this.beside > MOST_BESIDE) this.flaw = "there is too much beside its chunks"
      return
    }
    this.at = next
    if (!grammar.test(this.line)) this.flaw = "what stands beside its chunks is nothing that may"
    this.line = ""
  }
}

/** A small part would keep all of a large piece in memory. */
const fitted = (piece: Buffer, length: number): Buffer => {
  if (length === piece.length) return piece
  const part = piece.subarray(0, length)
  return 2 * length < piece.length ? Buffer.from(part) : part
}

/** −1 for what is no digit of a hexadecimal number. */
const digitOf = (byte: number): number => {
  if (byte >= 48 && byte <= 57) return byte - 48
  const small = byte | 32
  return small >= 97 && small <= 102 ? small - 87 : -1
}
