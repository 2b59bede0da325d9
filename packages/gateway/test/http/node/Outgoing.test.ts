/** The head of an answer is, byte for byte, the one that Node would write. */
import { createServer, ServerResponse } from "node:http"
import { connect } from "node:net"
import { assert, describe, it } from "@effect/vitest"
import { Clock, Effect } from "effect"
import { NodeReply } from "../../../src/http/node/NodeReply.ts"
import { Outgoing } from "../../../src/http/node/Outgoing.ts"
import type { AnswerHeaders } from "../../../src/http/proxy/Endpoint.ts"

type Prepare = (response: ServerResponse) => void

/** What is read from a server that answers one request by `reply`. */
const heard = (
  kind: typeof ServerResponse,
  request: string,
  headers: AnswerHeaders,
  { status = 200, prepare = () => {} }: { status?: number; prepare?: Prepare } = {}
) =>
  Effect.gen(function* () {
    const clock = yield* Clock.Clock
    const refused: Array<unknown> = []
    const server = createServer({ ServerResponse: kind, keepAliveTimeout: 75_000 }, (_, response) => {
      prepare(response)
      try {
        new NodeReply(response, 1_000, clock).whole(status, { ...headers }, status === 204 ? undefined : "{}")
      } catch (error) {
        refused.push((error as NodeJS.ErrnoException).code)
        response.destroy()
      }
    })
    server.on("checkContinue", (_, response) => server.emit("request", _, response))
    yield* Effect.acquireRelease(
      Effect.callback<void>((resume) => void server.listen(0, "127.0.0.1", () => resume(Effect.void))),
      () => Effect.sync(() => server.close().closeAllConnections())
    )
    const address = server.address()
    const port = typeof address === "object" && address !== null ? address.port : 0
    const text = yield* Effect.callback<string>((resume) => {
      let read = ""
      const socket = connect(port, "127.0.0.1", () => socket.write(request))
      const end = () => resume(Effect.sync(() => (socket.destroy(), read)))
      socket.on("data", (piece) => {
        read += piece.toString("latin1")
        if (read.includes("\r\n\r\n")) end()
      })
      socket.on("close", end)
    })
    return { text: text.replace(/Date: [^\r]+ GMT/, "Date: now"), refused }
  })

const get = (version: string, more = "") => `GET / HTTP/${version}\r\nhost: x\r\n${more}\r\n`
const all = { "content-type": "application/json", "content-length": 2, "x-name": "caf\u00e9\t~", "x-empty": "" }

/** Both servers must say the same. */
const isTheSame = Effect.fnUntraced(function* (
  request: string,
  headers: AnswerHeaders,
  options?: { status?: number; prepare?: Prepare }
) {
  const [node, own] = [
    yield* heard(ServerResponse, request, headers, options),
    yield* heard(Outgoing as typeof ServerResponse, request, headers, options)
  ]
  assert.deepStrictEqual(own, node)
  return own
})

describe("the head of an answer", () => {
  it.live("is Node's, whatever the request and the connection are", () =>
    Effect.gen(function* () {
      const usual = yield* isTheSame(get("1.1"), all)
      assert.match(usual.text, /^HTTP\/1\.1 200 OK\r\ncontent-type: application\/json\r\n/)
      assert.match(usual.text, /\r\nDate: now\r\nConnection: keep-alive\r\nKeep-Alive: timeout=75\r\n\r\n\{\}$/)
      for (const request of [
        get("1.0"),
        get("1.0", "connection: keep-alive\r\n"),
        get("1.1", "connection: close\r\n"),
        get("1.1").replace("GET", "HEAD"),
        "POST / HTTP/1.1\r\nhost: x\r\nexpect: 100-continue\r\ncontent-length: 1\r\n\r\n"
      ]) {
        yield* isTheSame(request, all)
      }
      for (const status of [204, 402, 429, 503]) yield* isTheSame(get("1.1"), status === 204 ? {} : all, { status })
      yield* isTheSame(get("1.1"), all, {
        prepare: (response) => response.setHeader("access-control-allow-origin", "*")
      })
    })
  )

  it.live("is refused where a value would end it", () =>
    Effect.gen(function* () {
      for (const value of ["a\r\nx-other: b", "a\nb", "a\u0000", "日本"]) {
        const { refused, text } = yield* isTheSame(get("1.1"), { ...all, "x-bad": value })
        assert.deepStrictEqual({ refused, text }, { refused: ["ERR_INVALID_CHAR"], text: "" })
      }
    })
  )
})
