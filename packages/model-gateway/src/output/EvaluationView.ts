/** What `router eval` found, for people and for programs. */
import type { Estimate, Estimates } from "@model-gateway/router-lab/evaluation/Bootstrap"
import type { Evaluation, SideMeans } from "@model-gateway/router-lab/evaluation/Evaluate"
import { type FigureName, figureNames } from "@model-gateway/router-lab/metrics/Metrics"
import { pairs, table } from "./Table.ts"
import { count, money, orNothing, printable } from "./TextOutput.ts"

interface Evaluated {
  readonly file: string
  /** Rows of the file. */
  readonly total: number
  /** How many of them were drawn by lot, where there were too many. */
  readonly sample: number | undefined
  /** The name on the model's card. */
  readonly model: string
  readonly evaluation: Evaluation
}

const titles: Readonly<Record<FigureName, string>> = {
  apgr: "APGR",
  cpt50: "CPT50",
  cpt80: "CPT80",
  costAtEqualQuality: "cost at 95 % quality",
  qualityAtEqualCost: "quality at equal cost"
}

const said: Readonly<Record<string, string>> = { length: "prompt length", ours: "this model" }

export const evaluationAsText = ({ evaluation, file, model, sample, total }: Evaluated): string => {
  const { ahead, rankings, sides, strong, weak } = evaluation
  const isPriced = weak.costUsd !== undefined && strong.costUsd !== undefined
  const side = (names: ReadonlyArray<string>, { costUsd, quality }: SideMeans): string =>
    `${printable(names.join(", "))}, mean quality ${quality.toFixed(3)}, ${costUsd === undefined ? "cost not known" : `${money(costUsd)} a request`}`
  return [
    pairs([
      [
        "Outcomes",
        `${file}, ${count(total)} rows${sample === undefined ? "" : `, ${count(sample)} of them chosen at random`}; of ${count(evaluation.prompts)} prompts both sides are known`
      ],
      ["Weak", side(sides.weak, weak)],
      ["Strong", side(sides.strong, strong)],
      ["Model", orNothing(model)]
    ]),
    "",
    table(
      [
        { title: "", value: ([name]) => said[name] ?? name },
        ...figureNames.map((figure) => ({
          title: titles[figure],
          value: ([, estimates]: readonly [string, Estimates]) => shown(figure, estimates[figure]),
          align: "right" as const
        }))
      ],
      Object.entries(rankings)
    ),
    "",
    `This model's APGR less that of prompt length: ${shown("apgr", ahead)}. In brackets the middle 95 % of a bootstrap.`,
    "APGR: how much of the quality between both is reached, over all shares of strong calls; chance is 0.5.",
    "CPT50, CPT80: the least share of strong calls that reaches 50 and 80 % of it.",
    isPriced
      ? "Cost and quality are shares of what always using the strong side costs and reaches; equal cost is that of a random half-and-half mix."
      : "Cost at 95 % quality and quality at equal cost need `cost_usd` of every prompt on both sides."
  ].join("\n")
}

const shown = (figure: FigureName, { interval: [low, high], value }: Estimate): string => {
  if (Number.isNaN(value)) return "-"
  const number = (each: number): string => (figure === "apgr" ? each.toFixed(3) : (100 * each).toFixed(1))
  return `${number(value)}${figure === "apgr" ? "" : " %"} (${number(low)} to ${number(high)})`
}

/** A figure that has no meaning is null. */
export const evaluationAsJson = ({ evaluation, file, model, sample, total }: Evaluated): string => {
  const { ahead, prompts, rankings, sides, strong, weak } = evaluation
  const estimate = ({ interval: [low, high], value }: Estimate) => ({ value, low, high })
  const figures = ({ apgr, costAtEqualQuality, cpt50, cpt80, qualityAtEqualCost }: Estimates) => ({
    apgr: estimate(apgr),
    cpt50: estimate(cpt50),
    cpt80: estimate(cpt80),
    cost_at_95_percent_quality: estimate(costAtEqualQuality),
    quality_at_equal_cost: estimate(qualityAtEqualCost)
  })
  const side = (deployments: ReadonlyArray<string>, { costUsd, quality }: SideMeans) => ({
    deployments,
    quality,
    cost_usd: costUsd ?? null
  })
  return JSON.stringify({
    file,
    rows: total,
    sample: sample ?? null,
    prompts,
    model,
    weak: side(sides.weak, weak),
    strong: side(sides.strong, strong),
    rankings: Object.fromEntries(Object.entries(rankings).map(([name, each]) => [name, figures(each)])),
    apgr_above_length: estimate(ahead)
  })
}
