/** The operator's catalogue file while the gateway runs and when it starts, and models that the configuration describes. */
import { readFileSync, renameSync, writeFileSync } from "node:fs"
import { dirname, join } from "node:path"
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { gatewayProcess, listening } from "../support/GatewayProcess.ts"
import { eventually } from "../support/Patience.ts"
import { call } from "../support/RawHttp.ts"
import { ledgerOf, masterKey } from "../support/RunningGateway.ts"
import { servingProcess } from "./Serving.ts"

const budgets = [{ usd: 10, window: "total" }]

const fileOf = (made: string, models: object, more: object = {}) =>
  JSON.stringify({ schema: "catalogue/v1", version: made, made, models, ...more })

const priced = (input: number) => ({
  "openai-compatible/new": { limits: { context: 10_000 }, prices: [{ usd: { input, output: 2 } }] }
})

const serving = Effect.gen(function* () {
  const set = yield* servingProcess()
  const file = join(dirname(set.store), "catalogue.json")
  const asking = (url: string) =>
    Effect.map(call(url, { path: "/admin/keys", key: masterKey, body: { budgets } }), ({ json }) =>
      call(url, { path: "/v1/chat/completions", key: String(json.key), body: { ...set.wish("new", false).body } })
    )
  const edit = (more: string) =>
    Effect.andThen(
      Effect.sync(() => {
        const text = readFileSync(set.config, "utf8").replace(
          "deployments: [",
          "deployments: [{ provider: up, model: new }, "
        )
        writeFileSync(set.config, `${text}${more}\n`)
      }),
      call(set.url, { method: "POST", path: "/admin/config/reload", key: masterKey })
    )
  const metric = (name: string) =>
    Effect.map(call(set.url, { method: "GET", path: "/metrics", key: masterKey }), ({ text }) =>
      text.split("\n").filter((line) => line.startsWith(name))
    )
  return { ...set, ask: yield* asking(set.url), asking, edit, file, metric }
})

/** At once: half of a file would be a failure of its own. */
const put = (file: string, text: string) => {
  writeFileSync(`${file}.new`, text)
  renameSync(`${file}.new`, file)
}

const versions = (store: string) => ledgerOf(store).map(({ price_version: version }) => version)

describe("the catalogue file", () => {
  it.live("is taken over when it changes, and a bad one changes nothing, also at a start", () =>
    Effect.gen(function* () {
      const { ask, asking, config, edit, end, file, metric, stderr, store } = yield* serving
      yield* edit("")
      assert.strictEqual((yield* ask).json.error.code, "price_unknown")
      put(file, fileOf("2027-01-02T00:00:00Z", priced(1)))
      assert.strictEqual((yield* eventually(ask, ({ status }) => status === 200)).json.usage.cost, 0.000_02)
      yield* eventually(metric("gateway_catalogue_info"), (lines) =>
        lines.some((line) => /version="2027-01-02.*layer="loaded".* 1$/.test(line))
      )
      const bad: ReadonlyArray<readonly [text: string, said: RegExp]> = [
        [fileOf("2027-01-03T00:00:00Z", priced(9)).slice(0, -3), /the file is not JSON/],
        [fileOf("2027-01-01T00:00:00Z", priced(9)), /made at 2027-01-01T00:00:00Z, before catalogue 2027-01-02/],
        [" ".repeat(2 * 1024 * 1024), /the file has 2097152 bytes/],
        [
          fileOf(
            "2027-01-03T00:00:00Z",
            Object.fromEntries(Array.from({ length: 100_000 }, (_, at) => [`a/${at}`, {}]))
          ),
          /the file has 100000 models; the most is 5000/
        ],
        [fileOf("2027-01-03T00:00:00Z", priced(9), { traits: { t: { prices: [] } } }), /a trait may not carry prices/],
        [
          fileOf("2027-01-03T00:00:00Z", priced(9), { globs: [{ match: "a/*", fees: {} }] }),
          /a glob may not carry prices/
        ]
      ]
      for (const [index, [text, said]] of bad.entries()) {
        put(file, text)
        yield* eventually(
          metric("gateway_catalogue_failures_total"),
          ([line]) => line?.endsWith(` ${index + 1}`) === true
        )
        yield* eventually(Effect.sync(stderr), (text) => said.test(text))
        assert.strictEqual((yield* ask).json.usage.cost, 0.000_02)
      }
      assert.strictEqual(yield* end("SIGTERM"), 0)
      const again = yield* gatewayProcess(["serve", "--config", config], listening)
      const askAgain = yield* asking(again.ready)
      assert.strictEqual((yield* askAgain).json.usage.cost, 0.000_02)
      yield* eventually(Effect.sync(again.stderr), (text) => text.includes("the catalogue file was not loaded"))
      put(file, fileOf("2027-01-04T00:00:00Z", priced(3)))
      yield* eventually(askAgain, ({ json }) => json.usage?.cost === 0.000_044)
      // A rule about a price that needs a feature of a newer version closes the model under budgets.
      const strange = { ...priced(3)["openai-compatible/new"], rules: [{ when: ["telepathy"], price: "cache_write" }] }
      put(file, fileOf("2027-01-05T00:00:00Z", { "openai-compatible/new": strange }))
      yield* eventually(Effect.sync(again.stderr), (text) => /unknown features are ignored.*telepathy/.test(text))
      yield* eventually(askAgain, ({ json }) => json.error?.code === "price_unknown")
      yield* again.end("SIGTERM")
      assert.includeMembers(versions(store), ["2027-01-02T00:00:00Z", "2027-01-04T00:00:00Z"])
    })
  )
})

describe("a model that the configuration describes", () => {
  it.live("has its own price, the behaviour of the model it is like, and is named in the version", () =>
    Effect.gen(function* () {
      const { ask, edit, end, store, url } = yield* serving
      const { status } = yield* edit(
        `catalogue: { models: { "openai-compatible/n*": { like: openai/gpt-4o, prices: [{ usd: { input: 1, output: 2 } }] } } }`
      )
      assert.strictEqual(status, 200)
      assert.strictEqual((yield* ask).json.usage.cost, 0.000_02)
      const { json } = yield* call(url, { method: "GET", path: "/admin/deployments", key: masterKey })
      const found = json.data.find(({ id }: { readonly id: string }) => id === "up/new")
      assert.strictEqual(found.context_window, 128_000)
      yield* end("SIGTERM")
      assert.match(String(versions(store)[0]), /^\d{4}-\d\d-\d\d\.\d+\+configuration$/)
    })
  )

  it.live("with a mistake is named, and the configuration before stays in force", () =>
    Effect.gen(function* () {
      const { edit } = yield* serving
      const { json, status } = yield* edit(`catalogue: { models: { "a/b": { prices: [{ usd: { inptu: 1 } }] } } }`)
      assert.strictEqual(status, 400)
      assert.match(json.error.message, /catalogue\.models.*a\/b → prices → 0 → usd → inptu/)
    })
  )
})
