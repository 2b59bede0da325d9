import { assert, describe, it } from "@effect/vitest"
import { Effect, Layer, Result, Stream } from "effect"
import { SqlClient } from "effect/sql"
import { gatewayCore } from "../../../src/GatewayCore.ts"
import * as Database from "../../../src/storage/sqlite/file/SqliteDatabase.ts"
import * as SqliteStore from "../../../src/storage/sqlite/file/SqliteStore.ts"
import { Gateway } from "../../../src/core/call/Gateway.ts"
import { chat } from "../../../src/core/operations/chat/Chat.ts"
import type { Operation } from "../../../src/core/operations/Operation.ts"
import { costInUsd } from "../../../src/core/operations/RoutingMetadata.ts"
import type { Bridge } from "../../../src/providers/bridges/Bridge.ts"
import { ProviderRegistry, registryOf } from "../../../src/providers/catalogue/ProviderRegistry.ts"
import { Script } from "../../../src/testing/Script.ts"
import { books, input } from "./Talk.ts"
import { fleetLayer } from "./Support.ts"

/** Answers are `{ "said": …, "cost": … }`; of a stream each event is one word, and the last one the cost. */
const ask: Operation = {
  ...chat,
  name: "ask",
  path: "/v1/ask",
  produced: ({ said }) => ({ text: String(said), calls: 0, hasThoughts: false }),
  withMetadata: ({ body }, _usage, metadata) => JSON.stringify({ ...body, cost: costInUsd(metadata) }),
  relay: (request) => {
    const relay = chat.relay(request)
    return Object.assign(Object.create(relay), {
      push: (events: Parameters<typeof relay.push>[0]) => {
        relay.push(events)
        return events.map((event) => (event.kind === "content" ? `${event.data}\n` : "")).join("")
      },
      ending: (metadata: Parameters<typeof relay.ending>[0]) => `${costInUsd(metadata)}\n`
    })
  }
}

const asks: Bridge = {
  from: "ask",
  to: "chat",
  down: (call) => Result.succeed({ ...call, operation: "chat" }),
  up: ({ body, ...answer }) => {
    const [choice] = body["choices"] as ReadonlyArray<{ readonly message: { readonly content: string } }>
    return { ...answer, text: undefined, body: { said: choice?.message.content } }
  },
  upStream: () => ({
    push: (event) =>
      event.kind === "content" ? [{ ...event, data: JSON.parse(event.data).choices[0].delta.content }] : [event],
    end: () => []
  })
}

const store = Layer.provideMerge(SqliteStore.repositories, Database.layerMemory)

const layer = (bridges: ReadonlyArray<Bridge>) =>
  gatewayCore.pipe(
    Layer.provideMerge(Layer.mergeAll(fleetLayer(), Script.layer({ "*": [Script.answer("hello")] }), store)),
    Layer.provide(Layer.succeed(ProviderRegistry, registryOf({ bridges }))),
    Layer.orDie
  )

/** Of all rows of the ledger: what they were for, and how they ended. */
const rows = Effect.flatMap(SqlClient.SqlClient, (sql) => sql`SELECT operation, status FROM ledger`)

const asked = (fields: { readonly stream?: boolean } = {}) =>
  Effect.flatMap(Gateway, (gateway) => gateway.call(ask, input(fields, { endpoint: ask.path })))

describe("an operation that is added", () => {
  it.effect("is served over a bridge, and its answer says the cost in its own words", () =>
    Effect.gen(function* () {
      const answer = yield* asked()
      assert.strictEqual(answer.kind === "whole" && answer.content, '{"said":"hello","cost":2e-8}')
      assert.deepInclude(yield* books, { spent: 20, reserved: 0 })
      assert.deepStrictEqual(yield* rows, [{ operation: "ask", status: "settled" }])
    }).pipe(Effect.scoped, Effect.provide(layer([asks])))
  )

  it.effect("streams in its own words, settled at the end", () =>
    Effect.gen(function* () {
      const answer = yield* asked({ stream: true })
      if (answer.kind !== "stream") return assert.fail("no stream")
      assert.strictEqual(yield* Stream.mkString(answer.events), "hello\n2e-8\n")
      assert.deepInclude(yield* books, { spent: 20, reserved: 0 })
      assert.deepStrictEqual(yield* rows, [{ operation: "ask", status: "settled" }])
    }).pipe(Effect.scoped, Effect.provide(layer([asks])))
  )

  it.effect("is refused where no deployment can serve it, and costs nothing", () =>
    Effect.gen(function* () {
      const refused = yield* Effect.flip(asked())
      if (refused._tag !== "NoCapableDeployment") return assert.fail(refused._tag)
      assert.match(refused.reasons[0]!, /^openai\/a can't serve ask; it serves chat/)
      assert.deepInclude(yield* books, { spent: 0, reserved: 0 })
      // Nothing was tried.
      assert.deepStrictEqual(yield* rows, [])
    }).pipe(Effect.scoped, Effect.provide(layer([])))
  )
})
