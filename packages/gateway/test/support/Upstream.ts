/** A provider's server, played: what it answers is scripted, what it was asked is kept. */
import { createServer, type IncomingMessage, type ServerResponse } from "node:http"
import type { AddressInfo, Socket } from "node:net"
import { Effect } from "effect"

export interface Asked {
  readonly method: string
  readonly path: string
  readonly headers: Readonly<Record<string, string>>
  /** A form is its bytes. */
  // oxlint-disable-next-line typescript/no-explicit-any -- each test knows what it is looking for
  readonly body: any
  /** As it came. */
  readonly text: string
  /** Completes when the connection of this call is gone, with the time (`performance.now`). */
  readonly closed: Promise<number>
}

export interface Reply {
  readonly status?: number
  readonly headers?: Readonly<Record<string, string>>
  /** An object is sent as JSON; a list as pieces, one write each. */
  readonly body?: string | Uint8Array | object | ReadonlyArray<string | Uint8Array>
  /** Milliseconds before the head. */
  readonly delay?: number
  /** Nothing is sent before this. */
  readonly gate?: Promise<void>
  /** After the body: `reset` breaks the connection, `silence` leaves it open. */
  readonly ending?: "complete" | "reset" | "silence"
}

export interface Upstream {
  /** With `/v1`, as configurations have it. */
  readonly baseUrl: string
  /** Everything that was asked so far. */
  readonly asked: ReadonlyArray<Asked>
}

/** A server on a port of its own until the scope closes. `number` counts the requests from 0. */
export const upstream = Effect.fnUntraced(function* (script: (asked: Asked, number: number) => Reply) {
  const asked: Array<Asked> = []
  const sockets = new Set<Socket>()
  // Closes no idle connection by itself: after a machine that stood still for seconds, it would do so just as the caller asks again.
  const server = createServer({ keepAliveTimeout: 0 }, (request, response) => {
    const pieces: Array<Buffer> = []
    const closed = new Promise<number>((resolve) => response.once("close", () => resolve(performance.now())))
    request.on("data", (piece: Buffer) => pieces.push(piece))
    request.on("end", () => {
      const one = describe(request, Buffer.concat(pieces), closed)
      asked.push(one)
      play(response, script(one, asked.length - 1))
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
  const { port } = server.address() as AddressInfo
  return { baseUrl: `http://127.0.0.1:${port}/v1`, asked } satisfies Upstream as Upstream
})

const describe = (request: IncomingMessage, body: Buffer, closed: Promise<number>): Asked => ({
  method: request.method ?? "",
  path: request.url ?? "",
  headers: request.headers as Record<string, string>,
  text: body.toString("utf8"),
  body: body.length === 0 ? undefined : isForm(request) ? body : JSON.parse(body.toString("utf8")),
  closed
})

const isForm = ({ headers }: IncomingMessage): boolean =>
  /^(?:multipart\/|application\/x-www-form-urlencoded)/.test(headers["content-type"] ?? "")

const play = (response: ServerResponse, reply: Reply): void => {
  if (reply.gate !== undefined) return void reply.gate.then(() => answer(response, reply))
  if (reply.delay === undefined) return answer(response, reply)
  const timer = setTimeout(() => answer(response, reply), reply.delay)
  response.once("close", () => clearTimeout(timer))
}

const answer = (response: ServerResponse, { body = "", ending = "complete", headers, status = 200 }: Reply): void => {
  const isRaw = typeof body === "string" || body instanceof Uint8Array
  const pieces = Array.isArray(body) ? body : [isRaw ? body : JSON.stringify(body)]
  const type = Array.isArray(body) ? "text/event-stream" : "application/json"
  response.writeHead(status, { "content-type": type, ...headers })
  response.flushHeaders()
  for (const piece of pieces) response.write(piece)
  if (ending === "complete") response.end()
  // Only once what was written has left, or the other side would never see it.
  if (ending === "reset") response.write("", () => setImmediate(() => response.destroy()))
}

export const usage = { prompt_tokens: 12, completion_tokens: 4, total_tokens: 16 }

/** A chat completion in the vendor's shape that says `content`. */
export const completion = (content: string, fields: object = {}) => ({
  id: "chatcmpl-upstream",
  object: "chat.completion",
  created: 1_760_000_000,
  model: "m",
  choices: [
    { index: 0, message: { role: "assistant", content, refusal: null }, finish_reason: "stop", logprobs: null }
  ],
  usage,
  ...fields
})

/** The events of a streamed completion, one a piece; the usage chunk as for a request that asked for it. */
export const completionEvents = (...words: ReadonlyArray<string>): ReadonlyArray<string> => [
  chunk({ delta: { role: "assistant", content: "" } }),
  ...words.map((content) => chunk({ delta: { content } })),
  chunk({ delta: {}, finish_reason: "stop" }),
  event({ ...head, choices: [], usage }),
  "data: [DONE]\n\n"
]

const head = { id: "chatcmpl-upstream", object: "chat.completion.chunk", created: 1_760_000_000, model: "m" }

const chunk = (choice: object): string =>
  event({ ...head, choices: [{ index: 0, finish_reason: null, logprobs: null, ...choice }], usage: null })

/** One server-sent event. */
export const event = (data: object): string => `data: ${JSON.stringify(data)}\n\n`

/** An error in the vendor's shape. */
export const vendorError = (message: string, type = "invalid_request_error", code: string | null = null) => ({
  error: { message, type, param: null, code }
})
