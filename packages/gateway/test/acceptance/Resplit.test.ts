/** However the network cuts a provider's stream into pieces, the caller gets the same bytes. */
import { createServer } from "node:http"
import type { AddressInfo } from "node:net"
import { setImmediate } from "node:timers/promises"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Stream } from "effect"
import { chat } from "../../src/core/operations/chat/Chat.ts"
import { Gateway } from "../../src/core/call/Gateway.ts"
import { Script } from "../../src/testing/Script.ts"
import { callerWith, deployment, gatewayLayer, seeded } from "../core/call/Support.ts"
import { streaming } from "../core/call/Talk.ts"
import { call } from "../support/RawHttp.ts"
import { startGateway } from "../support/RunningGateway.ts"
import { families, hasData, loadFamily, sayWhenMissing } from "../support/Transcripts.ts"
import { completionEvents } from "../support/Upstream.ts"

sayWhenMissing("recorded streams, cut anew")

const gateway = gatewayLayer(
  { "*": [Script.hang] },
  {
    deployments: [
      deployment("openai/a"),
      deployment("anthropic/b", { vendor: "anthropic", protocol: "anthropic-messages" })
    ],
    failover: { attempts: 1 }
  }
)

/** Everything a caller gets of a stream that comes in these pieces, and how it ended. */
const told = Effect.fnUntraced(function* (model: string, pieces: ReadonlyArray<Uint8Array>) {
  const script = yield* Script
  const provider = model.split("/")[0]!
  yield* script.rewrite(provider, [Script.raw({ headers: { "content-type": "text/event-stream" }, body: pieces })])
  const asked = Effect.gen(function* () {
    const { call } = yield* Gateway
    const answer = yield* call(
      chat,
      streaming({ caller: callerWith() }, { model, stream_options: { include_usage: true } })
    )
    if (answer.kind === "whole") return yield* Effect.die("no stream")
    let text = ""
    const add = (piece: string) => Effect.sync(() => void (text += piece))
    const ending = yield* Effect.result(Stream.runForEach(answer.events, add))
    return `${unnamed(text)}\n${ending._tag}`
  })
  return yield* Effect.scoped(asked).pipe(Effect.catch((error) => Effect.succeed(JSON.stringify(error))))
})

/** Without the id of the answer, which is another one each time. */
const unnamed = (text: string): string => {
  const id = /"id":"([^"]+)"/.exec(text)?.[1]
  return id === undefined ? text : text.replaceAll(`"id":"${id}"`, '"id":""')
}

/** The bytes cut at these places. */
const cut = (bytes: Uint8Array, places: ReadonlyArray<number>): ReadonlyArray<Uint8Array> =>
  [0, ...places].map((from, index) => bytes.subarray(from, places[index] ?? bytes.length))

const somewhere = (bytes: Uint8Array, times: number, below: (end: number) => number): ReadonlyArray<Uint8Array> =>
  cut(
    bytes,
    Array.from({ length: times }, () => below(bytes.length)).sort((a, b) => a - b)
  )

/** As servers write it who think of lines only: CRLF, and comments in between. */
const disguised = (bytes: Uint8Array): Uint8Array => {
  const text = Buffer.from(bytes).toString("utf8").replaceAll("\r\n", "\n")
  return Buffer.from(text.replaceAll("\n\n", "\n\n: still here\n\n").replaceAll("\n", "\r\n"))
}

/** Two and more bytes a character, and one that JavaScript keeps in two halves. */
const made = Buffer.from(completionEvents("Grüße, ", "Ελλάδα 🐘 ", "日本").join(""))

const recorded = [
  ...families("openai.chat.completions").map((family) => ({ family, model: "openai/a" })),
  ...families("anthropic.messages").map((family) => ({ family, model: "anthropic/b" }))
].flatMap(({ family, model }) =>
  loadFamily(family)
    .filter(({ response, streamed }) => streamed && response.status === 200)
    .map(({ name, response }) => ({ name, model, bytes: response.bytes }))
)

describe("a stream cut anew", () => {
  it.effect("at every single byte comes out as it would in one piece", () =>
    Effect.gen(function* () {
      const whole = yield* told("openai/a", [made])
      assert.include(whole, "日本")
      assert.isTrue(whole.endsWith("data: [DONE]\n\n\nSuccess"))
      for (let at = 1; at < made.length; at++) {
        assert.strictEqual(yield* told("openai/a", cut(made, [at])), whole, `cut at ${at}`)
      }
      const single = Array.from(made, (_, at) => at).slice(1)
      assert.strictEqual(yield* told("openai/a", cut(made, single)), whole, "byte by byte")
    }).pipe(Effect.provide(gateway))
  )

  it.effect.skipIf(!hasData)(
    "at random comes out the same, for all that were recorded, with CRLF and comments too",
    () =>
      Effect.gen(function* () {
        const { below } = seeded(7)
        assert.isAtLeast(recorded.length, 100)
        for (const { bytes, model, name } of recorded) {
          const whole = yield* told(model, [bytes])
          for (const times of [1, 5, 50]) {
            assert.strictEqual(
              yield* told(model, somewhere(bytes, times, below)),
              whole,
              `${name} in ${times + 1} pieces`
            )
          }
          const other = somewhere(disguised(bytes), 20, below)
          assert.strictEqual(yield* told(model, other), whole, `${name} in disguise`)
        }
      }).pipe(Effect.provide(gateway))
  )

  it.live("comes out the same through sockets", () =>
    Effect.gen(function* () {
      const { below } = seeded(11)
      let pieces: ReadonlyArray<Uint8Array> = []
      const server = createServer((request, response) => {
        request.resume()
        response.writeHead(200, { "content-type": "text/event-stream" })
        // Each piece in a turn of its own, so that most arrive alone.
        const write = async () => {
          for (const piece of pieces) {
            response.write(piece)
            await setImmediate()
          }
          response.end()
        }
        void write()
      })
      yield* Effect.callback<void>((resume) => void server.listen(0, "127.0.0.1", () => resume(Effect.void)))
      yield* Effect.addFinalizer(() => Effect.sync(() => server.close().closeAllConnections()))
      const { port } = server.address() as AddressInfo
      const { createKey, url } = yield* startGateway({
        yaml: `
providers: { up: { protocol: openai-chat, base_url: "http://127.0.0.1:${port}/v1", api_key: none } }
deployments: [{ provider: up, model: m, price: { input: 1, output: 2 } }]
`
      })
      const { secret } = yield* createKey()
      const body = { model: "up/m", stream: true, messages: [{ role: "user", content: "Hi" }] }
      const ask = Effect.map(
        Effect.suspend(() => call(url, { path: "/v1/chat/completions", key: secret, body })),
        ({ text }) => unnamed(text).replace(/"receipt_id":"[^"]*"/, "")
      )
      pieces = [made]
      const whole = yield* ask
      assert.isTrue(whole.endsWith("data: [DONE]\n\n"))
      for (let round = 0; round < 40; round++) {
        pieces = somewhere(round % 2 === 0 ? made : disguised(made), 1 + below(60), below)
        assert.strictEqual(yield* ask, whole, `round ${round}`)
      }
    })
  )
})
