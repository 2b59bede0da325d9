/** The ids of the keys or end users that a store holds, in a filter. */
import { Effect, FiberHandle } from "effect"
import type { IdPage, KeyRepository } from "./KeyRepository.ts"
import { BloomFilter } from "../collections/BloomFilter.ts"

/** Reads all ids of a store, beyond the first page in the background: a million keys do not delay the start. */
export const readIds = Effect.fnUntraced(function* ({ ids }: Pick<KeyRepository["Service"], "ids">) {
  const first = yield* ids("")
  const known = new BloomFilter(first.most)
  const reading = yield* FiberHandle.make()

  const readOn = Effect.fnUntraced(function* (begin: IdPage) {
    let page = begin
    for (;;) {
      for (const id of page.ids) known.add(id)
      if (!page.hasMore) break
      yield* Effect.yieldNow
      page = yield* ids(page.ids.at(-1)!)
    }
    known.isWhole = true
  })

  /** From the beginning or from a page. If the store can't be read now, made-up ids are looked up as if there were no filter. */
  const read = (from: Effect.Effect<IdPage, unknown>) =>
    Effect.suspend(() => {
      known.isWhole = false
      return FiberHandle.run(reading, Effect.ignore(Effect.flatMap(from, readOn)))
    })

  yield* read(Effect.succeed(first))
  return {
    add: (id: string) => known.add(id),
    /** False: no key has this id. */
    mayHold: (id: string) => known.mayHold(id),
    /** Somebody else may have made keys: until all ids are read once more, any may exist. */
    readAgain: read(ids(""))
  }
})
