/** A collector: a real HTTP server that keeps what it is sent, and misbehaves where a test wants it to. */
import { createServer, type IncomingHttpHeaders, type Server } from "node:http"
import type { AddressInfo } from "node:net"
import { gunzipSync } from "node:zlib"
import { Effect } from "effect"

export interface Exported {
  readonly path: string
  readonly headers: IncomingHttpHeaders
  readonly bytes: Buffer
  /** The body as JSON; undefined when it is none. */
  // oxlint-disable-next-line typescript/no-explicit-any -- each test knows what it is looking for
  readonly json: any
}

export interface Collector {
  readonly url: string
  readonly got: ReadonlyArray<Exported>
  /** Completes once `count` exports came, those before included. */
  readonly after: (count: number) => Effect.Effect<void>
}

/** `behave`: the status to answer the nth export with; "silence" never answers. */
export const collector = Effect.fnUntraced(function* (behave: (index: number) => number | "silence" = () => 200) {
  const got: Array<Exported> = []
  const waiting: Array<{ readonly count: number; readonly done: () => void }> = []
  const server = createServer((request, response) => {
    const chunks: Array<Buffer> = []
    request.on("data", (chunk: Buffer) => chunks.push(chunk))
    request.on("end", () => {
      const raw = Buffer.concat(chunks)
      const bytes = request.headers["content-encoding"] === "gzip" ? gunzipSync(raw) : raw
      const isJson = request.headers["content-type"]?.startsWith("application/json") === true
      const json: unknown = isJson ? JSON.parse(bytes.toString()) : undefined
      const answer = behave(got.length)
      got.push({ path: request.url ?? "", headers: request.headers, bytes, json })
      for (const { count, done } of waiting) if (got.length >= count) done()
      if (answer !== "silence") response.writeHead(answer).end("{}")
    })
  })
  const url = yield* Effect.acquireRelease(listen(server), () =>
    Effect.sync(() => {
      server.close()
      server.closeAllConnections()
    })
  )
  const after = (count: number) =>
    Effect.callback<void>((resume) => {
      const done = () => resume(Effect.void)
      if (got.length >= count) done()
      else waiting.push({ count, done })
    })
  return { url, got, after } satisfies Collector as Collector
})

const listen = (server: Server) =>
  Effect.callback<string>((resume) => {
    server.listen(0, "127.0.0.1", () =>
      resume(Effect.succeed(`http://127.0.0.1:${(server.address() as AddressInfo).port}`))
    )
  })

/** The fields of a protobuf message by number: nested messages and texts as bytes, others left out. */
export const fieldsOf = (bytes: Buffer): ReadonlyMap<number, ReadonlyArray<Buffer>> => {
  const fields = new Map<number, Array<Buffer>>()
  let at = 0
  const varint = (): number => {
    let value = 0
    for (let shift = 0; ; shift += 7) {
      const byte = bytes[at++]!
      value += (byte & 127) * 2 ** shift
      if (byte < 128) return value
    }
  }
  while (at < bytes.length) {
    const tag = varint()
    const kind = tag & 7
    if (kind === 0) varint()
    else if (kind === 1) at += 8
    else if (kind === 5) at += 4
    else {
      const length = varint()
      fields.set(tag >>> 3, [...(fields.get(tag >>> 3) ?? []), bytes.subarray(at, at + length)])
      at += length
    }
  }
  return fields
}
