/** Messages of `application/vnd.amazon.eventstream`, written independently of the gateway's decoder. */
import { crc32 } from "node:zlib"

type HeaderValue = string | boolean | bigint | Uint8Array

const u16 = (value: number): Buffer => {
  const bytes = Buffer.alloc(2)
  bytes.writeUInt16BE(value)
  return bytes
}

const u32 = (value: number): Buffer => {
  const bytes = Buffer.alloc(4)
  bytes.writeUInt32BE(value)
  return bytes
}

const sized = (type: number, bytes: Uint8Array): Buffer => Buffer.concat([Buffer.of(type), u16(bytes.length), bytes])

const valueOf = (value: HeaderValue): Buffer => {
  if (typeof value === "boolean") return Buffer.of(value ? 0 : 1)
  if (typeof value === "string") return sized(7, Buffer.from(value))
  if (typeof value !== "bigint") return sized(6, value)
  const bytes = Buffer.alloc(9)
  bytes[0] = 5
  bytes.writeBigInt64BE(value, 1)
  return bytes
}

export const rawMessage = (headers: Uint8Array, payload: Uint8Array): Buffer => {
  const lengths = Buffer.concat([u32(16 + headers.length + payload.length), u32(headers.length)])
  const unsigned = Buffer.concat([lengths, u32(crc32(lengths)), headers, payload])
  return Buffer.concat([unsigned, u32(crc32(unsigned))])
}

export const message = (headers: { readonly [name: string]: HeaderValue }, payload: string): Buffer => {
  const written = Object.entries(headers).map(([name, value]) =>
    Buffer.concat([Buffer.of(Buffer.byteLength(name)), Buffer.from(name), valueOf(value)])
  )
  return rawMessage(Buffer.concat(written), Buffer.from(payload))
}

export const eventMessage = (type: string, body: unknown): Buffer =>
  message(
    { ":event-type": type, ":content-type": "application/json", ":message-type": "event" },
    typeof body === "string" ? body : JSON.stringify(body)
  )

export const exceptionMessage = (type: string, text: string): Buffer =>
  message(
    { ":exception-type": type, ":content-type": "application/json", ":message-type": "exception" },
    JSON.stringify({ message: text })
  )

/** An event of a model's own, as `InvokeModelWithResponseStream` wraps it. */
export const chunkMessage = (event: unknown): Buffer =>
  eventMessage("chunk", { bytes: Buffer.from(JSON.stringify(event)).toString("base64") })

/** The messages of a recorded stream, one by one. */
export const messagesIn = (bytes: Uint8Array): ReadonlyArray<Uint8Array> => {
  const view = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  const messages: Array<Uint8Array> = []
  for (let at = 0; at < view.length;) {
    const length = view.readUInt32BE(at)
    messages.push(bytes.subarray(at, at + length))
    at += length
  }
  return messages
}
