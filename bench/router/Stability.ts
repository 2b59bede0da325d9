/** Whether a prompt that is said in other words goes to the same bucket. */
import { classify } from "../../packages/gateway/src/classifier/PromptScore.ts"
import { type Estimate, intervalOf } from "../../packages/router-lab/src/evaluation/Bootstrap.ts"
import { mixed, type Rule, rules } from "./Paraphrase.ts"
import { mixOf } from "./Prompts.ts"
import type { Random } from "./Prose.ts"
import { atLeast, percent, type Section, withInterval } from "./Report.ts"

/** Where buckets are cut: two of them, and the four that are the default. */
export const cuts = { two: [0.5], four: [0.35, 0.65, 0.85] } as const

export const bucketIndex = (score: number, points: ReadonlyArray<number>): number =>
  points.filter((point) => score >= point).length

/** What became of one prompt's paraphrase. */
interface Pair {
  readonly two: boolean
  readonly four: boolean
  /** How far the score moved. */
  readonly moved: number
}

const compare = (before: string, after: string): Pair => {
  const [one, other] = [classify(before).score, classify(after).score]
  return {
    two: bucketIndex(one, cuts.two) === bucketIndex(other, cuts.two),
    four: bucketIndex(one, cuts.four) === bucketIndex(other, cuts.four),
    moved: Math.abs(one - other)
  }
}

const DRAWS = 500

/** The share of `of` among `all`, and its interval when the groups (the prompts they come from) are drawn anew. */
const shareOf = (groups: ReadonlyArray<ReadonlyArray<Pair>>, of: (pair: Pair) => boolean, random: Random): Estimate => {
  const hits = groups.map((pairs) => pairs.filter(of).length)
  const share = (index: (i: number) => number): number => {
    let [found, all] = [0, 0]
    for (let i = 0; i < groups.length; i++) {
      const group = index(i)
      found += hits[group]!
      all += groups[group]!.length
    }
    return found / all
  }
  const drawn = Array.from({ length: DRAWS }, () => share(() => Math.floor(random() * groups.length)))
  return { value: share((i) => i), interval: intervalOf(drawn) }
}

export const stability = (folder: string | undefined, random: Random): Section => {
  const prompts = mixOf(folder, random)
  const paraphrased = (rule: Rule) =>
    prompts.map((prompt) => {
      const said = rule.apply(prompt, random)
      return said === prompt ? [] : [compare(prompt, said)]
    })
  const byRule = rules.map((rule) => ({ rule, pairs: paraphrased(rule) }))
  const single = prompts.map((_, index) => byRule.flatMap(({ pairs }) => pairs[index]!))
  const together = paraphrased(mixed)
  const summary = (name: string, groups: ReadonlyArray<ReadonlyArray<Pair>>) => {
    const pairs = groups.flat()
    return {
      name,
      pairs: pairs.length,
      two: shareOf(groups, ({ two }) => two, random),
      four: shareOf(groups, ({ four }) => four, random),
      moved: pairs.reduce((sum, { moved }) => sum + moved, 0) / pairs.length
    }
  }
  const [one, many] = [summary("any one rule", single), summary("two to four rules at once", together)]
  const rows = [...byRule.map(({ pairs, rule }) => summary(`${rule.name}: ${rule.does}`, pairs)), one, many]
  return {
    tables: [
      {
        title: `Same bucket for a paraphrase, ${prompts.length} prompts`,
        columns: ["rule", "pairs", "2 buckets", "4 buckets", "score moves by"],
        rows: rows.map(({ four, moved, name, pairs, two }) => [
          name,
          String(pairs),
          withInterval(two, percent),
          withInterval(four, percent),
          moved.toFixed(3)
        ]),
        note: "Prompts that a rule leaves as they are don't count as pairs. Buckets are cut at 0.5, and at 0.35, 0.65 and 0.85."
      }
    ],
    targets: [one, many].flatMap(({ four, name, two }) => [
      atLeast(`paraphrase, ${name}: same of 2 buckets, %`, 88, 100 * two.value, 1),
      atLeast(`paraphrase, ${name}: same of 4 buckets, %`, 72, 100 * four.value, 1)
    ]),
    figures: Object.fromEntries(rows.map(({ name, ...figures }) => [name.split(":")[0], figures]))
  }
}
