/** Whether prompts that ask for more score higher: on hand-written ladders, and in other languages than English. */
import { classify } from "../../packages/gateway/src/classifier/PromptScore.ts"
import type { CompiledModel } from "../../packages/gateway/src/classifier/model/Model.ts"
import { type Ladder, ladders, languages, levels } from "./Prompts.ts"
import { atLeast, percent, type Section } from "./Report.ts"
import { bucketIndex, cuts } from "./Stability.ts"

const scoreOf = (prompt: string, model?: CompiledModel): number => classify(prompt, model).score

const MOST_NAMED = 20

/** Two neighbouring rungs of a ladder, and whether the upper one scores higher. */
export interface Step {
  readonly ladder: string
  /** Index of the lower rung. */
  readonly from: number
  readonly scores: readonly [lower: number, upper: number]
  readonly isInOrder: boolean
}

export const stepsOf = (all: ReadonlyArray<Ladder> = ladders, model?: CompiledModel): ReadonlyArray<Step> =>
  all.flatMap(({ name, rungs }) => {
    const scores = rungs.map((rung) => scoreOf(rung, model))
    return scores.slice(1).map((upper, from) => {
      const lower = scores[from]!
      return { ladder: name, from, scores: [lower, upper] as const, isInOrder: lower < upper }
    })
  })

const shareInOrder = (steps: ReadonlyArray<Step>): number =>
  steps.filter(({ isInOrder }) => isInOrder).length / steps.length

export const effort = (): Section => {
  const steps = stepsOf()
  const wrong = steps.filter(({ isInOrder }) => !isInOrder)
  const mean = (rung: number): string =>
    (ladders.reduce((sum, { rungs }) => sum + scoreOf(rungs[rung]!), 0) / ladders.length).toFixed(2)
  return {
    tables: [
      {
        title: `${ladders.length} ladders of ${levels.length} rungs, ${steps.length} neighbouring pairs`,
        columns: ["step", "in order", "mean scores"],
        rows: [
          ...levels
            .slice(1)
            .map((level, from) => [
              `${levels[from]} < ${level}`,
              percent(shareInOrder(steps.filter((step) => step.from === from))),
              `${mean(from)} < ${mean(from + 1)}`
            ]),
          ["all", percent(shareInOrder(steps)), ""]
        ],
        note:
          wrong.length === 0
            ? "All are in order."
            : `Not in order: ${wrong
                .slice(0, MOST_NAMED)
                .map(
                  ({ from, ladder, scores }) =>
                    `${ladder}, ${levels[from]} ${scores[0].toFixed(2)} and ${levels[from + 1]} ${scores[1].toFixed(2)}`
                )
                .join("; ")}${wrong.length > MOST_NAMED ? `; and ${wrong.length - MOST_NAMED} more` : ""}.`
      }
    ],
    targets: [atLeast("effort: neighbouring rungs in order, %", 90, 100 * shareInOrder(steps), 1)],
    figures: { inOrder: shareInOrder(steps), pairs: steps.length }
  }
}

/** Every prompt of a level against every prompt of the next. */
const orderWithin = (prompts: Readonly<Record<string, ReadonlyArray<string>>>): number => {
  const pairs = levels
    .slice(1)
    .flatMap((level, from) =>
      prompts[levels[from]!]!.flatMap((lower) => prompts[level]!.map((upper) => scoreOf(lower) < scoreOf(upper)))
    )
  return pairs.filter(Boolean).length / pairs.length
}

export const otherLanguages = (): Section => {
  const english = languages["en"]!
  const rows = Object.entries(languages).map(([code, prompts]) => {
    const pairs = levels.flatMap((level) =>
      prompts[level].map((prompt, index) => [scoreOf(english[level][index]!), scoreOf(prompt)] as const)
    )
    const same = (points: ReadonlyArray<number>): number =>
      pairs.filter(([one, other]) => bucketIndex(one, points) === bucketIndex(other, points)).length / pairs.length
    return {
      code,
      two: same(cuts.two),
      four: same(cuts.four),
      inOrder: orderWithin(prompts),
      means: levels.map(
        (level) => prompts[level].reduce((sum, prompt) => sum + scoreOf(prompt), 0) / prompts[level].length
      )
    }
  })
  const others = rows.filter(({ code }) => code !== "en")
  const mean = (of: (row: (typeof rows)[number]) => number): number =>
    others.reduce((sum, row) => sum + of(row), 0) / others.length
  return {
    tables: [
      {
        title: `Other languages than English: ${Object.values(english).flat().length} prompts in each of ${others.length}`,
        columns: ["language", "same of 2 buckets", "same of 4 buckets", "levels in order", ...levels],
        rows: [
          ...rows.map(({ code, four, inOrder, means, two }) => [
            code,
            code === "en" ? "" : percent(two),
            code === "en" ? "" : percent(four),
            percent(inOrder),
            ...means.map((score) => score.toFixed(2))
          ]),
          [
            "mean of the others",
            percent(mean(({ two }) => two)),
            percent(mean(({ four }) => four)),
            percent(mean(({ inOrder }) => inOrder)),
            ...levels.map((_, level) => mean(({ means }) => means[level]!).toFixed(2))
          ]
        ],
        note: "Buckets are compared with those of the English original. On the right, the mean scores of each level."
      }
    ],
    targets: [],
    figures: { two: mean(({ two }) => two), four: mean(({ four }) => four), inOrder: mean(({ inOrder }) => inOrder) }
  }
}
