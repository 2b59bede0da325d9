/** Chance that repeats: the same numbers for the same seed. */
import { seeded } from "../../core/call/Support.ts"

export type Chance = ReturnType<typeof seeded>

/** Chances of one seed that don't disturb each other. */
export const chanceOf = (seed: number, what: string): Chance => {
  let mixed = Math.imul(seed ^ 0x9e3779b9, 0x85ebca6b)
  for (const letter of what) mixed = Math.imul(mixed ^ letter.codePointAt(0)!, 0x01000193)
  return seeded(mixed)
}
