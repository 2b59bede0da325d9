/** Server-sent events, down to their data: any line end, comments, several data lines, split anywhere. */

import { MOST_OF_ANSWER } from "../connection/Body.ts"

/** Characters of one event: a picture in base64 fits, a line without an end does not. */
const MOST = 2 ** 25

export class TooLarge extends Error {}

export class SseParser {
  private readonly decoder = new TextDecoder()
  /** A line without its end, in the pieces that came. */
  private open: Array<string> = []
  private size = 0
  private total = 0
  private data: string | undefined
  private afterReturn = false

  /** The data of every event that is whole. */
  push(bytes: Uint8Array): Array<string> {
    this.total += bytes.byteLength
    if (this.total > MOST_OF_ANSWER) throw new TooLarge(`the stream is longer than ${MOST_OF_ANSWER} bytes`)
    const text = this.decoder.decode(bytes, { stream: true })
    const events: Array<string> = []
    let start = this.afterReturn && text.startsWith("\n") ? 1 : 0
    if (text !== "") this.afterReturn = false
    while (true) {
      const end = lineEnd(text, start)
      if (end < 0) break
      this.line(text.slice(start, end), events)
      const isReturn = text.charCodeAt(end) === 13
      start = end + 1
      if (isReturn && start === text.length) this.afterReturn = true
      else if (isReturn && text.charCodeAt(start) === 10) start++
    }
    if (start < text.length) this.keep(text.slice(start))
    return events
  }

  /** What is left when the bytes end: a last event without its empty line counts. */
  end(): Array<string> {
    const events: Array<string> = []
    this.line("", events)
    this.line("", events)
    return events
  }

  private line(rest: string, events: Array<string>): void {
    let line = rest
    if (this.open.length > 0) {
      this.keep(rest)
      line = this.open.join("")
      this.open = []
    }
    if (line.startsWith("data:")) {
      const value = line.slice(line.charCodeAt(5) === 32 ? 6 : 5)
      this.data = this.data === undefined ? value : `${this.data}\n${value}`
      if (this.data.length > MOST) throw tooLarge()
    } else if (line === "" && this.data !== undefined) {
      events.push(this.data)
      this.data = undefined
    }
    this.size = 0
  }

  private keep(piece: string): void {
    this.open.push(piece)
    this.size += piece.length
    if (this.size > MOST) throw tooLarge()
  }
}

const tooLarge = () => new TooLarge(`an event is longer than ${MOST} characters`)

const lineEnd = (text: string, from: number): number => {
  const feed = text.indexOf("\n", from)
  const back = text.indexOf("\r", from)
  if (feed < 0 || back < 0) return Math.max(feed, back)
  return Math.min(feed, back)
}
