/** What `kill -9` costs: the input and what can have been written until then, unless the provider bills what nobody reads. */
import { mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { gatewayProcess, listening } from "../support/GatewayProcess.ts"
import { eventually, until } from "../support/Patience.ts"
import { freshDatabase, isSkipped } from "../support/postgres/Databases.ts"
import { rowsIn } from "../support/postgres/Queries.ts"
import { call } from "../support/RawHttp.ts"
import { ledgerOf, masterKey } from "../support/RunningGateway.ts"
import { completionEvents, upstream } from "../support/Upstream.ts"

/** Nano-USD: what three words cost that arrived. */
const ARRIVED = 3 * 10_000

const prompt = "word ".repeat(200)

interface Row {
  readonly deployment: string
  readonly status: string
  readonly cost: number
  readonly reserved: number
  readonly estimated: boolean
}

/** Gateways with one configuration, before an upstream that writes three words and goes on for ever. */
const setup = Effect.fnUntraced(function* (store: (folder: string) => string) {
  const up = yield* upstream(() => ({ body: completionEvents("one ", "two ", "three").slice(0, 4), ending: "silence" }))
  const folder = yield* Effect.acquireRelease(
    Effect.sync(() => mkdtempSync(join(tmpdir(), "gateway-crash-charges-"))),
    (path) => Effect.sync(() => rmSync(path, { recursive: true, force: true }))
  )
  const provider = `protocol: openai-chat, base_url: "${up.baseUrl}", api_key: none`
  const model = "model: m, price: { input: 1, output: 10 }, context_window: 1000000"
  const config = join(folder, "gateway.yaml")
  yield* Effect.sync(() =>
    writeFileSync(
      config,
      `
master_key: "${masterKey}"
server: { port: 0 }
store: ${store(folder)}
providers:
  up: { ${provider} }
  reading: { ${provider}, bills_after_disconnect: all }
deployments: [{ provider: up, ${model} }, { provider: reading, ${model} }]
`
    )
  )
  const serve = gatewayProcess(["serve", "--config", config], listening)
  /** One stream at each deployment, under way when the gateway is killed. */
  const killed = Effect.gen(function* () {
    const gateway = yield* serve
    const { json } = yield* call(gateway.ready, { path: "/admin/keys", key: masterKey, body: {} })
    for (const model of ["up/m", "reading/m"]) {
      const body = { model, stream: true, messages: [{ role: "user", content: prompt }] }
      yield* Effect.forkScoped(
        Effect.ignoreCause(call(gateway.ready, { path: "/v1/chat/completions", key: json.key, body }))
      )
    }
    yield* until(() => up.asked.length === 2)
    return gateway
  })
  return { folder, serve, killed }
})

const check = (rows: ReadonlyArray<Row>): void => {
  const [one, reading] = ["up/m", "reading/m"].map((id) => rows.find(({ deployment }) => deployment === id)!)
  assert.deepStrictEqual([one!.status, one!.estimated, reading!.status], ["abandoned", true, "abandoned"])
  assert.isAtLeast(one!.cost, 200 * 1_000 + ARRIVED)
  // 10 USD for a million tokens are reserved; some seconds at some hundred tokens are charged.
  assert.isAbove(one!.reserved, 9e9)
  assert.isBelow(one!.cost, one!.reserved / 10)
  assert.strictEqual(reading!.cost, reading!.reserved)
}

it.live("a gateway that was killed over a stream charges the input and the time until then at its next start", () =>
  Effect.gen(function* () {
    const { folder, killed, serve } = yield* setup((folder) => `{ sqlite: "${join(folder, "gateway.db")}" }`)
    const gateway = yield* killed
    const rows = Effect.sync(() => ledgerOf(join(folder, "gateway.db")))
    yield* eventually(rows, ({ length }) => length === 2)
    yield* gateway.end("SIGKILL")
    yield* serve
    check((yield* rows).map((row) => ({ ...row, estimated: row.estimated === 1 })))
  })
)

describe.skipIf(isSkipped)("on Postgres", () => {
  for (const [name, isSurvived] of [
    ["a gateway that was killed over a stream is charged so by another one that lives", true],
    ["a gateway that was killed over a stream is charged so by the next one that starts", false]
  ] as const) {
    it.live(name, () =>
      Effect.gen(function* () {
        const url = yield* freshDatabase
        const { killed, serve } = yield* setup(() => `{ postgres: { url: "${url}", lease: 2s } }`)
        const gateway = yield* killed
        if (isSurvived) yield* serve
        const open = rowsIn(url, "SELECT id FROM model_gateway.attempts_open")
        yield* eventually(open, ({ length }) => length === 2)
        yield* gateway.end("SIGKILL")
        if (!isSurvived) yield* serve
        const rows = rowsIn(
          url,
          "SELECT deployment, status, cost::float8 AS cost, reserved::float8 AS reserved, estimated FROM model_gateway.ledger"
        )
        check((yield* eventually(rows, ({ length }) => length === 2)) as unknown as ReadonlyArray<Row>)
      })
    )
  }
})
