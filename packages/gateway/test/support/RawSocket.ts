/** Bytes to a server and back, with nothing in between that would mend them: what clients that break HTTP do. */
import { connect, type Socket } from "node:net"
import { Effect } from "effect"
import { PATIENCE_MS } from "./Patience.ts"

/** One answer as it came over the wire. Header names in lower case, the last value of each. */
export interface WireAnswer {
  readonly status: number
  readonly headers: ReadonlyMap<string, string>
  readonly body: string
}

export interface Heard {
  /** Complete answers, in order; 1xx notices are left out. */
  readonly answers: ReadonlyArray<WireAnswer>
  /** What came after the last complete answer. */
  readonly rest: string
  /** All that came. */
  readonly raw: string
  /** How it ended: the server closed the connection, broke it, or said nothing more before the time was up. */
  readonly ended: "closed" | "reset" | "quiet"
  /** Milliseconds from the first byte sent to the last received, or to the end of the connection. */
  readonly took: number
}

export interface Said {
  /** Sent as they are, one write each. */
  readonly pieces: ReadonlyArray<string | Uint8Array>
  /** Milliseconds between two pieces. */
  readonly pause?: number
  /** Hang up our side once all is sent. */
  readonly end?: boolean
  /** Milliseconds to wait for the end of the connection, or for `answers` answers. */
  readonly patience?: number
  readonly answers?: number
  /** The request was a HEAD: its answer has no body. */
  readonly head?: boolean
}

/** Says something on a connection of its own and listens until the end. Never fails. */
export const say = (url: string, said: Said): Effect.Effect<Heard> =>
  Effect.callback((resume) => {
    const { hostname, port } = new URL(url)
    const socket = connect(Number(port), hostname)
    const began = performance.now()
    let bytes = Buffer.alloc(0)
    let last = began
    let over = false
    const done = (ended: Heard["ended"]) => {
      if (over) return
      over = true
      clearTimeout(timer)
      socket.destroy()
      const { answers, rest } = parseAnswers(bytes, said.head === true)
      const raw = bytes.toString("utf8")
      resume(
        Effect.succeed({ answers, rest, raw, ended, took: (ended === "quiet" ? last : performance.now()) - began })
      )
    }
    const timer = setTimeout(() => done("quiet"), said.patience ?? PATIENCE_MS)
    socket.setNoDelay(true)
    socket.on("connect", () => void send(socket, said, () => over))
    socket.on("data", (piece) => {
      last = performance.now()
      bytes = Buffer.concat([bytes, piece])
      if (said.answers !== undefined && parseAnswers(bytes, said.head === true).answers.length >= said.answers)
        done("quiet")
    })
    socket.on("end", () => done("closed"))
    socket.on("close", () => done("closed"))
    socket.on("error", () => done("reset"))
    return Effect.sync(() => done("quiet"))
  })

const send = async (socket: Socket, { end, pause = 0, pieces }: Said, over: () => boolean) => {
  for (const [index, piece] of pieces.entries()) {
    if (over()) return
    if (index > 0 && pause > 0) await new Promise((resolve) => setTimeout(resolve, pause))
    if (!socket.write(piece)) await new Promise((resolve) => socket.once("drain", resolve).once("close", resolve))
  }
  if (end === true && !over()) socket.end()
}

/** The complete answers at the beginning of `bytes`. */
export const parseAnswers = (bytes: Buffer, head = false): { answers: Array<WireAnswer>; rest: string } => {
  const answers: Array<WireAnswer> = []
  let at = 0
  for (;;) {
    const end = bytes.indexOf("\r\n\r\n", at)
    if (end < 0) break
    const lines = bytes.toString("latin1", at, end).split("\r\n")
    const status = Number(/^HTTP\/1\.[01] (\d{3})/.exec(lines[0]!)?.[1] ?? NaN)
    if (Number.isNaN(status)) break
    const headers = new Map(
      lines.slice(1).map((line) => {
        const colon = line.indexOf(":")
        return [line.slice(0, colon).toLowerCase(), line.slice(colon + 1).trim()] as const
      })
    )
    const start = end + 4
    const isBare = head || status < 200 || status === 204 || status === 304
    const body = isBare ? { text: "", next: start } : bodyAt(bytes, start, headers)
    if (body === undefined) break
    at = body.next
    if (status >= 200) answers.push({ status, headers, body: body.text })
  }
  return { answers, rest: bytes.toString("utf8", at) }
}

/** Undefined while it is not complete. Answers here have a length or are chunked. */
const bodyAt = (bytes: Buffer, start: number, headers: ReadonlyMap<string, string>) => {
  if (headers.get("transfer-encoding") !== "chunked") {
    const next = start + Number(headers.get("content-length") ?? 0)
    return next > bytes.length ? undefined : { text: bytes.toString("utf8", start, next), next }
  }
  const pieces: Array<Buffer> = []
  let at = start
  for (;;) {
    const line = bytes.indexOf("\r\n", at)
    if (line < 0) return undefined
    const size = Number.parseInt(bytes.toString("latin1", at, line), 16)
    const data = line + 2
    if (size === 0) {
      // Trailers, then an empty line.
      const end = bytes.indexOf("\r\n\r\n", line)
      return end < 0 ? undefined : { text: Buffer.concat(pieces).toString("utf8"), next: end + 4 }
    }
    if (data + size + 2 > bytes.length) return undefined
    pieces.push(bytes.subarray(data, data + size))
    at = data + size + 2
  }
}
