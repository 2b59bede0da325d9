/** What the tests of the ledger share: intents with round figures, and journals that are late or down. */
import { Deferred, Effect, Layer } from "effect"
import type { Caller } from "../../../src/core/keys/Caller.ts"
import type { Intent, Outcome } from "../../../src/core/ledger/Reservation.ts"
import { LedgerJournal } from "../../../src/core/ledger/LedgerJournal.ts"
import type { Budget } from "../../../src/core/domain/Budget.ts"
import { StoreUnavailable } from "../../../src/core/domain/Errors.ts"
import { noUsage } from "../../../src/core/domain/Usage.ts"
import { callerWith, deployment } from "../call/Support.ts"

/** Its calls may take as long as a test likes, and any output limit is sent as it is. */
const patient = deployment("openai/a", {
  quirks: {},
  timeouts: { connect: 5_000, firstToken: 60_000, response: 120_000, idle: 60_000, total: Number.POSITIVE_INFINITY }
})

/** Costs at most 1 nano-USD per token of `inputBound` and 2 per token of `maxOutput`. */
export const intent = (caller: Caller, fields: Partial<Intent> = {}): Intent => ({
  requestId: "req_1",
  attempt: 0,
  caller,
  deployment: patient,
  operation: "chat",
  inputBound: 100,
  countInput: Effect.succeed(fields.inputBound ?? 100),
  maxOutput: 450,
  choices: 1,
  tags: [],
  ...fields
})

/** What costs `cost` nano-USD at 1 per token read. */
export const outcome = (cost: number, fields: Partial<Outcome> = {}): Outcome => ({
  usage: { ...noUsage, input: cost },
  estimated: false,
  counts: "request",
  ...fields
})

export const keyWith = (budgets: ReadonlyArray<Budget>, id = "key_a"): Caller => callerWith({ id, budgets })

type Journal = LedgerJournal["Service"]

export const journalLayer = (change: (real: Journal) => Journal) =>
  Layer.effect(LedgerJournal, Effect.map(LedgerJournal, change))

export const down = new StoreUnavailable({ message: "down" })

/**
 * A store takes its time: every answer about a window is computed at once, in its place among the writes, and delivered when
 * `deliver` runs.
 */
export const lateWindows = (real: Journal) => {
  let waiting: Array<Deferred.Deferred<void>> = []
  const journal: Journal = {
    ...real,
    openWindow: Effect.fnUntraced(function* (window) {
      const spent = yield* real.openWindow(window)
      const delivered = yield* Deferred.make<void>()
      waiting.push(delivered)
      yield* Deferred.await(delivered)
      return spent
    })
  }
  const deliver = Effect.suspend(() => {
    const due = waiting
    waiting = []
    return Effect.forEach(due, (one) => Deferred.succeed(one, undefined), { discard: true })
  })
  return { journal, deliver, pending: () => waiting.length }
}
