/** The law of conversations: what a response holds for its own provider comes back to it, through every endpoint and in every way. */
import { afterAll, assert, beforeAll, describe, it } from "@effect/vitest"
import { Effect, Exit, Scope } from "effect"
import { call } from "../../support/RawHttp.ts"
import { startGateway } from "../../support/RunningGateway.ts"
import { type Asked, upstream } from "../../support/Upstream.ts"
import { rows } from "./VendorResponses.ts"
import { endpoints, type Port } from "./ClientTurns.ts"

/** Every row has a provider of its own at one gateway, told apart by the path of its address. */
const opened = Effect.gen(function* () {
  const { asked, baseUrl } = yield* upstream((one) => {
    const row = rows[Number(/^\/row(\d+)\//.exec(one.path)?.[1])]!
    return isStreamed(one) ? row.streamed : row.complete
  })
  const providers = rows.map(
    ({ provider }, at) => `row${at}: { ${provider}, base_url: "${baseUrl.replace(/v1$/, `row${at}`)}", api_key: k }`
  )
  const deployments = rows.map(
    ({ model, more = "" }, at) =>
      `{ provider: row${at}, model: "${model}", price: { input: 1, output: 2 }, context_window: 1000000${more} }`
  )
  const gateway = yield* startGateway({
    yaml: [
      `providers: { ${providers.join(", ")} }`,
      `deployments: [${deployments.join(", ")}]`,
      "failover: { attempts: 1 }"
    ].join("\n")
  })
  const { secret } = yield* gateway.createKey()
  return (at: number): Port & { readonly asked: () => ReadonlyArray<Asked> } => {
    const before = asked.length
    const post = (path: string, fields: object) =>
      call(gateway.url, { path, key: secret, body: { model: `row${at}/${rows[at]!.model}`, ...fields } })
    return {
      asked: () => asked.slice(before),
      chat: (fields) => post("/v1/chat/completions", fields),
      messages: (fields) => post("/v1/messages", { max_tokens: 64_000, ...fields }),
      responses: (fields) => post("/v1/responses", fields)
    }
  }
})

const isStreamed = ({ body, path }: Asked): boolean =>
  body.stream === true || /converse-stream|streamGenerate/.test(path)

describe("what a response holds for its own provider", () => {
  const scope = Effect.runSync(Scope.make())
  let portOf: Effect.Success<typeof opened>

  beforeAll(async () => {
    portOf = await Effect.runPromise(Scope.provide(opened, scope))
  })
  afterAll(() => Effect.runPromise(Scope.close(scope, Exit.void)))

  for (const [at, { back, name, never, toolless = false }] of rows.entries()) {
    for (const endpoint of endpoints) {
      for (const way of endpoint.ways) {
        it.live(`comes back through ${endpoint.name}, ${way}: ${name}`, () =>
          Effect.gen(function* () {
            const port = portOf(at)
            const said = yield* endpoint.turns(port, way, toolless)
            assert.strictEqual(said.status, 200, said.text)
            const sent = JSON.stringify(port.asked()[1]?.body ?? "nothing was sent")
            for (const piece of back) assert.include(sent, piece)
            for (const piece of [never, "gw1.", "gw2."]) if (piece !== undefined) assert.notInclude(sent, piece)
          })
        )
      }
    }
  }
})
