/** `Idempotency-Key`: a repeated request gets the first one's answer, and its provider is asked once. */
import { assert, describe, it } from "@effect/vitest"
import { Effect, Fiber } from "effect"
import { TestClock } from "effect/testing"
import { type Answered, call, eventsOf } from "../support/RawHttp.ts"
import { gatewayProcess, listening } from "../support/GatewayProcess.ts"
import { eventually, until } from "../support/Patience.ts"
import { startGateway } from "../support/RunningGateway.ts"
import { wave } from "../support/Uploads.ts"
import { completion, completionEvents, upstream, vendorError } from "../support/Upstream.ts"
import { servingProcess } from "./Serving.ts"

const messages = [{ role: "user", content: "Hi" }]

/** A provider whose answers are numbered. `fails`: how many of its first answers do; `gated`: a model that waits for `finish`. */
const world = Effect.fnUntraced(function* ({ fails = 0, length = 3 }: { fails?: number; length?: number } = {}) {
  let finish = () => {}
  const gate = new Promise<void>((resolve) => (finish = resolve))
  const { asked, baseUrl } = yield* upstream(({ body }, number) => {
    if (number < fails) return { status: 400, body: vendorError("no") }
    const text = `${number}`.padEnd(length, "x")
    const waits = body.model === "gated" ? { gate } : {}
    const pieces = text.match(/.{1,1000000}/g) ?? []
    return { ...waits, body: body.stream === true ? completionEvents(...pieces, " end") : completion(text) }
  })
  const gateway = yield* startGateway({
    yaml: `
providers: { up: { protocol: openai-chat, base_url: "${baseUrl}", api_key: none, bills_after_disconnect: plain } }
deployments: [{ provider: up, model: m, price: { input: 1, output: 2 } }, { provider: up, model: gated, price: { input: 1, output: 2 } }]
server: { early_keepalive: 200ms }
`
  })
  const { secret } = yield* gateway.createKey()
  const chat = (key: string | undefined, fields: object = {}, secretKey = secret) =>
    call(gateway.url, {
      path: "/v1/chat/completions",
      key: secretKey,
      headers: key === undefined ? {} : { "idempotency-key": key },
      body: { model: "up/m", messages, ...fields }
    })
  return { ...gateway, asked, secret, chat, finish: () => finish() }
})

const errorOf = ({ json, status }: Answered) => [status, json.error.code]

describe("a repeated request", () => {
  for (const stream of [false, true]) {
    it.live(`gets the first answer again, byte for byte, and costs nothing${stream ? ", as a stream" : ""}`, () =>
      Effect.gen(function* () {
        const { asked, chat, createKey, ledger } = yield* world()
        const first = yield* chat("a", { stream })
        assert.strictEqual(first.status, 200)
        assert.isUndefined(first.headers["x-gateway-replayed"])
        for (let times = 0; times < 2; times++) {
          const again = yield* chat("a", { stream })
          assert.strictEqual(again.status, 200)
          assert.strictEqual(again.text, first.text)
          assert.strictEqual(again.headers["x-gateway-replayed"], "1")
          assert.strictEqual(again.headers["x-gateway-cost-usd"], "0")
          assert.isUndefined(again.headers["x-gateway-cost-final"])
          assert.notStrictEqual(again.headers["x-request-id"], first.headers["x-request-id"])
          for (const name of ["content-type", "x-gateway-receipt-id", "x-gateway-decision", "x-gateway-retries"]) {
            assert.strictEqual(again.headers[name], first.headers[name])
          }
          if (stream) {
            assert.strictEqual(again.trailers["x-gateway-cost-usd"], "0")
            assert.strictEqual(eventsOf(again.text).at(-1), "[DONE]")
          }
        }
        assert.lengthOf(asked, 1)
        assert.lengthOf(yield* ledger, 1)
        // Another name, another caller and no name at all are other requests.
        const other = yield* createKey()
        for (const text of [
          (yield* chat("b", { stream })).text,
          (yield* chat(undefined, { stream })).text,
          (yield* chat("a", { stream }, other.secret)).text
        ]) {
          assert.notStrictEqual(text, first.text)
        }
        assert.lengthOf(asked, 4)
      })
    )
  }

  it.live("of a form gets the first answer again, whatever its boundary, and one with another file is refused", () =>
    Effect.gen(function* () {
      const up = yield* upstream((_, number) => ({ body: { text: `answer ${number}` } }))
      const gateway = yield* startGateway({
        yaml: `
providers: { up: { vendor: openai, base_url: "${up.baseUrl}", api_key: none } }
deployments: [{ provider: up, model: whisper-1, price: { input: 1, output: 2 } }]
`
      })
      const { secret } = yield* gateway.createKey()
      const send = (file: Buffer, boundary: string) => {
        const head = `--${boundary}\r\nContent-Disposition: form-data; name="model"\r\n\r\nup/whisper-1\r\n--${boundary}\r\nContent-Disposition: form-data; name="file"; filename="a.wav"\r\nContent-Type: audio/wav\r\n\r\n`
        return call(gateway.url, {
          path: "/v1/audio/transcriptions",
          key: secret,
          headers: { "content-type": `multipart/form-data; boundary=${boundary}`, "idempotency-key": "q1" },
          body: Buffer.concat([Buffer.from(head), file, Buffer.from(`\r\n--${boundary}--\r\n`)])
        })
      }
      const first = yield* send(wave(1), "one")
      assert.deepStrictEqual([first.status, first.json.text], [200, "answer 0"])
      const again = yield* send(wave(1), "another")
      assert.deepStrictEqual([again.text, again.headers["x-gateway-replayed"]], [first.text, "1"])
      // This one is on the disk.
      assert.deepStrictEqual(errorOf(yield* send(wave(90), "one")), [422, "idempotency_key_reused"])
      assert.lengthOf(up.asked, 1)
    })
  )

  it.live("with another body is refused", () =>
    Effect.gen(function* () {
      const { asked, chat } = yield* world()
      yield* chat("a")
      assert.deepStrictEqual(errorOf(yield* chat("a", { seed: 1 })), [422, "idempotency_key_reused"])
      assert.lengthOf(asked, 1)
    })
  )

  it.live("waits while the first one runs, and gets its answer then", () =>
    Effect.gen(function* () {
      const { asked, chat, finish } = yield* world()
      const first = yield* Effect.forkChild(chat("a", { model: "up/gated" }))
      yield* until(() => asked.length === 1)
      const early = yield* chat("a", { model: "up/gated" })
      assert.deepStrictEqual(errorOf(early), [409, "idempotency_key_in_use"])
      assert.strictEqual(early.headers["retry-after"], "1")
      assert.deepStrictEqual(errorOf(yield* chat("a", { seed: 1 })), [422, "idempotency_key_reused"])
      finish()
      const { text } = yield* Fiber.join(first)
      // Many at once: none of them is told to wait.
      const repeats = yield* Effect.all(
        Array.from({ length: 8 }, () => chat("a", { model: "up/gated" })),
        { concurrency: 8 }
      )
      for (const again of repeats) assert.deepStrictEqual([again.status, again.text], [200, text])
      assert.lengthOf(asked, 1)
    })
  )

  it.live("is a new one after a failure, plain or streamed", () =>
    Effect.gen(function* () {
      const { asked, chat } = yield* world({ fails: 2 })
      for (const stream of [false, true]) assert.strictEqual((yield* chat("a", { stream })).status, 400)
      const third = yield* chat("a", { stream: true })
      assert.strictEqual(third.status, 200)
      assert.isUndefined(third.headers["x-gateway-replayed"])
      assert.lengthOf(asked, 3)
    })
  )

  for (const stream of [false, true]) {
    it.live(`is refused where the answer had more than 4 MiB${stream ? ", as a stream" : ""}`, () =>
      Effect.gen(function* () {
        const { asked, chat } = yield* world({ length: 4 * 1024 * 1024 })
        assert.strictEqual((yield* chat("a", { stream })).status, 200)
        const again = yield* chat("a", { stream })
        assert.deepStrictEqual(errorOf(again), [409, "idempotency_answer_too_large"])
        assert.strictEqual(again.headers["x-should-retry"], "false")
        assert.lengthOf(asked, 1)
      })
    )
  }

  it.live("gets the answer that was paid for although its caller hung up", () =>
    Effect.gen(function* () {
      const { asked, chat, finish, ledger } = yield* world()
      const first = yield* Effect.forkChild(chat("a", { model: "up/gated" }))
      yield* until(() => asked.length === 1)
      yield* Fiber.interrupt(first)
      finish()
      const again = yield* eventually(chat("a", { model: "up/gated" }), ({ status }) => status !== 409)
      assert.deepStrictEqual([again.status, again.headers["x-gateway-replayed"]], [200, "1"])
      assert.lengthOf(asked, 1)
      assert.lengthOf(yield* ledger, 1)
    })
  )

  it.effect("is a new one after a day", () =>
    Effect.gen(function* () {
      const { asked, chat } = yield* world()
      const { text } = yield* chat("a")
      yield* TestClock.adjust("24 hours")
      assert.strictEqual((yield* chat("a")).text, text)
      yield* TestClock.adjust("1 second")
      assert.notStrictEqual((yield* chat("a")).text, text)
      assert.lengthOf(asked, 2)
    })
  )

  it.live("needs a key that can be read", () =>
    Effect.gen(function* () {
      const { chat } = yield* world()
      for (const key of ["", "x".repeat(256)]) {
        const { json, status } = yield* chat(key)
        assert.deepStrictEqual([status, json.error.param], [400, "idempotency-key"])
      }
    })
  )
})

describe("kill -9", () => {
  it.live("loses no answer that a client saw the end of, and no key that runs for ever", () =>
    Effect.gen(function* () {
      const { askedFor, chat, config, end, wish } = yield* servingProcess()
      const named = (key: string) => ({ "idempotency-key": key })
      const seen = [yield* chat("m", false, named("whole")), yield* chat("m", true, named("streamed"))]
      yield* Effect.forkChild(Effect.ignoreCause(chat("hang", false, named("hanging"))))
      yield* askedFor(3)
      yield* end("SIGKILL")
      const next = yield* gatewayProcess(["serve", "--config", config], listening)
      const again = (model: string, stream: boolean, key: string) => call(next.ready, wish(model, stream, named(key)))
      const repeats = [yield* again("m", false, "whole"), yield* again("m", true, "streamed")]
      for (const [index, { headers, text }] of repeats.entries()) {
        assert.deepStrictEqual([headers["x-gateway-replayed"], text], ["1", seen[index]!.text])
      }
      yield* Effect.forkChild(Effect.ignoreCause(again("hang", false, "hanging")))
      // The provider is asked again: the key is free.
      yield* askedFor(4)
    })
  )
})
