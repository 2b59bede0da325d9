/** A response that a client saw finished is stored, whatever happens to the process then. */
import { writeFileSync } from "node:fs"
import { dirname, join } from "node:path"
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { gatewayProcess, listening } from "../../support/GatewayProcess.ts"
import { call } from "../../support/RawHttp.ts"
import { masterKey, temporaryStore } from "../../support/RunningGateway.ts"

describe("a gateway that is killed", () => {
  it.live("has every response whose end was sent, streamed or whole", () =>
    Effect.gen(function* () {
      const store = yield* temporaryStore
      const config = join(dirname(store), "gateway.yaml")
      const yaml = `
master_key: "${masterKey}"
server: { port: 0 }
store: { sqlite: "${store}" }
providers: { demo: { vendor: demo } }
deployments: [demo/mini]
`
      yield* Effect.sync(() => writeFileSync(config, yaml))
      const started = gatewayProcess(["serve", "--config", config], listening)
      const first = yield* started
      const { json } = yield* call(first.ready, { path: "/admin/keys", key: masterKey, body: {} })
      const key = String(json.key)
      const ask = (stream: boolean) =>
        call(first.ready, { path: "/v1/responses", key, body: { model: "demo/mini", input: "Hi", stream } })
      const streamed = /"id":"(resp_gw[0-9a-f]{32})"/.exec((yield* ask(true)).text)?.[1]
      const whole = (yield* ask(false)).json.id
      yield* first.end("SIGKILL")
      const { ready: url } = yield* started
      for (const id of [streamed, whole]) {
        const found = yield* call(url, { method: "GET", path: `/v1/responses/${id}`, key })
        assert.deepStrictEqual([found.status, found.json.id], [200, id])
      }
    })
  )
})
