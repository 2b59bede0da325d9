/**
 * What a key costs in memory, in a process of its own: `node --expose-gc memory.ts <store> <keys> <busy keys>`. Each key makes a
 * request through the real services on a real store; what is used after a garbage collection is divided by their number. One line
 * of JSON on stdout.
 */
import { type Context, Effect, Layer } from "effect"
import type { Caller } from "../packages/gateway/src/core/keys/Caller.ts"
import { KeyStore } from "../packages/gateway/src/core/keys/KeyStore.ts"
import { RateLimiter } from "../packages/gateway/src/core/limits/RateLimiter.ts"
import { SpendLedger } from "../packages/gateway/src/core/ledger/SpendLedger.ts"
import { noUsage } from "../packages/gateway/src/core/domain/Usage.ts"
import * as SqliteStore from "../packages/gateway/src/storage/sqlite/file/SqliteStore.ts"
import { say } from "./Bench.ts"
import { deployment } from "./ledgerRun.ts"
import { credentialOf, keyIdOf } from "./Seed.ts"

/** In a minute, of each busy key: together more than a process can answer. */
const BUSY_REQUESTS = 16

const used = (): number => {
  globalThis.gc!()
  globalThis.gc!()
  const { external, heapUsed } = process.memoryUsage()
  return heapUsed + external
}

const services = (filename: string) =>
  Layer.mergeAll(KeyStore.layer, SpendLedger.layer).pipe(
    Layer.provide(SqliteStore.layer({ filename, synchronous: "normal" })),
    Layer.merge(RateLimiter.layerMemory)
  )

export interface Memory {
  readonly keys: number
  /** Kept of a key for as long as it is in use. */
  readonly bytesPerKey: number
  readonly busyKeys: number
  readonly requestsPerBusyKey: number
  readonly rateLimitsMb: number
  readonly bytesPerBudget: number
}

const measure = Effect.fnUntraced(function* (keys: number, busy: number) {
  const store = yield* KeyStore
  const ledger = yield* SpendLedger
  const limiter = yield* RateLimiter
  /** The growth in bytes while `work` ran for each of `count` keys, a thousand at a time. */
  const growth = Effect.fnUntraced(function* <E>(count: number, work: (number: number) => Effect.Effect<unknown, E>) {
    const before = used()
    for (let from = 1; from <= count; from += 1000) {
      const numbers = Array.from({ length: Math.min(1000, count - from + 1) }, (_, index) => from + index)
      yield* Effect.forEach(numbers, work, { concurrency: "unbounded", discard: true })
    }
    // What is still being written is not what is kept.
    yield* Effect.sleep("3 seconds")
    return used() - before
  })

  // What the first request makes once for all.
  yield* store.authenticate(credentialOf(1))
  say(`${keys} keys make a request`)
  const authenticated = yield* growth(keys, (number) => store.authenticate(credentialOf(number)))

  const callers: Array<Caller> = []
  for (let number = 1; number <= busy; number++) callers.push(yield* store.authenticate(credentialOf(number)))
  say(`${busy} keys make ${BUSY_REQUESTS} requests each`)
  const logged = yield* growth(busy * BUSY_REQUESTS, (number) =>
    Effect.scoped(limiter.admit(callers[number % busy]!, 1000))
  )
  say(`${busy} keys with a budget spend`)
  const budgeted = yield* growth(busy, (number) =>
    Effect.flatMap(
      ledger.reserve({
        requestId: keyIdOf(number),
        attempt: 0,
        caller: callers[number - 1]!,
        deployment,
        operation: "chat",
        inputBound: 100,
        countInput: Effect.succeed(100),
        maxOutput: 100,
        choices: 1,
        tags: []
      }),
      (reservation) =>
        ledger.settle(reservation, { usage: { ...noUsage, input: 1 }, estimated: false, counts: "request" })
    )
  )
  const memory: Memory = {
    keys,
    bytesPerKey: Math.round(authenticated / keys),
    busyKeys: busy,
    requestsPerBusyKey: BUSY_REQUESTS,
    rateLimitsMb: Math.round(logged / 1e5) / 10,
    bytesPerBudget: Math.round(budgeted / busy)
  }
  return memory
})

const [store = "", keys = "", busy = ""] = process.argv.slice(2)
const program = Effect.flatMap(
  Layer.build(services(store)),
  (context: Context.Context<KeyStore | SpendLedger | RateLimiter>) =>
    Effect.provide(measure(Number(keys), Number(busy)), context)
)
console.log(JSON.stringify(await Effect.runPromise(Effect.scoped(program))))
