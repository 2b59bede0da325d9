/** A configuration that changes while the gateway runs: nothing that is under way notices, and a wrong one changes nothing. */
import { readFileSync, writeFileSync } from "node:fs"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Fiber } from "effect"
import { gatewayProcess } from "../support/GatewayProcess.ts"
import { eventually, until } from "../support/Patience.ts"
import { call } from "../support/RawHttp.ts"
import { masterKey } from "../support/RunningGateway.ts"
import { closedBooks, servingProcess } from "./Serving.ts"

const serving = Effect.map(servingProcess(), (set) => {
  const original = readFileSync(set.config, "utf8")
  const admin = (method: string, path: string, body?: object) =>
    call(set.url, { method, path, key: masterKey, ...(body === undefined ? {} : { body }) })
  return {
    ...set,
    admin,
    /** Writes what `change` makes of the first text. */
    edit: (change: (text: string) => string) => Effect.sync(() => writeFileSync(set.config, change(original))),
    reload: admin("POST", "/admin/config/reload"),
    ask: (model: string) =>
      Effect.map(
        call(set.url, { ...set.wish("m", false), body: { ...set.wish("m", false).body, model } }),
        (answer) => ({
          status: answer.status,
          decision: answer.headers["x-gateway-decision"]
        })
      )
  }
})

const withAlias = (text: string) => `${text}models: { other: [up/m] }\n`
const withoutGated = (text: string) => text.replace(/\{ provider: up, model: gated, .*?\} \}, /, "")

describe("a changed configuration", () => {
  it.live("is in force at once, and what is under way ends as it began", () =>
    Effect.gen(function* () {
      const { admin, askedFor, ask, chat, edit, end, finish, reload, store } = yield* serving
      const stream = yield* Effect.forkChild(chat("gated", true))
      yield* askedFor(1)
      yield* admin("POST", "/admin/deployments/disable", { deployment: "up/large" })
      assert.strictEqual((yield* ask("other")).status, 404)
      yield* edit((text) => withAlias(withoutGated(text)))
      const { json, status } = yield* reload
      assert.deepStrictEqual([status, json], [200, { object: "config_reload", needs_restart: [] }])
      assert.deepStrictEqual(yield* ask("other"), { status: 200, decision: "up/m" })
      assert.strictEqual((yield* ask("up/gated")).status, 404)
      const { json: list } = yield* admin("GET", "/admin/deployments")
      assert.deepStrictEqual(
        list.data.map((one: { id: string; status: string }) => [one.id, one.status]),
        [
          ["up/m", "in_rotation"],
          ["up/hang", "in_rotation"],
          ["up/large", "out_of_rotation"],
          ["up/long", "in_rotation"]
        ]
      )
      finish()
      assert.isTrue((yield* Fiber.join(stream)).text.endsWith("data: [DONE]\n\n"))
      const { text: metrics } = yield* admin("GET", "/metrics")
      assert.match(metrics, /up\/gated/)
      assert.strictEqual(yield* end("SIGTERM"), 0)
      assert.lengthOf(yield* closedBooks(store), 2)
    })
  )

  it.live("that is wrong changes nothing, and is told as `check` tells it", () =>
    Effect.gen(function* () {
      const { ask, config, edit, reload, signal, stderr } = yield* serving
      yield* edit((text) => withAlias(text).replace("[up/m] }", "[up/n, 7] }").replace("port: 0", "prot: 0"))
      const { json, status } = yield* reload
      assert.deepStrictEqual([status, json.error.code], [400, "invalid_configuration"])
      const checked = yield* Effect.flip(gatewayProcess(["check", "--config", config], () => undefined))
      assert.isAbove(json.error.message.split("\n").length, 1)
      assert.include(String("message" in checked && checked.message), json.error.message)
      signal("SIGHUP")
      yield* until(() => stderr().includes("SIGHUP is ignored"))
      assert.strictEqual((yield* ask("up/m")).status, 200)
      assert.strictEqual((yield* ask("other")).status, 404)
      yield* edit((text) => `${text}router: { model: ./none.json }\n`)
      const missing = yield* reload
      assert.deepStrictEqual([missing.status, missing.json.error.code], [400, "invalid_configuration"])
      assert.strictEqual((yield* ask("up/m")).status, 200)
    })
  )

  it.live("says what waits for a restart, and the rest is in force", () =>
    Effect.gen(function* () {
      const { ask, config, edit, reload, stderr, url } = yield* serving
      yield* edit((text) =>
        withAlias(text)
          .replace("port: 0", "port: 1, shutdown_grace: 7s")
          .replace("gateway.db", "other.db")
          .replace(masterKey, `${masterKey}2`)
      )
      const { json } = yield* reload
      assert.deepStrictEqual(json.needs_restart, ["server.port", "server.shutdown_grace", "master_key", "store.sqlite"])
      assert.strictEqual((yield* ask("other")).status, 200)
      yield* until(() => stderr().includes("server.shutdown_grace"))
      yield* edit(withAlias)
      const args = ["config", "reload", "--url", url, "--config", config]
      const said = yield* gatewayProcess(args, ({ stdout }) => (stdout.includes("\n") ? stdout : undefined), {
        environment: { GATEWAY_MASTER_KEY: masterKey }
      })
      assert.strictEqual(said.ready, "The configuration is in force.\n")
    })
  )

  it.live("comes with SIGHUP, too", () =>
    Effect.gen(function* () {
      const { ask, edit, signal } = yield* serving
      yield* edit(withAlias)
      signal("SIGHUP")
      yield* eventually(ask("other"), ({ status }) => status === 200)
    })
  )

  it.live("again and again under load drops no request", () =>
    Effect.gen(function* () {
      const { ask, chat, edit, end, reload, store } = yield* serving
      const clients = Array.from({ length: 4 }, (_, client) =>
        Effect.forEach(Array.from({ length: 25 }), () =>
          client % 2 === 0 ? ask("up/m") : Effect.map(chat("m", true), ({ status }) => ({ status, decision: "up/m" }))
        )
      )
      const load = yield* Effect.forkChild(Effect.all(clients, { concurrency: 4 }))
      for (let times = 0; times < 8; times++) {
        yield* edit(times % 2 === 0 ? withAlias : (text) => text)
        assert.strictEqual((yield* reload).status, 200)
      }
      for (const answers of yield* Fiber.join(load)) {
        for (const answer of answers) assert.deepStrictEqual(answer, { status: 200, decision: "up/m" })
      }
      assert.strictEqual(yield* end("SIGTERM"), 0)
      assert.lengthOf(yield* closedBooks(store), 100)
    })
  )
})
