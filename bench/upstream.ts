/**
 * The provider behind every proxy of a bench: answers each chat request with the same completion, or with the same stream, one
 * write for each event; only the id is another one each time, as real ones are. On `node:net` and without a parser, so that it takes little of the machine from what is measured.
 */
import { createServer, type Socket } from "node:net"
import { COMPLETION, PACE_MS, SLOW_MS, STREAM_EVENTS } from "./Workload.ts"

const head = (fields: string): string => `HTTP/1.1 200 OK\r\n${fields}\r\n\r\n`
const completion = Buffer.from(
  `${head(`content-type: application/json\r\ncontent-length: ${Buffer.byteLength(COMPLETION)}`)}${COMPLETION}`
)
const streamHead = Buffer.from(head("content-type: text/event-stream; charset=utf-8\r\ntransfer-encoding: chunked"))
const frames = STREAM_EVENTS.map((event) => Buffer.from(`${Buffer.byteLength(event).toString(16)}\r\n${event}\r\n`))
const ID = "chatcmpl-"
const ID_DIGITS = 8
let answers = 0

/** What is to be sent, with the number of the answer at the beginning of its id. */
const numbered = (bytes: Buffer, number: string): Buffer => {
  const at = bytes.indexOf(ID)
  if (at < 0) return bytes
  const copy = Buffer.from(bytes)
  copy.write(number, at + ID.length, "latin1")
  return copy
}
const nextNumber = (): string => (answers++).toString(36).padStart(ID_DIGITS, "0")

const answerTo = (socket: Socket): void => void (socket.destroyed || socket.write(numbered(completion, nextNumber())))

const streamEnd = Buffer.from("0\r\n\r\n")

const streamTo = (socket: Socket, paced: boolean): void => {
  const number = nextNumber()
  let next = 0
  const step = () => {
    if (socket.destroyed) return
    if (next === frames.length) return void socket.write(streamEnd)
    const more = socket.write(numbered(frames[next++]!, number))
    if (!more) socket.once("drain", step)
    else if (paced) setTimeout(step, PACE_MS)
    else setImmediate(step)
  }
  socket.write(streamHead)
  step()
}

const server = createServer({ noDelay: true }, (socket) => {
  let read = Buffer.alloc(0)
  socket.on("error", () => socket.destroy())
  socket.on("data", (data) => {
    read = read.length === 0 ? data : Buffer.concat([read, data])
    const headEnd = read.indexOf("\r\n\r\n")
    if (headEnd < 0) return
    const length = Number(/content-length: (\d+)/i.exec(read.toString("latin1", 0, headEnd))?.[1] ?? 0)
    const end = headEnd + 4 + length
    if (read.length < end) return
    const body = read.toString("utf8", headEnd + 4, end)
    read = read.subarray(end)
    if (body.includes('"stream":true')) streamTo(socket, body.includes('"model":"paced"'))
    else if (body.includes('"model":"slow"')) setTimeout(() => answerTo(socket), SLOW_MS)
    else answerTo(socket)
  })
})

server.listen(0, "127.0.0.1", () => {
  const address = server.address()
  if (typeof address === "object") console.error(`listening on http://127.0.0.1:${address?.port}`)
})
process.on("SIGTERM", () => process.exit(0))
