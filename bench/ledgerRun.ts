/**
 * One run of the ledger's bench, in a process of its own: `node ledgerRun.ts <Run as JSON>`. So many requests at a time reserve,
 * wait a turn as for an upstream, and settle; what they cost is one line of JSON on stdout.
 */
import { DatabaseSync } from "node:sqlite"
import { setTimeout as wait } from "node:timers/promises"
import { Context, Effect, Layer } from "effect"
import type { Deployment } from "../packages/gateway/src/core/domain/Deployment.ts"
import type { Caller } from "../packages/gateway/src/core/keys/Caller.ts"
import { freshKey } from "../packages/gateway/src/core/keys/NewKey.ts"
import { noRates } from "../packages/gateway/src/core/domain/pricing/Pricing.ts"
import { SpendLedger } from "../packages/gateway/src/core/ledger/SpendLedger.ts"
import { noUsage } from "../packages/gateway/src/core/domain/Usage.ts"
import * as Database from "../packages/gateway/src/storage/sqlite/file/SqliteDatabase.ts"
import { prepare } from "../packages/gateway/src/storage/sqlite/ledger/LedgerStatements.ts"
import * as SqliteStore from "../packages/gateway/src/storage/sqlite/file/SqliteStore.ts"
import { Writer } from "../packages/gateway/src/storage/sqlite/writer/Writer.ts"
import { keyIdOf } from "./Seed.ts"

export interface Run {
  /** `floor`: the same rows by the same statements, prepared, with nothing around them. */
  readonly kind: "product" | "floor"
  readonly synchronous: "full" | "normal"
  /** Requests at a time, which share their commits. */
  readonly group: number
  readonly requests: number
  readonly keys: number
  readonly filename: string
  /** So many requests a second in place of so many at a time, whose answers take so long, milliseconds. */
  readonly pace?: { readonly rate: number; readonly answerMs: number }
}

export interface Result {
  readonly cpuUs: number
  readonly elapsedMs: number
  readonly commits: number
}

export const usage = { ...noUsage, input: 182, output: 200 }
const COST = 182 * 2000 + 200 * 8000
const RESERVED = 5_000_000
const BUDGET = { limit: 1_000_000_000_000_000, window: "month", timeZone: "UTC" } as const
const HOUR_MS = 3_600_000

const rates = {
  ...noRates,
  input: 2_000_000,
  cachedInput: 2_000_000,
  cacheWrite: 2_000_000,
  cacheWrite1h: 2_000_000,
  output: 8_000_000,
  reasoning: 8_000_000,
  audioInput: 2_000_000,
  audioOutput: 8_000_000
}

export const deployment: Deployment = {
  id: "up/gpt-4.1",
  provider: "up",
  vendor: "openai",
  protocol: "openai-chat",
  model: "gpt-4.1",
  baseUrl: "",
  apiKeys: [],
  price: { source: "configuration", version: "1", ratesAt: () => ({ base: rates, tiers: [] }) },
  contextWindow: undefined,
  maxOutputTokens: undefined,
  supports: new Set(),
  weight: 1,
  priority: 0,
  maxInFlight: undefined,
  timeouts: { connect: 1, firstToken: 1, response: 1, idle: 1, total: 1 }
}

const callerOf = (number: number): Caller => ({
  key: freshKey(keyIdOf(number), 0, { team: "team", budgets: [BUDGET] }),
  team: undefined
})

/** Once for each request, twice over, the second time at its pace: the first is for V8. */
const timed = async (run: Run, batch: (numbers: ReadonlyArray<number>) => Promise<void>, commits: () => number) => {
  const all = async () => {
    for (let from = 0; from < run.requests; from += run.group) {
      await batch(Array.from({ length: run.group }, (_, index) => from + index))
    }
  }
  const paced = async (rate: number) => {
    const began = performance.now()
    const under: Array<Promise<void>> = []
    for (let sent = 0; sent < run.requests;) {
      const due = Math.min(run.requests, Math.floor(((performance.now() - began) * rate) / 1000))
      while (sent < due) under.push(batch([sent++]))
      await wait(1)
    }
    await Promise.all(under)
  }
  await all()
  const before = { cpu: process.cpuUsage(), at: performance.now(), commits: commits() }
  await (run.pace === undefined ? all() : paced(run.pace.rate))
  const { system, user } = process.cpuUsage(before.cpu)
  const result: Result = {
    cpuUs: user + system,
    elapsedMs: performance.now() - before.at,
    commits: commits() - before.commits
  }
  return result
}

const product = (run: Run) =>
  Effect.gen(function* () {
    const database = yield* Layer.build(Database.layer({ filename: run.filename, synchronous: run.synchronous }))
    const context = yield* Layer.build(SpendLedger.layer.pipe(Layer.provide(SqliteStore.repositories))).pipe(
      Effect.provide(database)
    )
    const ledger = Context.get(context, SpendLedger)
    const writer = Context.get(database, Writer)
    const callers = Array.from({ length: run.keys }, (_, index) => callerOf(index))
    const turn =
      run.pace === undefined
        ? Effect.callback<void>((resume) => void setImmediate(() => resume(Effect.void)))
        : Effect.sleep(run.pace.answerMs)
    const request = Effect.fnUntraced(function* (number: number) {
      const reservation = yield* ledger.reserve({
        requestId: `req_${number}`,
        attempt: 0,
        caller: callers[number % callers.length]!,
        deployment,
        operation: "chat",
        inputBound: 200,
        countInput: Effect.succeed(200),
        maxOutput: 500,
        choices: 1,
        tags: []
      })
      yield* turn
      yield* ledger.settle(reservation, { usage, estimated: false, counts: "request" })
    })
    const runPromise = Effect.runPromiseWith(yield* Effect.context<never>())
    const batch = (numbers: ReadonlyArray<number>) =>
      runPromise(Effect.forEach(numbers, request, { concurrency: "unbounded", discard: true }))
    return yield* Effect.promise(() => timed(run, batch, () => writer.commits))
  })

const floor = async (run: Run): Promise<Result> => {
  await Effect.runPromise(Effect.scoped(Layer.build(SqliteStore.layer({ filename: run.filename }))))
  const db = new DatabaseSync(run.filename)
  db.exec(`PRAGMA synchronous = ${run.synchronous}; PRAGMA wal_autocheckpoint = 2000; PRAGMA cache_size = -16384`)
  const { addRollup, addWindow, insertReserved, putWindow, settleReserved } = prepare(db)
  const [begin, commit] = [db.prepare("BEGIN IMMEDIATE"), db.prepare("COMMIT")]
  const month = new Date()
  const start = Date.UTC(month.getUTCFullYear(), month.getUTCMonth())
  for (let number = 0; number < run.keys; number++) putWindow.run(`key:${keyIdOf(number)}`, "month@UTC", start, 0, 0)
  let commits = 0
  let next = 1
  const batch = async (numbers: ReadonlyArray<number>): Promise<void> => {
    const at = Date.now()
    const first = next
    begin.run()
    for (const number of numbers) {
      const key = keyIdOf(number % run.keys)
      const requestId = `req_${number}`
      const price = ["configuration", "1"] as const
      const ids = [next++, requestId, 0, at, key, "team", "up", "gpt-4.1", "up/gpt-4.1", ""] as const
      insertReserved.run(...ids, RESERVED, ...price, "chat", "", null)
    }
    commit.run()
    await new Promise((resolve) => setImmediate(resolve))
    begin.run()
    const sums = new Map<string, { count: number; first: number; last: number }>()
    for (const [index, number] of numbers.entries()) {
      const id = first + index
      settleReserved.run("settled", at, COST, 0, 1, null, usage.input, 0, 0, 0, usage.output, 0, 0, 0, id)
      const key = keyIdOf(number % run.keys)
      const sum = sums.get(key)
      if (sum === undefined) sums.set(key, { count: 1, first: id, last: id })
      else sum.count++
    }
    for (const [key, { count, first, last }] of sums) {
      const tokens = [usage.input * count, 0, 0, 0, usage.output * count, 0, 0, 0]
      const hour = Math.floor(at / HOUR_MS)
      const cell = [hour, key, "team", "up", "gpt-4.1", ""] as const
      addRollup.run(...cell, at, first, last, last, count, 0, COST * count, 0, 0, 0, 0, ...tokens)
      addWindow.run(COST * count, last, `key:${key}`, "month@UTC", start)
    }
    commit.run()
    commits += 2
  }
  const result = await timed(run, batch, () => commits)
  db.close()
  return result
}

if (import.meta.main) {
  const run = JSON.parse(process.argv[2]!) as Run
  const result = run.kind === "floor" ? await floor(run) : await Effect.runPromise(Effect.scoped(product(run)))
  console.log(JSON.stringify(result))
}
