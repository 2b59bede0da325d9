/**
 * Which deployments of an outcomes file are the weak side and which the strong one: routing between two is what is learnt, whatever
 * their number.
 */
import type { OutcomeRow } from "./Outcomes.ts"

export interface DeploymentMeans {
  readonly name: string
  /** Rows it answered. */
  readonly rows: number
  readonly quality: number
  /** USD an answer; undefined where no row says. */
  readonly costUsd: number | undefined
}

export interface Sides {
  readonly weak: ReadonlyArray<string>
  readonly strong: ReadonlyArray<string>
}

/** The deployments of the rows, cheapest first; where costs are unknown or equal, the one of lower quality first. */
export const deploymentsOf = (rows: ReadonlyArray<Pick<OutcomeRow, "outcomes">>): ReadonlyArray<DeploymentMeans> => {
  const sums = new Map<string, { rows: number; quality: number; priced: number; cost: number }>()
  for (const { outcomes } of rows) {
    for (const [name, { costUsd, quality }] of outcomes) {
      const sum = sums.get(name) ?? { rows: 0, quality: 0, priced: 0, cost: 0 }
      sum.rows++
      sum.quality += quality
      if (costUsd !== undefined) {
        sum.priced++
        sum.cost += costUsd
      }
      sums.set(name, sum)
    }
  }
  const means = Array.from(sums, ([name, sum]) => ({
    name,
    rows: sum.rows,
    quality: sum.quality / sum.rows,
    costUsd: sum.priced === 0 ? undefined : sum.cost / sum.priced
  }))
  const allPriced = means.every(({ costUsd }) => costUsd !== undefined)
  return means.toSorted(
    (a, b) => (allPriced ? a.costUsd! - b.costUsd! : 0) || a.quality - b.quality || (a.name < b.name ? -1 : 1)
  )
}

/**
 * Divides `deployments`, in the order of `deploymentsOf`, where the step from one to the next is the largest: in how many times as much
 * it costs, or in quality where costs don't say. Two or more.
 */
export const divide = (deployments: ReadonlyArray<DeploymentMeans>): Sides => {
  const costs = deployments.map(({ costUsd }) => costUsd)
  const hasCosts = costs.every((cost) => cost !== undefined && cost > 0) && costs[0] !== costs.at(-1)
  const height = ({ costUsd, quality }: DeploymentMeans): number => (hasCosts ? Math.log(costUsd!) : quality)
  let cut = 1
  for (let i = 2; i < deployments.length; i++) {
    const step = (at: number): number => height(deployments[at]!) - height(deployments[at - 1]!)
    if (step(i) > step(cut)) cut = i
  }
  const names = deployments.map(({ name }) => name)
  return { weak: names.slice(0, cut), strong: names.slice(cut) }
}
