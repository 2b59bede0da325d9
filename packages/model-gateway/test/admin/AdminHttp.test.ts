import * as NodeHttpClient from "@effect/platform-node/NodeHttpClient"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Fiber, Redacted } from "effect"
import { TestClock } from "effect/testing"
import { adminHttp } from "../../src/admin/AdminHttp.ts"
import { adminStub, type Answer } from "../AdminStub.ts"

const SECRET = "k7Qm2ZxVt9Lp4RfWc8Jd1HsNb6GyTa3E"

const ask = Effect.fnUntraced(function* (url: string) {
  const client = yield* adminHttp({ url, key: Redacted.make(SECRET), keyFrom: "gateway.yaml" })
  return yield* client.get("/admin/keys")
}, Effect.provide(NodeHttpClient.layerUndici))

const messageFor = Effect.fnUntraced(function* (answer: Answer) {
  const stub = yield* adminStub({ "GET /admin/keys": answer })
  const error = yield* Effect.flip(ask(stub.url))
  return error.message.replace(stub.url, "URL")
})

const error = (message: string) => ({ error: { type: "t", message, param: null, code: null } })

describe("an admin call", () => {
  it.effect("carries the master key as a bearer token", () =>
    Effect.gen(function* () {
      const stub = yield* adminStub({ "GET /admin/keys": { body: {} } })
      assert.strictEqual((yield* ask(stub.url)).status, 200)
      assert.deepStrictEqual(stub.asked, [
        { method: "GET", path: "/admin/keys", authorization: `Bearer ${SECRET}`, body: undefined }
      ])
    })
  )

  it.effect("says which key was refused and where it came from, and never the key", () =>
    Effect.gen(function* () {
      const unknown = yield* messageFor({ status: 401, body: error("Wrong API key.") })
      assert.strictEqual(unknown, "URL does not know the credential, which was taken from gateway.yaml: Wrong API key.")
      const virtual = yield* messageFor({ status: 403, body: error("This is a virtual key.") })
      assert.strictEqual(
        virtual,
        "URL refuses this to the credential that was taken from gateway.yaml: This is a virtual key."
      )
    })
  )

  it.effect("passes on what the gateway says, made harmless for a terminal", () =>
    Effect.gen(function* () {
      assert.strictEqual(
        yield* messageFor({ status: 404, body: error("No key\u001b[2J of that id.") }),
        "No key�[2J of that id."
      )
      assert.strictEqual(
        yield* messageFor({ status: 422, body: error("a.yaml:1:1: no\n\u001b[2Ja.yaml:2:1: no") }),
        "a.yaml:1:1: no\n�[2Ja.yaml:2:1: no"
      )
      assert.strictEqual(yield* messageFor({ status: 503, body: error("The store is down.") }), "The store is down.")
    })
  )

  it.effect("tells a gateway from something else", () =>
    Effect.gen(function* () {
      for (const answer of [
        { status: 404, body: "<html>nginx</html>" },
        { status: 500, body: { message: "oops" } },
        { status: 302, body: "" }
      ]) {
        assert.match(yield* messageFor(answer), /^URL responds, but not as .* expects\. Check the address\.$/)
      }
    })
  )

  it.effect("says how to start the gateway where nothing listens", () =>
    Effect.gen(function* () {
      // A port that was free a moment ago.
      const { url } = yield* Effect.scoped(adminStub({}))
      assert.strictEqual(
        (yield* Effect.flip(ask(url))).message,
        `nothing responds at ${url}: is the gateway running? (model-gateway serve)`
      )
      const stub = yield* adminStub({})
      const plain = yield* Effect.flip(ask(stub.url.replace("http:", "https:")))
      assert.match(
        plain.message,
        /^nothing responds at https:\/\/127\.0\.0\.1:\d+ \(E[A-Z_]+\): is the gateway running\?/
      )
    })
  )

  it.effect("does not wait forever", () =>
    Effect.gen(function* () {
      const stub = yield* adminStub({ "GET /admin/keys": { body: null, silent: true } })
      const asking = yield* Effect.forkChild(Effect.flip(ask(stub.url)))
      yield* stub.wasAsked
      yield* TestClock.adjust("30 seconds")
      assert.match((yield* Fiber.join(asking)).message, /did not respond within 30 seconds/)
    })
  )
})
