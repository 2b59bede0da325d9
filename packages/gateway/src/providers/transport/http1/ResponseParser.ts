/**
 * Answers of HTTP/1.1, one after the other, read from a connection as the bytes come. It costs a call half of what undici takes:
 * `npm run bench:against` compares both. Undici's parser reads the same answers in the tests.
 */
import { ChunkedBody } from "./ChunkedBody.ts"
import { NO_HEAD, readHead, type ResponseHead } from "./ResponseHead.ts"

/** Who gets what is read. */
export interface ResponseReader {
  /** Notices (1xx) are left out. */
  onHead(head: ResponseHead): void
  /** Bytes of the body, the reader's to keep: one piece for each read of the connection. */
  onPiece(piece: Buffer): void
}

const LARGEST_HEAD = 16 * 1024
/** Who works on an answer may say so now and then. */
const MOST_NOTICES = 1_000
const CR = 13
const LF = 10
const END_OF_HEAD = Buffer.from("\r\n\r\n")
const BEGINNING = "HTTP/1."

export class ResponseParser {
  /** What is wrong with the answer, as a sentence about it. Nothing is read after that. */
  flaw: string | undefined
  /** The answer is complete. */
  isOver = false
  /** What came of a head whose end has not. */
  private part: Buffer | undefined
  private head: ResponseHead | undefined
  private notices = 0
  /** Bytes of a body of a known length that are still to come. */
  private left = 0
  private chunks: ChunkedBody | undefined

  /** For the next answer. */
  reset(): void {
    this.flaw = undefined
    this.isOver = false
    this.part = undefined
    this.head = undefined
    this.notices = 0
    this.chunks = undefined
  }

  /** How long the connection may be idle now, in ms; 0 where this was its last answer. */
  get keptAliveMs(): number {
    return this.isOver && this.head !== undefined ? this.head.keptAliveMs : 0
  }

  /**
   * Reads the first `size` bytes; they are not kept. Says how many of them belong to this answer: fewer than `size` only once it is
   * over, or has a flaw.
   */
  read(bytes: Buffer, size: number, reader: ResponseReader): number {
    if (this.part !== undefined) {
      const before = this.part.length
      const joined = Buffer.concat([this.part, bytes.subarray(0, size)])
      this.part = undefined
      return Math.max(0, this.readFrom(joined, joined.length, reader) - before)
    }
    return this.readFrom(bytes, size, reader)
  }

  /** The connection was closed. True where that is how the answer ends. */
  close(): boolean {
    this.isOver ||= this.head?.body === "until close"
    return this.isOver
  }

  private readFrom(bytes: Buffer, size: number, reader: ResponseReader): number {
    let at = 0
    while (at < size && !this.isOver && this.flaw === undefined) {
      at = this.head === undefined ? this.readHead(bytes, at, size, reader) : this.readBody(bytes, at, size, reader)
    }
    return at
  }

  private readHead(bytes: Buffer, from: number, size: number, reader: ResponseReader): number {
    // Some servers end a body with a line end of its own.
    const start = afterBlank(bytes, from, size)
    if (start === size) return size
    // Bytes beyond `size` are of an earlier read: an end that is found there is none.
    const end = bytes.indexOf(END_OF_HEAD, start)
    const isThere = end >= 0 && end + END_OF_HEAD.length <= size
    if ((isThere ? end : size) - start > LARGEST_HEAD) return this.broken("its head is larger than is accepted", start)
    if (!isThere) {
      const beginning = bytes.toString("latin1", start, Math.min(size, start + BEGINNING.length))
      const line = bytes.indexOf(LF, start)
      const isBare = line >= 0 && line < size && bytes[line - 1] !== CR
      if (isBare || !BEGINNING.startsWith(beginning)) return this.broken(NO_HEAD, start)
      this.part = Buffer.from(bytes.subarray(start, size))
      return size
    }
    const head = readHead(bytes.toString("latin1", start, end))
    if (typeof head === "string") return this.broken(head, start)
    if (head.status >= 200) this.begin(head, reader)
    else if (++this.notices > MOST_NOTICES) return this.broken("it has nothing but notices", start)
    return end + END_OF_HEAD.length
  }

  private begin(head: ResponseHead, reader: ResponseReader): void {
    this.head = head
    if (typeof head.body === "number") {
      this.left = head.body
      this.isOver = head.body === 0
    } else {
      this.left = Infinity
      if (head.body === "chunked") this.chunks = new ChunkedBody()
    }
    reader.onHead(head)
  }

  private readBody(bytes: Buffer, start: number, size: number, reader: ResponseReader): number {
    const { chunks } = this
    if (chunks === undefined) {
      const length = Math.min(this.left, size - start)
      const piece = Buffer.allocUnsafe(length)
      bytes.copy(piece, 0, start, start + length)
      this.left -= length
      this.isOver = this.left === 0
      reader.onPiece(piece)
      return start + length
    }
    const end = chunks.read(bytes, start, size)
    this.isOver = chunks.isOver
    const piece = chunks.take()
    if (piece !== undefined) reader.onPiece(piece)
    return chunks.flaw === undefined ? end : this.broken(chunks.flaw, end)
  }

  private broken(flaw: string, at: number): number {
    this.flaw = flaw
    return at
  }
}

/** Whether there is nothing but line ends from `start` on. */
export const isBlank = (bytes: Buffer, start: number, end: number): boolean => afterBlank(bytes, start, end) === end

const afterBlank = (bytes: Buffer, start: number, end: number): number => {
  let at = start
  while (at < end && (bytes[at] === CR || bytes[at] === LF)) at++
  return at
}
