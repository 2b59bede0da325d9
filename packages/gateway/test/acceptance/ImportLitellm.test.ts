/** What was imported from LiteLLM serves as it did there: the same models at the same addresses, in the same shares. */
import { appendFileSync, writeFileSync } from "node:fs"
import { dirname, join } from "node:path"
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { gatewayProcess, listening } from "../support/GatewayProcess.ts"
import { call } from "../support/RawHttp.ts"
import { masterKey, temporaryStore } from "../support/RunningGateway.ts"
import { completion, upstream } from "../support/Upstream.ts"

const CALLS = 200

interface Entry {
  readonly model: string
  readonly more?: string
  /** Of the calls, by LiteLLM's simple-shuffle. */
  readonly share: number
}

/** Names as configurations have them, and what LiteLLM makes of each. */
const names: Readonly<Record<string, ReadonlyArray<Entry>>> = {
  single: [{ model: "single-a", share: 1 }],
  equal: [
    { model: "equal-a", share: 1 / 2 },
    { model: "equal-b", share: 1 / 2 }
  ],
  three: ["three-a", "three-b", "three-c"].map((model) => ({ model, share: 1 / 3 })),
  weights: [
    { model: "weights-a", more: ", weight: 2", share: 1 / 2 },
    { model: "weights-b", more: ", weight: 1", share: 1 / 4 },
    { model: "weights-c", more: ", weight: 1", share: 1 / 4 }
  ],
  requests: [
    { model: "requests-a", more: ", rpm: 300", share: 3 / 4 },
    { model: "requests-b", more: ", rpm: 100", share: 1 / 4 }
  ],
  tokens: [
    { model: "tokens-a", more: ", tpm: 90000", share: 9 / 10 },
    { model: "tokens-b", more: ", tpm: 10000", share: 1 / 10 }
  ],
  weightsFirst: [
    { model: "first-a", more: ", weight: 1, rpm: 900", share: 1 / 2 },
    { model: "first-b", more: ", weight: 1, rpm: 100", share: 1 / 2 }
  ],
  ordered: [
    { model: "ordered-a", more: ", order: 1", share: 1 },
    { model: "ordered-b", more: ", order: 2", share: 0 }
  ],
  bounded: [
    { model: "bounded-a", more: ", max_parallel_requests: 500", share: 1 / 2 },
    { model: "bounded-b", more: ", timeout: 60, stream_timeout: 20", share: 1 / 2 }
  ],
  "team/*": [{ model: "wild-a", share: 1 }]
}

/** How people ask for it. */
const askedAs = (name: string): string => name.replace("*", "anything")

const serving = Effect.gen(function* () {
  const { asked, baseUrl } = yield* upstream(({ body }) =>
    body.model === "broken" ? { status: 500, body: { error: { message: "no" } } } : { body: completion("yes") }
  )
  const store = yield* temporaryStore
  const file = (name: string) => join(dirname(store), name)
  const entry = (name: string, { model, more = "" }: Omit<Entry, "share">) =>
    `  - { model_name: "${name}", litellm_params: { model: openai/${model}, api_base: "${baseUrl}/", api_key: os.environ/UP_KEY${more} } }\n`
  const entries = Object.entries(names).flatMap(([name, all]) => all.map((one) => entry(name, one)))
  writeFileSync(
    file("config.yaml"),
    `model_list:\n${entries.join("")}${entry("weak", { model: "broken" })}` +
      `router_settings: { model_group_alias: { alias: equal } }\n` +
      `litellm_settings: { fallbacks: [{ weak: [single] }] }\ngeneral_settings: { master_key: os.environ/LITELLM_MASTER_KEY }\n`
  )
  const made = yield* gatewayProcess(
    ["import", "litellm", file("config.yaml"), "--out", file("gateway.yaml")],
    ({ stdout }) => stdout.includes("Next:") || undefined
  )
  assert.isTrue(made.ready)
  appendFileSync(file("gateway.yaml"), `\nserver: { port: 0 }\nstore: { sqlite: "${store}" }\n`)
  const environment = { LITELLM_MASTER_KEY: masterKey, UP_KEY: "up-key" }
  const gateway = yield* gatewayProcess(["serve", "--config", file("gateway.yaml")], listening, { environment })
  const { json } = yield* call(gateway.ready, { path: "/admin/keys", key: masterKey, body: {} })
  const ask = (model: string) =>
    call(gateway.ready, {
      path: "/v1/chat/completions",
      key: String(json.key),
      body: { model, messages: [{ role: "user", content: "Hi" }] }
    })
  return { asked, ask }
})

describe("a configuration that was imported from LiteLLM", () => {
  it.live("spreads the calls of each name as LiteLLM's weights do, and falls back", () =>
    Effect.gen(function* () {
      const { ask, asked } = yield* serving
      for (const [name, entries] of [...Object.entries(names), ["alias", names["equal"] ?? []] as const]) {
        const before = asked.length
        const wanted = entries.filter(({ share }) => share > 0)
        // Where nothing is drawn, a few tell as much.
        const calls = wanted.length === 1 ? 20 : CALLS
        yield* Effect.forEach(
          Array.from({ length: calls }),
          () =>
            Effect.map(ask(askedAs(name)), ({ status, text }) => assert.strictEqual(status, 200, `${name}: ${text}`)),
          { concurrency: 4, discard: true }
        )
        const called = asked.slice(before).map(({ body }) => String(body.model))
        assert.sameMembers(
          [...new Set(called)],
          wanted.map(({ model }) => model),
          name
        )
        for (const { model, share } of wanted) {
          const found = called.filter((one) => one === model).length / calls
          // Five standard deviations of so many draws.
          assert.closeTo(found, share, 5 * Math.sqrt((share * (1 - share)) / calls) + 1e-9, `${name}: ${model}`)
        }
      }
      assert.deepStrictEqual(
        [...new Set(asked.map(({ headers, path }) => `${path} ${headers["authorization"]}`))],
        ["/v1/chat/completions Bearer up-key"]
      )
      const before = asked.length
      const { headers, status } = yield* ask("weak")
      assert.strictEqual(status, 200)
      assert.match(String(headers["x-gateway-deployment"]), /single/)
      assert.deepStrictEqual([asked[before]?.body.model, asked.at(-1)?.body.model], ["broken", "single-a"])
      assert.strictEqual((yield* ask("nobody")).status, 404)
    })
  )
})
