/** A server that streams what it is told to: for what no gateway would send. */
import type { IncomingMessage, ServerResponse } from "node:http"
import { ChatGateway, type ChatGatewayFields } from "../../src/index.ts"
import { type Foreign, foreignServer } from "./Foreign.ts"

export interface Streaming extends AsyncDisposable {
  readonly model: (fields?: ChatGatewayFields) => ChatGateway
  /** Requests so far. */
  readonly calls: () => number
  /** Completes when the client has closed a connection. */
  readonly left: Promise<void>
}

/** One event with a piece of an answer. */
export const delta = (fields: object, choice: object = {}): string =>
  `data: ${JSON.stringify({ id: "c1", model: "m", choices: [{ index: 0, delta: fields, ...choice }] })}\n\n`

export const finish = (reason = "stop"): string => delta({}, { finish_reason: reason })

/** Writes the pieces, each on its own; `end`: closes properly, breaks the connection, or leaves it open. */
export const streaming = (
  pieces: ReadonlyArray<string | Uint8Array>,
  end: "end" | "destroy" | "open" = "end",
  headers: Readonly<Record<string, string>> = {}
): Promise<Streaming> =>
  serving(async (_request, response) => {
    response.writeHead(200, { "content-type": "text/event-stream", ...headers })
    for (const piece of pieces) {
      response.write(piece)
      await new Promise((resolve) => setImmediate(resolve))
    }
    if (end === "end") response.end()
    else if (end === "destroy") await breakOff(response)
  })

/** Breaks the connection behind what was written, which arrives. */
export const breakOff = async (response: ServerResponse): Promise<void> => {
  await new Promise<void>((resolve) => response.write(" ", () => resolve()))
  response.socket?.end()
}

export const serving = async (
  answer: (request: IncomingMessage, response: ServerResponse, call: number) => unknown
): Promise<Streaming> => {
  let calls = 0
  const { promise: left, resolve } = Promise.withResolvers<void>()
  const server: Foreign = await foreignServer((request, response) => {
    response.on("close", () => {
      if (!response.writableFinished) resolve()
    })
    void answer(request, response, ++calls)
  })
  return {
    model: (fields) => new ChatGateway({ apiKey: "mgw_x", baseUrl: server.url, maxRetries: 0, ...fields }),
    calls: () => calls,
    left,
    [Symbol.asyncDispose]: () => server[Symbol.asyncDispose]()
  }
}
