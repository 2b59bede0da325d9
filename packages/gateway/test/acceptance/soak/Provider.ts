/** The provider of a soak: model `m` answers well, `big` and `huge` at length, `flaky` hardly ever. */
import { createServer, type ServerResponse } from "node:http"
import type { AddressInfo, Socket } from "node:net"
import { Effect } from "effect"
import { completion, completionEvents, event, vendorError } from "../../support/Upstream.ts"

const WORDS = Array.from({ length: 20 }, (_, index) => `word${index} `)
const plain = JSON.stringify(completion(WORDS.join("")))
const events = completionEvents(...WORDS)
/** Events with a field that nobody reads: more bytes than text. */
const padded = (size: number) => events.map((text) => text.replace('{"id"', `{"padding":"${"x".repeat(size)}","id"`))
const streams: Readonly<Record<string, ReadonlyArray<string>>> = {
  m: events,
  big: padded(40_000),
  // More than the kernel keeps for a reader who does not read.
  huge: padded(500_000)
}

/** A server until the scope closes: its base URL. `draw`: a number below its argument. */
export const soakProvider = Effect.fnUntraced(function* (draw: (below: number) => number) {
  const sockets = new Set<Socket>()
  const server = createServer((request, response) => {
    let text = ""
    request.setEncoding("utf8").on("data", (piece: string) => (text += piece))
    request.on("end", () => {
      const { model, stream } = JSON.parse(text) as { readonly model: string; readonly stream?: boolean }
      if (model === "flaky") return misbehave(response, stream === true, draw(8))
      after(response, draw(20), () => (stream === true ? play(response, streams[model] ?? []) : whole(response)))
    })
    request.on("error", () => {})
    response.on("error", () => {})
  })
  server.on("connection", (socket: Socket) => {
    sockets.add(socket)
    socket.on("error", () => {}).on("close", () => sockets.delete(socket))
  })
  yield* Effect.callback<void>((resume) => {
    server.listen(0, "127.0.0.1", () => resume(Effect.void))
  })
  yield* Effect.addFinalizer(() =>
    Effect.sync(() => {
      for (const socket of sockets) socket.destroy()
      server.close()
    })
  )
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`
})

const after = (response: ServerResponse, ms: number, then: () => void) => {
  const timer = setTimeout(() => {
    response.off("close", stop)
    then()
  }, ms)
  const stop = () => clearTimeout(timer)
  response.once("close", stop)
}

const whole = (response: ServerResponse, status = 200, text = plain) =>
  response.writeHead(status, { "content-type": "application/json" }).end(text)

/** One event after the other, a few milliseconds apart, as fast as they are read. */
const play = (response: ServerResponse, pieces: ReadonlyArray<string>, end: () => void = () => response.end()) => {
  response.writeHead(200, { "content-type": "text/event-stream" })
  let next = 0
  const step = () => {
    if (response.destroyed) return
    const piece = pieces[next++]
    if (piece === undefined) return end()
    if (!response.write(piece)) return void response.once("drain", step)
    if (next % 4 === 0) after(response, 3, step)
    else step()
  }
  step()
}

const misbehave = (response: ServerResponse, stream: boolean, how: number) => {
  switch (how) {
    case 0:
      return whole(response, 500, JSON.stringify(vendorError("broken", "server_error")))
    case 1:
      return response
        .writeHead(429, { "content-type": "application/json", "retry-after": "1" })
        .end(JSON.stringify(vendorError("slow down", "rate_limit_error")))
    case 2:
      return response.destroy()
    case 3:
      // Cut off after some content.
      return stream ? play(response, events.slice(0, 6), () => response.destroy()) : whole(response, 200, "{broken")
    case 4:
      // Says nothing more after some content.
      return stream ? play(response, events.slice(0, 4), () => {}) : undefined
    case 5:
      return stream ? play(response, [event({ error: { message: "overloaded", type: "server_error" } })]) : undefined
    case 6:
      return stream ? play(response, ["data: {broken\n\n", ...events]) : whole(response)
    default:
      return stream ? play(response, events) : whole(response)
  }
}
