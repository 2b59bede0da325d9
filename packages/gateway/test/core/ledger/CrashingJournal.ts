/** A journal whose writes wait for a commit that the test makes, and are gone when it lets the process die before. */
import { Effect, Layer } from "effect"
import { SpendLedger } from "../../../src/core/ledger/SpendLedger.ts"
import { LedgerJournal } from "../../../src/core/ledger/LedgerJournal.ts"
import * as SqliteStore from "../../../src/storage/sqlite/file/SqliteStore.ts"
import { down, journalLayer } from "./Books.ts"

type Journal = LedgerJournal["Service"]
type Resume = (result: Effect.Effect<void, typeof down>) => void

interface Waiting {
  readonly write: Effect.Effect<void, typeof down>
  readonly resume: Resume | undefined
}

/** `committed` runs whenever all that waited was written. */
export const bootLedger = (committed: () => void) => {
  let waiting: Array<Waiting> = []
  const commit = Effect.suspend(() => {
    const due = waiting
    waiting = []
    return Effect.forEach(
      due,
      ({ resume, write }) => Effect.tap(write, () => Effect.sync(() => resume?.(Effect.void))),
      {
        discard: true
      }
    ).pipe(Effect.tap(() => Effect.sync(committed)))
  })
  const crash = Effect.sync(() => {
    for (const { resume } of waiting.splice(0)) resume?.(Effect.fail(down))
  })
  const journal = (real: Journal): Journal => ({
    ...real,
    reserve: (row) =>
      Effect.sync(() => void waiting.push({ write: Effect.suspend(() => real.reserve(row)), resume: undefined })),
    settle: (row) => Effect.callback((resume) => void waiting.push({ write: real.settle(row), resume })),
    openWindow: (window) => Effect.andThen(commit, real.openWindow(window))
  })
  const layer = SpendLedger.layer.pipe(
    Layer.provide(journalLayer(journal)),
    Layer.provide(SqliteStore.repositories),
    Layer.fresh
  )
  return Effect.map(Effect.provide(SpendLedger, layer), (ledger) => ({ ledger, commit, crash }))
}
