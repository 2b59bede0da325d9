/** `/v1/responses` over a WebSocket, through the port, with the vendor's own client. */
import { connect, type Socket } from "node:net"
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import OpenAI from "openai"
import { ResponsesWS } from "openai/resources/responses/ws"
import { eventually, until } from "../../support/Patience.ts"
import { call } from "../../support/RawHttp.ts"
import { startGateway } from "../../support/RunningGateway.ts"
import { connected, counting, told } from "./Speaking.ts"

interface Event {
  readonly type: string
  readonly status?: number
  readonly error?: { readonly code: string; readonly message: string }
  readonly response?: OpenAI.Responses.Response & { readonly gateway?: { readonly cost_usd?: number } }
}

/** A connection, closed with the scope. */
const opened = (client: OpenAI) =>
  Effect.acquireRelease(
    Effect.sync(() => {
      const socket = new ResponsesWS(client)
      const events: Array<Event> = []
      const closed: Array<number> = []
      socket.on("event", (event) => void events.push(event as unknown as Event))
      socket.on("error", () => {})
      socket.on("close", (code) => void closed.push(code))
      const last = () => events.findLast(({ type }) => /^(error|response\.(completed|failed|incomplete))$/.test(type))
      let seen = 0
      /** Sends a frame and waits for the end of its response, or for an error. */
      const say = (fields: object) =>
        Effect.gen(function* () {
          const from = events.length
          socket.send({ type: "response.create", model: "m", ...fields } as never)
          yield* until(() => events.slice(from).includes(last()!))
          seen = from
          return last()!
        })
      return { closed, events, say, since: () => events.slice(seen), socket }
    }),
    ({ socket }) => Effect.sync(() => socket.close())
  )

const SMALL = `
server: { max_bytes_in_flight_mb: 2, max_body_mb: 10 }
providers: { demo: { vendor: demo } }
deployments: [demo/mini]
`

/** A handshake by hand. `closed` completes when the gateway closes the connection. */
const handshake = (url: string, secret: string) =>
  Effect.acquireRelease(
    Effect.callback<{ readonly socket: Socket; readonly head: string; readonly closed: Effect.Effect<void> }>(
      (resume) => {
        const { hostname, port } = new URL(url)
        const socket = connect(Number(port), hostname).on("error", () => {})
        const end = new Promise<void>((resolve) => socket.once("close", () => resolve()))
        const closed = Effect.promise(() => end)
        socket.once("data", (bytes) => resume(Effect.succeed({ socket, head: String(bytes), closed })))
        socket.write(
          [
            "GET /v1/responses HTTP/1.1",
            `host: ${hostname}`,
            `authorization: Bearer ${secret}`,
            "connection: upgrade",
            "upgrade: websocket",
            "sec-websocket-version: 13",
            "sec-websocket-key: dGhlIHNhbXBsZSBub25jZQ==",
            "\r\n"
          ].join("\r\n")
        )
      }
    ),
    ({ socket }) => Effect.sync(() => socket.destroy())
  )

describe("responses over a WebSocket", () => {
  it.live("cuts a connection whose incomplete message is larger than its key may have in flight", () =>
    Effect.gen(function* () {
      const gateway = yield* startGateway({ yaml: SMALL })
      const { secret } = yield* gateway.createKey()
      const { closed, socket } = yield* handshake(gateway.url, secret)
      const head = Buffer.alloc(14)
      head.writeUInt16BE(0x81ff)
      head.writeBigUInt64BE(4_000_000n, 2)
      socket.write(Buffer.concat([head, Buffer.alloc(2_000_000, 32)]))
      yield* closed
    })
  )

  it.live("are 256 of one key at most, and the next one is sent to POST until one closes", () =>
    Effect.gen(function* () {
      const { createKey, url } = yield* startGateway({ yaml: SMALL })
      const { secret } = yield* createKey()
      const open = Effect.map(handshake(url, secret), ({ head, socket }) => ({
        head,
        socket,
        isOpen: / 101 /.test(head)
      }))
      const all = yield* Effect.all(
        Array.from({ length: 256 }, () => open),
        { concurrency: 32 }
      )
      assert.isTrue(all.every(({ isOpen }) => isOpen))
      const { head } = yield* open
      assert.match(head, /^HTTP\/1\.1 426 /)
      assert.match(head, /"code":"websocket_not_served"/)
      assert.match(
        head,
        /This key has 256 WebSockets open, which is the maximum\. Close one, or send the request as POST/
      )
      // Another key has its own.
      assert.match((yield* handshake(url, (yield* createKey()).secret)).head, / 101 /)
      all[0]!.socket.destroy()
      yield* eventually(open, ({ isOpen }) => isOpen)
    })
  )

  it.live("are ordinary calls: events, receipt, ledger row and exact cost", () =>
    Effect.gen(function* () {
      const { client, ledger } = yield* connected()
      const { events, say } = yield* opened(client)
      const { response, type } = yield* say({ input: "Hi" })
      assert.strictEqual(type, "response.completed")
      assert.strictEqual(events[0]!.type, "response.created")
      assert.include(
        events.map((event) => event.type),
        "response.output_text.delta"
      )
      const [row] = yield* ledger
      assert.deepInclude(row, { status: "settled", operation: "responses" })
      assert.strictEqual(Math.round(response!.gateway!.cost_usd! * 1e9), row!.cost)
      yield* say({ input: "Again" })
      assert.lengthOf(yield* ledger, 2)
    })
  )

  it.live("continue what the connection remembers, although nothing is stored", () =>
    Effect.gen(function* () {
      const { asked, client, stored } = yield* connected()
      const { say } = yield* opened(client)
      const warm = yield* say({ input: [], store: false, generate: false })
      assert.deepStrictEqual([warm.type, warm.response!.output, asked.length], ["response.completed", [], 0])
      const one = yield* say({ input: "first", store: false, previous_response_id: warm.response!.id })
      const two = yield* say({ input: "second", store: false, previous_response_id: one.response!.id })
      assert.strictEqual(two.response!.previous_response_id, one.response!.id)
      assert.deepStrictEqual(told(asked[1]!), ["user: first", "reasoning", "assistant: answer 0", "user: second"])
      assert.deepStrictEqual(yield* stored, [])
      // A client that reads this sends the conversation again.
      const unknown = yield* say({ input: "third", store: false, previous_response_id: one.response!.id })
      assert.deepStrictEqual([unknown.status, unknown.error?.code], [400, "previous_response_not_found"])
      // What is stored continues what was not.
      const kept = yield* say({ input: "third", previous_response_id: two.response!.id })
      const over = yield* Effect.promise(() =>
        client.responses.create({ model: "m", input: "fourth", previous_response_id: kept.response!.id })
      )
      assert.strictEqual(over.output_text, "answer 3")
      assert.strictEqual(told(asked[3]!)[0], "user: first")
    })
  )

  it.live("answer mistakes with an error event and go on", () =>
    Effect.gen(function* () {
      const { client } = yield* connected()
      const { events, say, socket } = yield* opened(client)
      socket.sendRaw("{")
      yield* until(() => events.length === 1)
      assert.deepInclude(events[0], { type: "error", status: 400 })
      assert.strictEqual(events[0]!.error!.code, "invalid_json")
      for (const [fields, status, code, said] of [
        [{ type: "response.steer" }, 400, "invalid_field", "`type` must be `response.create`"],
        [{ stream_id: "a", input: "Hi" }, 400, "invalid_field", "leave `stream_id` out"],
        [{ background: true, input: "Hi" }, 400, "invalid_field", "not possible over a WebSocket"],
        [{ model: "nothing", input: "Hi" }, 404, "model_not_found", "nothing"]
      ] as const) {
        const { error, status: was } = yield* say(fields)
        assert.deepStrictEqual([was, error!.code], [status, code])
        assert.include(error!.message, said)
      }
      assert.strictEqual((yield* say({ input: "Hi" })).type, "response.completed")
    })
  )

  it.live("refuse a second request while one runs, which is charged exactly if the connection closes", () =>
    Effect.gen(function* () {
      let open = () => {}
      const gate = new Promise<void>((resolve) => (open = resolve))
      const { asked, client, ledger } = yield* connected((...of) => ({ ...counting(...of), gate }))
      const { closed, say, socket } = yield* opened(client)
      socket.send({ type: "response.create", model: "m", input: "Hi" })
      yield* until(() => asked.length === 1)
      const { error, status } = yield* say({ input: "Too soon" })
      assert.deepStrictEqual([status, error!.code], [409, "response_already_in_flight"])
      socket.close()
      yield* until(() => closed.length === 1)
      open()
      const rows = yield* eventually(ledger, ([row]) => row?.status !== "reserved")
      assert.deepStrictEqual(
        rows.map(({ estimated, status }) => [status, estimated]),
        [["settled", 0]]
      )
    })
  )

  it.live("need a key when they open, and with each request", () =>
    Effect.gen(function* () {
      const { admin, client, id, url } = yield* connected()
      const upgrade = { connection: "Upgrade", upgrade: "websocket" }
      const path = "/openai/v1/responses"
      for (const [key, code] of [
        [undefined, "missing_api_key"],
        ["mgw-wrong", "invalid_api_key"]
      ] as const) {
        const headers = key === undefined ? upgrade : { ...upgrade, authorization: `Bearer ${key}` }
        const { headers: given, json, status } = yield* call(url, { method: "GET", path, headers })
        assert.deepStrictEqual([status, json.error.code, given["connection"]], [401, code, "close"])
      }
      const { closed, say } = yield* opened(client)
      assert.strictEqual((yield* say({ input: "Hi" })).type, "response.completed")
      yield* admin("DELETE", `/admin/keys/${id}`)
      const { error, status } = yield* say({ input: "Hi" })
      assert.deepStrictEqual([status, error!.code], [401, "revoked_api_key"])
      yield* until(() => closed[0] === 1008)
    })
  )

  it.live("fail over like any other", () =>
    Effect.gen(function* () {
      const { client, ledger } = yield* connected((asked, number) =>
        number === 0 ? { status: 503, body: { error: { message: "down" } } } : counting(asked, number)
      )
      const { say } = yield* opened(client)
      assert.strictEqual((yield* say({ input: "Hi" })).type, "response.completed")
      assert.deepStrictEqual(
        (yield* ledger).map(({ status }) => status),
        ["void", "settled"]
      )
    })
  )
})
