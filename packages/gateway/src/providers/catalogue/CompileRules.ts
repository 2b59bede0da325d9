/** Rules by request feature, as data has them, compiled for one deployment: once, when the deployments are resolved. */
import type { Route } from "../../core/domain/Deployment.ts"
import type { OperationName } from "../../core/domain/OperationName.ts"
import { bitOf, type Feature } from "../../core/operations/Features.ts"

/** A feature; `!` in front: without it. `reasons`: the model thinks about such a request, by the effort asked for or its default. */
export type Condition = Feature | `!${Feature}` | "reasons"

export interface ModelRule {
  /** The operations that the model would be asked for. */
  readonly in: ReadonlyArray<OperationName>
  /** All of these hold of a request. */
  readonly when: ReadonlyArray<Condition>
  /** The operation that serves such a request. */
  readonly use: OperationName
}

export interface Reasoning {
  /** The efforts that the model takes, from the least. */
  readonly efforts: ReadonlyArray<string>
  /** The effort of a request that names none. */
  readonly default?: string
}

export const routesOf = (rules: ReadonlyArray<ModelRule>, reasoning: Reasoning): ReadonlyArray<Route> =>
  rules.flatMap((rule) => {
    let mask = 0
    let not = 0
    for (const condition of rule.when) {
      if (condition === "reasons") {
        // Without `none`, a request for it is answered with the least effort.
        if (reasoning.default === "none") mask |= bitOf("effort")
        else if (reasoning.efforts.includes("none")) not |= bitOf("effort:none")
      } else if (condition.startsWith("!")) not |= bitOf(condition.slice(1) as Feature)
      else {
        mask |= bitOf(condition as Feature)
      }
    }
    const why = rule.when.map(wordsOf).join(" ")
    return rule.in.map((operation): Route => ({ in: operation, mask, not, use: rule.use, why }))
  })

const wordsOf = (condition: Condition): string =>
  condition === "reasons" ? "while it reasons" : condition.replace("effort:", "effort ").replace("!", "without ")
