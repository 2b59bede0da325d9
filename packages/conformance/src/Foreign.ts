/**
 * A server that plays scripts: what no gateway would send, and what a provider behind the gateway says. The first part of a path is
 * the script, the second names who asks, so that everybody's requests are counted alone: `/retry-429/3/v1/chat/completions`;
 * `/retry-429/3/_seen` tells them.
 */
import { readFileSync } from "node:fs"
import { createServer, type IncomingMessage, type ServerResponse } from "node:http"
import type { AddressInfo } from "node:net"
import { join } from "node:path"
import type { Json, JsonObject } from "./Scenario.ts"

type Piece =
  | string
  | { readonly json: Json }
  | { readonly base64: string }
  | { readonly times: number; readonly text: string }

/** One answer of a script. The last one is given to all further requests. */
interface ScriptedAnswer {
  readonly status?: number
  readonly headers?: { readonly [name: string]: string }
  /** In pieces, as they are written; an object stands for its JSON, for bytes, or for a text so often. */
  readonly body?: ReadonlyArray<Piece>
  /** Then: the body is whole, the socket is closed in the middle, or nothing more comes. `reset`: not even the head comes. */
  readonly ending?: "complete" | "cut" | "hang" | "reset"
}

export interface Seen {
  readonly method: string
  /** Without script and asker. */
  readonly path: string
  readonly headers: { readonly [name: string]: string }
  readonly body: string
  /** The caller closed the connection before the answer was whole. */
  closed_early: boolean
}

export interface Foreign {
  readonly url: string
  readonly seen: (script: string, asker: string) => ReadonlyArray<Seen>
  readonly stop: () => Promise<void>
}

export const startForeign = async (): Promise<Foreign> => {
  const scripts: { readonly [name: string]: ReadonlyArray<ScriptedAnswer> } = JSON.parse(
    readFileSync(join(import.meta.dirname, "..", "foreign.json"), "utf8")
  )
  const all = new Map<string, Array<Seen>>()
  // Closes no idle connection by itself: after a machine that stood still for seconds, it would do so just as the caller asks again.
  const server = createServer({ keepAliveTimeout: 0 }, (request, response) => {
    void (async () => {
      const [, script = "", asker = "", ...rest] = (request.url ?? "").split("/")
      const answers = scripts[script]
      const requests = all.get(`${script}/${asker}`) ?? []
      if (rest.join("/") === "_seen") {
        response.writeHead(200, { "content-type": "application/json" }).end(JSON.stringify(readable(requests)))
        return
      }
      all.set(`${script}/${asker}`, requests)
      const seen = await note(request, `/${rest.join("/")}`)
      requests.push(seen)
      response.on("close", () => (seen.closed_early ||= !response.writableFinished))
      const answer = answers?.[Math.min(requests.length, answers.length) - 1]
      if (answer === undefined) response.writeHead(404).end(`no script ${script}`)
      else await play(answer, response)
    })()
  })
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve))
  const { port } = server.address() as AddressInfo
  return {
    url: `http://127.0.0.1:${port}`,
    seen: (script, asker) => all.get(`${script}/${asker}`) ?? [],
    stop: () =>
      new Promise((resolve) => {
        server.close(() => resolve())
        server.closeAllConnections()
      })
  }
}

const note = async (request: IncomingMessage, path: string): Promise<Seen> => {
  const pieces: Array<Buffer> = []
  for await (const piece of request) pieces.push(piece as Buffer)
  const headers = request.headers as { readonly [name: string]: string }
  return { method: request.method ?? "", path, headers, body: Buffer.concat(pieces).toString(), closed_early: false }
}

const play = async (answer: ScriptedAnswer, response: ServerResponse): Promise<void> => {
  const { body = [], ending = "complete", headers = {}, status = 200 } = answer
  if (ending === "reset") return void response.destroy()
  response.writeHead(status, headers)
  response.flushHeaders()
  for (const piece of body) {
    for (const bytes of bytesOf(piece)) {
      // Nobody else has to wait while somebody gets a lot.
      if (!response.write(bytes)) await room(response)
      if (response.destroyed) return
    }
  }
  if (ending === "complete") response.end()
  // What was written goes out before the socket is closed.
  else if (ending === "cut") setImmediate(() => response.destroy())
}

/** Completes when more can be written, or nobody reads any more. */
const room = (response: ServerResponse): Promise<void> =>
  new Promise((resolve) => {
    const go = () => {
      response.off("drain", go).off("close", go)
      resolve()
    }
    response.on("drain", go).on("close", go)
  })

const MOST_AT_ONCE = 65_536

function* bytesOf(piece: Piece): Generator<string | Buffer> {
  if (typeof piece === "string") yield piece
  else if ("base64" in piece) yield Buffer.from(piece.base64, "base64")
  else if ("json" in piece) yield JSON.stringify(piece.json)
  else {
    const { text, times } = piece
    const each = Math.max(1, Math.floor(MOST_AT_ONCE / text.length))
    for (let left = times; left > 0; left -= each) yield text.repeat(Math.min(each, left))
  }
}

/** What was seen, with bodies as JSON where they are. */
export const readable = (seen: ReadonlyArray<Seen>): ReadonlyArray<JsonObject> =>
  seen.map(({ body, ...rest }) => ({ ...rest, body: parsed(body) }))

const parsed = (text: string): Json => {
  try {
    return JSON.parse(text)
  } catch {
    return text
  }
}
