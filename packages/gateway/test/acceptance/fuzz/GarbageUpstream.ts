/** A provider of two protocols: its model `good` answers well, all others answer something else each time. */
import { createServer, type IncomingMessage, type ServerResponse } from "node:http"
import type { AddressInfo, Socket } from "node:net"
import { Effect } from "effect"
import { samples } from "../../providers/WireSamples.ts"
import { Chance, damagedBytes, damagedJson } from "../../support/Mutate.ts"
import { completion, completionEvents } from "../../support/Upstream.ts"

/** Its address without a path; it ends with the scope. */
export const garbageUpstream = Effect.fnUntraced(function* (seed: number) {
  const sockets = new Set<Socket>()
  let asked = 0
  const server = createServer((request, response) => {
    const pieces: Array<Buffer> = []
    request.on("error", () => {})
    response.on("error", () => {})
    request.on("data", (piece: Buffer) => pieces.push(piece))
    request.on("end", () => {
      const { model, stream } = asObject(Buffer.concat(pieces).toString())
      const isAnthropic = request.url?.endsWith("/messages") === true
      if (model === "good") return well(response, isAnthropic, stream === true)
      badly(request, response, isAnthropic, stream === true, new Chance(seed + asked++))
    })
  })
  server.on("connection", (socket: Socket) => sockets.add(socket.on("error", () => {})))
  yield* Effect.callback<void>((resume) => {
    server.listen(0, "127.0.0.1", () => resume(Effect.void))
  })
  yield* Effect.addFinalizer(() =>
    Effect.sync(() => {
      for (const socket of sockets) socket.destroy()
      server.close()
    })
  )
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`
})

const asObject = (text: string): { readonly model?: unknown; readonly stream?: unknown } => {
  try {
    return JSON.parse(text) as object
  } catch {
    return {}
  }
}

const JSON_TYPE = { "content-type": "application/json" }
const SSE_TYPE = { "content-type": "text/event-stream" }

const well = (response: ServerResponse, isAnthropic: boolean, stream: boolean): void => {
  const { streams, whole } = samples["anthropic-messages"]
  const text = isAnthropic
    ? stream
      ? streams[0]!
      : whole[0]!
    : stream
      ? completionEvents("one ", "two").join("")
      : JSON.stringify(completion("one two"))
  response.writeHead(200, stream ? SSE_TYPE : JSON_TYPE).end(text)
}

const badly = (
  request: IncomingMessage,
  response: ServerResponse,
  isAnthropic: boolean,
  stream: boolean,
  chance: Chance
): void => {
  const { refusals, streams, whole } = samples[isAnthropic ? "anthropic-messages" : "openai-chat"]
  const type = stream ? SSE_TYPE : JSON_TYPE
  const text = chance.pick(stream ? streams : whole)
  const send = (status: number, headers: Record<string, string>, body: string | Buffer) =>
    response.writeHead(status, headers).end(body)
  switch (chance.below(16)) {
    case 0:
      return void send(
        chance.pick([400, 401, 402, 403, 404, 408, 413, 422, 500, 502, 503, 529, 599]),
        JSON_TYPE,
        chance.pick(refusals)
      )
    case 1:
      return void send(
        429,
        { ...JSON_TYPE, "retry-after": chance.pick(["0", "1", "-5", "1e9", "soon", "9".repeat(200)]) },
        chance.pick(refusals)
      )
    case 2:
      return void send(200, type, damagedBytes(Buffer.from(text), chance))
    case 3:
      return void send(200, type, Buffer.from([0xff, 0xfe, 0x00, 0x7b, 0xc3, 0x28, 0x0a, 0x0a, 0xf0, 0x9f]))
    case 4:
      return void send(200, { "content-type": "text/html" }, "<html>Welcome</html>")
    case 5:
      return void request.socket.destroy()
    case 6:
      // Half of it, then nothing more.
      response.writeHead(200, type).write(text.slice(0, text.length / 2))
      return
    case 7:
      return void response.writeHead(200, type).write(text.slice(0, text.length / 2), () => response.destroy())
    case 8:
      return void request.socket.end(
        chance.pick([
          "HTTP/1.1 200 OK\r\nContent-Length: 5\r\nContent-Length: 6\r\n\r\nhello",
          "SSH-2.0-x\r\n",
          "HTTP/1.1 999 \r\n\r\n",
          "\u0000"
        ])
      )
    case 9:
      return void send(200, { ...type, "x-big": "x".repeat(20_000) }, text)
    case 10:
      return void send(200, type, stream ? `data: ${"x".repeat(2_000_000)}\n\n` : `{"choices":${"[".repeat(2_000_000)}`)
    case 11:
      return void send(200, type, "")
    case 12:
      // Nothing at all, ever.
      return
    default: {
      if (!stream) return void send(200, type, damagedJson(JSON.parse(text), chance))
      const frames = text.split("\n\n").filter((frame) => frame !== "")
      const at = chance.below(frames.length)
      frames[at] = frames[at]!.replace(/\{.*$/, (data) => damagedJson(asObject(data), chance))
      return void send(200, type, `${frames.join("\n\n")}\n\n`)
    }
  }
}
