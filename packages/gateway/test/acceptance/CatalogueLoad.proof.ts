/** The catalogue file is replaced while requests are served: none fails, and circuits of deployments stay as they are. */
import { readFileSync, renameSync, writeFileSync } from "node:fs"
import { dirname, join } from "node:path"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Fiber } from "effect"
import { eventually } from "../support/Patience.ts"
import { call } from "../support/RawHttp.ts"
import { masterKey } from "../support/RunningGateway.ts"
import { servingProcess } from "./Serving.ts"

const SWAPS = 100

/** The `number`th file, a second younger than the one before it. */
const fileOf = (number: number): string => {
  const made = new Date(Date.UTC(2027, 0, 1) + number * 1_000).toISOString().replace(".000Z", "Z")
  const models = {
    "openai-compatible/new": { limits: { context: 10_000 }, prices: [{ usd: { input: number, output: number } }] }
  }
  return JSON.stringify({ schema: "catalogue/v1", version: `v${number}`, made, models })
}

const serving = Effect.gen(function* () {
  const set = yield* servingProcess()
  const file = join(dirname(set.store), "catalogue.json")
  const admin = (method: string, path: string, body?: object) =>
    call(set.url, { method, path, key: masterKey, ...(body === undefined ? {} : { body }) })
  const configure = (change: (text: string) => string) =>
    Effect.suspend(() => {
      writeFileSync(set.config, change(readFileSync(set.config, "utf8")))
      return Effect.map(admin("POST", "/admin/config/reload"), ({ status }) => assert.strictEqual(status, 200))
    })
  const write = (text: string) => {
    writeFileSync(`${file}.new`, text)
    renameSync(`${file}.new`, file)
  }
  return { ...set, admin, configure, write }
})

describe("100 catalogue files under load, half of them bad", () => {
  it.live(
    "add a model that is served within a second, and fail no request",
    () =>
      Effect.gen(function* () {
        const { admin, chat, configure, url, wish, write } = yield* serving
        yield* configure((text) => text.replace("deployments: [", "deployments: [{ provider: up, model: new }, "))
        const { json: made } = yield* admin("POST", "/admin/keys", { budgets: [{ usd: 10, window: "total" }] })
        const asked = call(url, { ...wish("new", false), key: String(made.key) })
        assert.strictEqual((yield* asked).json.error.code, "price_unknown")
        const statuses = new Map<number, number>()
        const load = { isOver: false }
        const client = Effect.gen(function* () {
          for (let count = 0; !load.isOver; count++) {
            const { isBroken, status } = yield* chat("m", count % 2 === 0)
            const seen = isBroken ? 0 : status
            statuses.set(seen, (statuses.get(seen) ?? 0) + 1)
          }
        })
        const clients = yield* Effect.forkChild(Effect.all([client, client, client], { concurrency: "unbounded" }))
        const waits: Array<number> = []
        for (let number = 1; number <= SWAPS; number++) {
          const isGood = number % 2 === 1
          const began = performance.now()
          write(isGood ? fileOf(number) : fileOf(number).slice(0, -9))
          // The price names the file: 16 tokens in all, at `number` USD per million.
          const cost = (number * 16) / 1e6
          if (isGood) {
            yield* eventually(asked, ({ json }) => Math.abs((json.usage?.cost ?? 0) - cost) < 1e-9)
            waits.push(performance.now() - began)
          } else {
            const failures = `gateway_catalogue_failures_total ${number / 2}\n`
            yield* eventually(admin("GET", "/metrics"), ({ text }) => text.includes(failures))
          }
        }
        load.isOver = true
        yield* Fiber.join(clients)
        assert.deepStrictEqual([...statuses.keys()], [200])
        assert.isAbove(statuses.get(200)!, SWAPS)
        const sorted = waits.toSorted((a, b) => a - b)
        yield* Effect.logInfo(
          `${statuses.get(200)} requests, 0 failed; a file took force in ${sorted[sorted.length >> 1]!.toFixed(0)} ms (median), ${sorted.at(-1)!.toFixed(0)} ms at most`
        )
        assert.isBelow(sorted[sorted.length >> 1]!, 1_000)
      }),
    180_000
  )
})

describe("an open circuit", () => {
  const circuit = (admin: (method: string, path: string) => ReturnType<typeof call>) =>
    Effect.map(admin("GET", "/admin/deployments"), ({ json }) => {
      const one = json.data.find(({ id }: { readonly id: string }) => id === "down/m")
      return [one.health.circuit, one.health.consecutive_failures]
    })

  it.live(
    "stays open when the catalogue or another part of the configuration changes, and closes at another address",
    () =>
      Effect.gen(function* () {
        const { admin, configure, url, wish, write } = yield* serving
        yield* configure((text) =>
          text
            .replace(
              "providers: {",
              'providers: { down: { protocol: openai-chat, base_url: "http://127.0.0.1:1/v1", api_key: none },'
            )
            .replace("deployments: [", "deployments: [{ provider: down, model: m, price: { input: 1, output: 2 } }, ")
        )
        const asked = call(url, { ...wish("m", false), body: { ...wish("m", false).body, model: "down/m" } })
        yield* eventually(Effect.andThen(asked, circuit(admin)), ([state]) => state === "open")
        const before = yield* circuit(admin)
        write(fileOf(1))
        yield* eventually(admin("GET", "/metrics"), ({ text }) => /gateway_catalogue_info\{version="v1"/.test(text))
        assert.deepStrictEqual(yield* circuit(admin), before)
        yield* configure((text) => `${text}models: { other: [up/m] }\n`)
        assert.deepStrictEqual(yield* circuit(admin), before)
        yield* configure((text) => text.replace("127.0.0.1:1/", "127.0.0.1:2/"))
        assert.deepStrictEqual(yield* circuit(admin), ["closed", 0])
      })
  )
})
