/** Providers behind a proxy: calls that go through it, and what is said of one that fails. */
import { connect, createServer, type Socket } from "node:net"
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { listen } from "../providers/transport/Loopback.ts"
import { call } from "../support/RawHttp.ts"
import { startGateway } from "../support/RunningGateway.ts"
import { completion, completionEvents, upstream } from "../support/Upstream.ts"

/** A proxy for plain addresses that sends all that it gets to `port`, or says `refusal`. */
const serveProxy = (port: number, refusal?: string) =>
  Effect.suspend(() => {
    const heard: Array<string> = []
    const server = createServer((socket: Socket) =>
      socket.once("data", (head: Buffer) => {
        heard.push(head.toString("latin1").split("\r\n", 1)[0]!)
        if (refusal !== undefined) return void socket.end(refusal)
        const target = connect(port, "127.0.0.1", () => {
          target.write(head)
          socket.pipe(target)
          target.pipe(socket)
        })
        target.on("error", () => socket.destroy())
        socket.on("close", () => target.destroy())
      })
    )
    return Effect.map(listen(server), (loopback) => ({ ...loopback, heard }))
  })

const gatewayThrough = Effect.fnUntraced(function* (proxy: string) {
  const gateway = yield* startGateway({
    yaml: `
providers:
  up: { protocol: openai-chat, base_url: "http://models.internal.example/v1", api_key: none, proxy: "${proxy}" }
deployments: [up/m]
failover: { attempts: 1 }
`
  })
  const { secret } = yield* gateway.createKey()
  const chat = (stream: boolean) =>
    call(gateway.url, {
      path: "/v1/chat/completions",
      key: secret,
      body: { model: "up/m", stream, messages: [{ role: "user", content: "Hi" }] }
    })
  return { ...gateway, chat }
})

describe("a provider with a proxy", () => {
  it.live("is called through it, complete responses and streams", () =>
    Effect.gen(function* () {
      const up = yield* upstream(({ body }) =>
        body["stream"] === true
          ? { headers: { "content-type": "text/event-stream" }, body: completionEvents("one") }
          : { body: completion("one") }
      )
      const proxy = yield* serveProxy(Number(new URL(up.baseUrl).port))
      const { chat } = yield* gatewayThrough(`http://127.0.0.1:${proxy.port}`)
      const whole = yield* chat(false)
      assert.deepStrictEqual([whole.status, whole.json.choices[0].message.content], [200, "one"])
      const streamed = yield* chat(true)
      assert.strictEqual(streamed.status, 200)
      assert.include(streamed.text, "data: [DONE]")
      for (const line of proxy.heard) {
        assert.strictEqual(line, "POST http://models.internal.example/v1/chat/completions HTTP/1.1")
      }
    })
  )

  it.live(
    "fails with a sentence that names the proxy in the receipt, and shows callers neither it nor a password",
    () =>
      Effect.gen(function* () {
        const refusing = yield* serveProxy(0, "HTTP/1.1 407 Proxy Authentication Required\r\ncontent-length: 0\r\n\r\n")
        for (const [address, sentence] of [
          ["127.0.0.1:1", "the proxy http://127.0.0.1:1 refused the connection (ECONNREFUSED)"],
          [`127.0.0.1:${refusing.port}`, `the proxy http://127.0.0.1:${refusing.port} wants other credentials (407)`]
        ] as const) {
          const { admin, chat } = yield* gatewayThrough(`http://me:s3cret@${address}`)
          for (const stream of [false, true]) {
            const { json, status, text } = yield* chat(stream)
            assert.strictEqual(status, 502)
            assert.strictEqual(json.error.code, "upstream_unavailable")
            assert.notInclude(text, "127.0.0.1")
          }
          const receipts = yield* admin("GET", "/admin/requests")
          const inFull = `http://models.internal.example can't be called: ${sentence}`
          assert.strictEqual(receipts.text.split(inFull).length - 1, 2)
          assert.notInclude(receipts.text, "s3cret")
        }
      })
  )
})
