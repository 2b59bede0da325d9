/** The ids of the keys that a store holds, in a filter. */
import { Effect } from "effect"
import type { KeyRepository } from "./KeyRepository.ts"
import { BloomFilter } from "../collections/BloomFilter.ts"

/**
 * Reads all key ids of a store. Where there are many, the rest is read in the background, so that a gateway with a million keys
 * starts as fast as one with a few.
 */
export const readIds = Effect.fnUntraced(function* ({ ids }: KeyRepository["Service"]) {
  const first = yield* ids("")
  const known = new BloomFilter(first.most)
  for (const id of first.ids) known.add(id)
  if (!first.hasMore) return known
  known.isWhole = false
  const readOn = Effect.gen(function* () {
    let page = first
    while (page.hasMore) {
      yield* Effect.yieldNow
      page = yield* ids(page.ids.at(-1)!)
      for (const id of page.ids) known.add(id)
    }
    known.isWhole = true
  })
  // If the store can't be read now, made-up ids are looked up as if there were no filter.
  yield* Effect.forkScoped(Effect.ignore(readOn))
  return known
})
