/** What `router train` found, for people. */
import type { Estimate } from "@model-gateway/router-lab/evaluation/Bootstrap"
import type { DeploymentMeans, Sides } from "@model-gateway/router-lab/training/Sides"
import { type Comparison, type Measure, measures } from "@model-gateway/router-lab/evaluation/Trial"
import { table } from "./Table.ts"
import { count, money, orNothing, percent } from "./TextOutput.ts"

export const deploymentTable = (deployments: ReadonlyArray<DeploymentMeans>, { strong, weak }: Sides): string =>
  table<DeploymentMeans>(
    [
      { title: "DEPLOYMENT", value: ({ name }) => orNothing(name) },
      {
        title: "SIDE",
        value: ({ name }) => (weak.includes(name) ? "weak" : strong.includes(name) ? "strong" : "left out")
      },
      { title: "ROWS", value: ({ rows }) => count(rows), align: "right" },
      { title: "MEAN QUALITY", value: ({ quality }) => quality.toFixed(3), align: "right" },
      { title: "MEAN COST", value: ({ costUsd }) => money(costUsd), align: "right" }
    ],
    deployments
  )

export const comparisonTable = (comparison: Comparison): string =>
  [
    `Each prompt was scored by a model that learnt from others: four fifths to learn from, one fifth to validate on, in turn. Measured on ${count(comparison.rows)} prompts; in brackets the middle 95 % of 1,000 draws of them.`,
    ...(comparison.isGuess
      ? ["Too few prompts have responses from both sides, so these figures are estimates. Treat them with caution."]
      : []),
    table<Measure>(
      [
        { title: "MEASURE", value: ({ better, name }) => `${name} (${better} is better)` },
        { title: "BEFORE", value: ({ key }) => shown(key, comparison.before[key]), align: "right" },
        { title: "AFTER", value: ({ key }) => shown(key, comparison.after[key]), align: "right" }
      ],
      measures.filter(({ key }) => !Number.isNaN(comparison.after[key].value))
    )
  ].join("\n")

const shown = (key: Measure["key"], { interval: [low, high], value }: Estimate): string => {
  const each = (figure: number): string => (key === "apgr" ? figure.toFixed(3) : percent(figure))
  return Number.isNaN(value) ? "-" : Number.isNaN(low) ? each(value) : `${each(value)} (${each(low)} to ${each(high)})`
}

/** In a sentence, whether learning was worth it. */
export const verdict = ({ lead: { interval, value } }: Comparison): string => {
  const [low, high] = interval
  const range = `${signed(value)}, ${signed(low)} to ${signed(high)}`
  if (low > 0) return `The learnt model ranks better than the one that ships (APGR ${range}).`
  if (value > 0) {
    return `The learnt model seems to rank better than the one that ships, but so few rows could show that by chance (APGR ${range}).`
  }
  return `WARNING: the learnt model is NOT better than the one that ships (APGR ${range}). Stay with the one that ships, or come back with more rows.`
}

const signed = (figure: number): string => (figure < 0 ? figure.toFixed(3) : `+${figure.toFixed(3)}`)

/** Where the scores of the prompts lie. `scores`: by models that had not seen them. */
export const spread = (scores: ReadonlyArray<number>): string => {
  const sorted = scores.toSorted((a, b) => a - b)
  const at = (share: number): string => sorted[Math.floor(share * (sorted.length - 1))]!.toFixed(2)
  return `Scores mean what they did, a rank in the fixed reference mix. One in ten of these prompts is below ${at(0.1)}, half are below ${at(0.5)}, one in ten is above ${at(0.9)}: \`router.cut_points\` should divide them.`
}
