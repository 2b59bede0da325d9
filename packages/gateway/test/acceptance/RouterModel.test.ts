/** A model of the operator's own: named in the configuration, replaced while the gateway runs, seen by explain and metrics. */
import { renameSync, writeFileSync } from "node:fs"
import { dirname, join } from "node:path"
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { defaultModel } from "../../src/classifier/model/Builtin.ts"
import { encodeModelFile } from "../../src/classifier/model/ModelFile.ts"
import { eventually } from "../support/Patience.ts"
import { call } from "../support/RawHttp.ts"
import { demoYaml, startGateway, temporaryStore } from "../support/RunningGateway.ts"

/** The model that ships, under another name, with every score turned into one end of the scale or the other. */
const model = (name: string, isHard: boolean): string => {
  const { file } = defaultModel
  const quantiles = file.quantiles.map((_, index) => index + (isHard ? -1_000 : 1_000))
  return encodeModelFile({ ...file, card: { ...file.card, name }, quantiles })
}

describe("router.model", () => {
  it.live("routes by the file, by its next version once that is there, and never by a broken one", () =>
    Effect.gen(function* () {
      const store = yield* temporaryStore
      const file = join(dirname(store), "my-router.json")
      writeFileSync(file, model("easy-going", false))
      const yaml = demoYaml.replace("router:\n", `router:\n  model: ${file}\n`)
      const { admin, createKey, url } = yield* startGateway({ yaml, store })
      const { secret } = yield* createKey()
      const messages = [{ role: "user", content: "How do the tides come about, in a few words?" }]
      const bucket = Effect.map(
        call(url, { path: "/v1/chat/completions", key: secret, body: { model: "auto", messages } }),
        ({ headers }) => headers["x-gateway-route-bucket"]
      )
      const explained = Effect.map(admin("POST", "/admin/route/explain", { messages }), ({ json }) => json)
      const until = (holds: (model: { readonly name: string; readonly refused: object | null }) => boolean) =>
        eventually(explained, ({ model }) => holds(model))

      assert.strictEqual(yield* bucket, "simple")
      assert.deepInclude((yield* explained).model, { name: "easy-going", file, refused: null })
      writeFileSync(`${file}.new`, model("strict", true))
      renameSync(`${file}.new`, file)
      yield* until(({ name }) => name === "strict")
      assert.strictEqual(yield* bucket, "reasoning")
      writeFileSync(file, "{ this is no model")
      const { model: kept } = yield* until(({ refused }) => refused !== null)
      assert.strictEqual(kept.name, "strict")
      assert.include(kept.refused.message, `${file}: the file is no JSON`)
      assert.strictEqual(yield* bucket, "reasoning")
      const metrics = (yield* call(url, { method: "GET", path: "/metrics" })).text
      assert.match(metrics, /^gateway_router_model_refused(\{\})? 1$/m)
      assert.match(metrics, /^gateway_router_model_loaded_time_seconds(\{.*\})? \d/m)
    })
  )

  it.live("keeps what shipped before, where that is named", () =>
    Effect.gen(function* () {
      const messages = [{ role: "user", content: "Design a URL shortener." }]
      const routed = (yaml: string) =>
        Effect.gen(function* () {
          const { admin, createKey, url } = yield* startGateway({ yaml, store: yield* temporaryStore })
          const { secret } = yield* createKey()
          const { headers } = yield* call(url, {
            path: "/v1/chat/completions",
            key: secret,
            body: { model: "auto", messages }
          })
          const { model } = (yield* admin("POST", "/admin/route/explain", { messages })).json
          return [headers["x-gateway-route-bucket"], model.name, model.date, model.file]
        })
      const named = demoYaml.replace("router:\n", "router:\n  model: builtin@1\n")
      assert.deepStrictEqual(yield* routed(named), ["simple", "builtin@1", "2026-11-21", null])
      const [bucket, name] = yield* routed(demoYaml)
      assert.notStrictEqual(bucket, "simple")
      assert.strictEqual(name, "default")
    })
  )
})
