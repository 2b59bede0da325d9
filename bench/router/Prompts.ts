/** The prompts that the parts of the benchmark use which need no labels. */
import { readFileSync } from "node:fs"
import { join } from "node:path"
import { type Labelled, rowsOf, withoutWorkedExamples } from "../../scripts/router/data.ts"
import type { Random } from "./Prose.ts"
import { shuffled } from "./Shuffle.ts"

/** Five prompts on one subject, each asking for more than the one before; written before any score was seen. */
export interface Ladder {
  readonly name: string
  /** Whether all of it is in English. */
  readonly english: boolean
  readonly rungs: ReadonlyArray<string>
}

/** What the rungs of a ladder ask for, lowest first. */
export const levels = ["greeting", "look-up", "code", "design", "proof"] as const

export type Level = (typeof levels)[number]

const shipped = (name: string) => JSON.parse(readFileSync(join(import.meta.dirname, name), "utf8"))

export const ladders: ReadonlyArray<Ladder> = shipped("ladders.json")

/** The same prompts in many languages, by the language's code; `en` is what the others are translations of. */
export const languages: Readonly<Record<string, Readonly<Record<Level, ReadonlyArray<string>>>>> =
  shipped("languages.json")

const PER_SOURCE = 60
const OF_THE_ARENA = 400

/** English prompts of all kinds for being said in other words: the shipped ones and, where the data are, some of each source. */
export const mixOf = (folder: string | undefined, random: Random): ReadonlyArray<string> => {
  const own = [
    ...ladders.filter(({ english }) => english).flatMap(({ rungs }) => rungs),
    ...Object.values(languages["en"]!).flat()
  ]
  if (folder === undefined) return own
  const sources = [...Map.groupBy(rowsOf<Labelled>(folder, "train_pool"), ({ src }) => src).values()]
  const arena = rowsOf<{ readonly p: string }>(folder, "arenahard_prompts").map(({ p }) => p)
  return [
    ...own,
    ...sources.flatMap((rows) =>
      shuffled(rows, random)
        .slice(0, PER_SOURCE)
        .map(({ p }) => withoutWorkedExamples(p))
    ),
    ...shuffled(arena, random).slice(0, OF_THE_ARENA)
  ]
}
