/** Names with markup, formulas and direction marks: kept as they were given, harmless wherever people read them. */
import { writeFileSync } from "node:fs"
import { dirname, join } from "node:path"
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { invoke } from "../../../model-gateway/test/Invoke.ts"
import { gatewayProcess, listening } from "../support/GatewayProcess.ts"
import { call } from "../support/RawHttp.ts"
import { masterKey, temporaryStore } from "../support/RunningGateway.ts"

/** Marks that change the order in which a terminal shows what follows. */
const DIRECTION = /[\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]/

const names = [
  "<img src=x onerror=alert(1)><b>bold</b>",
  `"quoted", \\back\\slash = and "more"`,
  "\u05de\u05e4\u05ea\u05d7 \u202elive\u202c \u2066isolated\u2069",
  '=HYPERLINK("http://example.com")'
]

const started = (format: "json" | "text") =>
  Effect.gen(function* () {
    const store = yield* temporaryStore
    const config = join(dirname(store), "gateway.yaml")
    const yaml = `
master_key: "${masterKey}"
server: { port: 0 }
store: { sqlite: "${store}" }
logs: { requests: all, format: ${format} }
providers: { demo: { vendor: demo, latency: 0ms } }
deployments: [demo/mini]
`
    yield* Effect.sync(() => writeFileSync(config, yaml))
    return yield* gatewayProcess(["serve", "--config", config], listening)
  })

describe.each(["json", "text"] as const)("names of keys, with logs as %s", (format) => {
  it.live("are returned as they are, and shown without effect by the command line, the log and the metrics", () =>
    Effect.gen(function* () {
      const { end, ready: url, stderr } = yield* started(format)
      const admin = (method: string, path: string, body?: object) =>
        call(url, { method, path, key: masterKey, ...(body === undefined ? {} : { body }) })
      const body = { model: "demo/mini", max_tokens: 4, messages: [{ role: "user", content: "Hi" }] }
      for (const name of names) {
        const { json } = yield* admin("POST", "/admin/keys", { name })
        assert.strictEqual(json.name, name)
        const { status } = yield* call(url, { path: "/v1/chat/completions", key: String(json.key), body })
        assert.strictEqual(status, 200)
        const found = yield* admin("GET", `/admin/keys?q=${encodeURIComponent(name)}`)
        assert.deepStrictEqual(
          found.json.data.map((key: { readonly name: string }) => key.name),
          [name]
        )
      }
      const environment = { GATEWAY_URL: url, GATEWAY_MASTER_KEY: masterKey }
      for (const args of [
        ["keys", "list"],
        ["requests", "list"]
      ]) {
        const { code, stdout } = yield* invoke(args, environment)
        assert.strictEqual(code, 0)
        assert.notMatch(stdout, DIRECTION)
        assert.include(stdout, "<img src=x")
      }
      assert.notMatch((yield* call(url, { method: "GET", path: "/metrics", key: masterKey })).text, DIRECTION)
      assert.strictEqual(yield* end("SIGTERM"), 0)
      const lines = stderr()
        .split("\n")
        .filter((line) => line.includes("key_name"))
      assert.lengthOf(lines, names.length)
      for (const line of lines) assert.notMatch(line, DIRECTION)
      if (format === "json")
        assert.deepStrictEqual(
          lines.map((line) => JSON.parse(line).key_name),
          names
        )
    })
  )
})

describe("names of teams", () => {
  it.live("with markup or direction marks are refused in one sentence that says what may be in them", () =>
    Effect.gen(function* () {
      const { ready: url } = yield* started("json")
      for (const name of ["<b>bold</b>", "live\u202e", "\u2066team\u2069"]) {
        const team = yield* call(url, {
          method: "PUT",
          path: `/admin/teams/${encodeURIComponent(name)}`,
          key: masterKey,
          body: {}
        })
        const key = yield* call(url, { path: "/admin/keys", key: masterKey, body: { team: name } })
        for (const { json, status } of [team, key]) {
          assert.strictEqual(status, 400)
          assert.match(json.error.message, /1 to 100 letters, digits, spaces or any of \. _ @ \+ : -/)
          assert.notMatch(json.error.message, DIRECTION)
        }
      }
    })
  )
})
