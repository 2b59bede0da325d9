/**
 * What end users leave in the memory of a gateway, in a process of its own: `node --expose-gc endUsersRun.ts <users>`. Each of them asks
 * once, under a template with limits and a budget; after a time without requests the rest is what is theirs still.
 */
import { Context, Effect, Layer } from "effect"
import { TestClock } from "effect/testing"
import type { Caller } from "../packages/gateway/src/core/keys/Caller.ts"
import { scopesFor } from "../packages/gateway/src/core/keys/CallerScope.ts"
import { freshKey } from "../packages/gateway/src/core/keys/NewKey.ts"
import { SpendLedger } from "../packages/gateway/src/core/ledger/SpendLedger.ts"
import { RateLimiter } from "../packages/gateway/src/core/limits/RateLimiter.ts"
import * as SqliteStore from "../packages/gateway/src/storage/sqlite/file/SqliteStore.ts"
import { deployment, usage } from "./ledgerRun.ts"

const AT_ONCE = 500

export interface EndUserMemory {
  readonly activeBytes: number
  readonly idleBytes: number
}

const budget = { limit: 1_000_000_000_000_000, window: "day", timeZone: "UTC" } as const
const limits = { rpm: 1_000, tpm: 1_000_000, maxParallel: 10 }

const key = freshKey("key_1", 0, {
  budgets: [budget],
  rules: {
    modelRules: [],
    perEndUser: { limits, budgets: [budget], modelRules: [] },
    perSession: null,
    endUser: null
  }
})

const callerOf = (number: number): Caller => {
  const endUser = `user-${number}`
  const more = scopesFor({ key, team: undefined, endUser, record: undefined, session: undefined, client: undefined })
  if ("_tag" in more) throw new Error("there are too many scopes")
  return { key, team: undefined, more, endUser }
}

const heapUsed = Effect.sync(() => {
  for (let turn = 0; turn < 3; turn++) gc!()
  return process.memoryUsage().heapUsed
})

const measured = Effect.fnUntraced(function* (users: number) {
  const services = yield* Layer.build(
    Layer.mergeAll(SpendLedger.layer, RateLimiter.layerMemory).pipe(Layer.provideMerge(SqliteStore.layerMemory))
  )
  const [ledger, limiter] = [Context.get(services, SpendLedger), Context.get(services, RateLimiter)]
  const request = Effect.fnUntraced(function* (number: number) {
    const caller = callerOf(number)
    yield* limiter.admit(caller, 200)
    const reservation = yield* ledger.reserve({
      requestId: `req_${number}`,
      attempt: 0,
      caller,
      deployment,
      operation: "chat",
      inputBound: 200,
      countInput: Effect.succeed(200),
      maxOutput: 500,
      choices: 1,
      tags: []
    })
    yield* ledger.settle(reservation, { usage, estimated: false, counts: "request" })
  }, Effect.scoped)
  const all = Effect.fnUntraced(function* (first: number, count: number) {
    for (let from = first; from < first + count; from += AT_ONCE)
      yield* Effect.forEach(
        Array.from({ length: AT_ONCE }, (_, index) => from + index),
        request,
        { concurrency: "unbounded", discard: true }
      )
  })
  yield* all(0, AT_ONCE)
  const before = yield* heapUsed
  yield* all(AT_ONCE, users)
  const active = yield* heapUsed
  // The test clock does not wait for the sweeps of a million entries.
  const swept = Effect.andThen(TestClock.adjust("10 minutes"), Effect.repeat(Effect.yieldNow, { times: 5_000 }))
  yield* Effect.repeat(swept, { times: 2 })
  const idle = yield* heapUsed
  const each = (bytes: number) => Math.max(0, Math.round((bytes - before) / users))
  return { activeBytes: each(active), idleBytes: each(idle) } satisfies EndUserMemory
})

if (import.meta.main) {
  const run = measured(Number(process.argv[2])).pipe(Effect.provide(TestClock.layer()), Effect.scoped)
  console.log(JSON.stringify(await Effect.runPromise(run)))
}
