import type { Random } from "./Prose.ts"

/** `from` in random order. */
export const shuffled = <A>(from: ReadonlyArray<A>, random: Random): ReadonlyArray<A> => {
  const items = [...from]
  for (let i = items.length - 1; i > 0; i--) {
    const j = Math.floor(random() * (i + 1))
    ;[items[i], items[j]] = [items[j]!, items[i]!]
  }
  return items
}
