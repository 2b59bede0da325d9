/** Server-sent events, down to their data: any line end, comments, several data lines, split anywhere. */
import type { Deadline } from "../connection/Deadline.ts"

/** Turns text in pieces into the data of whole events. */
export class SseParser {
  private rest = ""
  private data: Array<string> = []

  push(text: string): ReadonlyArray<string> {
    // A carriage return at the very end may be half of a line end.
    const lines = (this.rest + text).split(/\r\n|\n|\r(?!$)/)
    this.rest = lines.pop() ?? ""
    return this.take(lines)
  }

  /** What is left when the bytes end: a last event without its empty line counts. */
  end(): ReadonlyArray<string> {
    const last = this.rest.replace(/\r$/, "")
    this.rest = ""
    return this.take([last, ""])
  }

  private take(lines: ReadonlyArray<string>): ReadonlyArray<string> {
    const events: Array<string> = []
    for (const line of lines) {
      if (line.startsWith("data:")) this.data.push(line.charAt(5) === " " ? line.slice(6) : line.slice(5))
      if (line !== "" || this.data.length === 0) continue
      events.push(this.data.join("\n"))
      this.data = []
    }
    return events
  }
}

/**
 * The data of each event. Whoever stops reading closes the connection, so that nobody goes on generating, and billing, for nobody.
 * The deadline runs while bytes are waited for, not while the reader is busy with what has come.
 */
export async function* readEvents(
  body: ReadableStream<Uint8Array>,
  deadline: Pick<Deadline, "rest" | "touch">
): AsyncGenerator<string> {
  const reader = body.getReader()
  const decoder = new TextDecoder()
  const parser = new SseParser()
  let isRead = false
  try {
    while (true) {
      deadline.touch()
      const { done, value } = await reader.read()
      deadline.rest()
      if (done) {
        isRead = true
        yield* parser.push(decoder.decode())
        yield* parser.end()
        return
      }
      yield* parser.push(decoder.decode(value, { stream: true }))
    }
  } finally {
    // Cancelling what has failed already fails again.
    if (!isRead) await reader.cancel().catch(() => undefined)
  }
}
