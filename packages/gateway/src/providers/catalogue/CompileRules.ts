import type { Route } from "../../core/domain/Deployment.ts"
import type { Facts, Rule } from "../../core/domain/models/Facts.ts"
import type { OperationName } from "../../core/domain/OperationName.ts"
import { bitOf, type FeatureTest, SOME_EFFORT } from "../../core/operations/RequestFeatures.ts"

/**
 * The test for `when`. `reasons`: the model reasons about such a request, by the effort that it names or the model's default. Undefined:
 * it never holds, or needs a feature that requests are not searched for.
 */
export const testOf = (when: ReadonlyArray<string>, reasoning: Facts["reasoning"] = {}): FeatureTest | undefined => {
  let mask = 0
  let not = 0
  for (const condition of when) {
    if (condition === "reasons") {
      if (reasoning.mode === "none") return undefined
      if (reasoning.byDefault === false || reasoning.default === "none") mask |= SOME_EFFORT
      // A model that can't be told not to reason gets its least effort, and reasons.
      else if (canRest(reasoning)) not |= bitOf("effort:none")!
      continue
    }
    const bit = bitOf(condition.replace(/^!/, ""))
    if (bit === undefined) return undefined
    if (condition.startsWith("!")) not |= bit
    else mask |= bit
  }
  return (mask & not) === 0 ? { mask, not } : undefined
}

const canRest = ({ efforts, off }: NonNullable<Facts["reasoning"]>): boolean =>
  efforts === undefined ? off !== "refused" && off !== "ignored" : efforts.includes("none") || off === "disabled"

/** The routes of a model; `has`: whether the deployment has an operation natively. */
export const routesOf = (
  { reasoning, rules = [] }: Facts,
  operations: ReadonlySet<OperationName> | undefined
): ReadonlyArray<Route> | undefined => {
  const has = (operation: string): operation is OperationName => operations?.has(operation) === true
  const routes = rules.flatMap((rule): ReadonlyArray<Route> => {
    const { use } = rule
    const test = use === undefined || !has(use) ? undefined : testOf(rule.when, reasoning)
    if (use === undefined || test === undefined) return []
    const from = (rule.in ?? [...(operations ?? [])]).filter((operation) => operation !== use && has(operation))
    return from.map((operation) => ({ ...test, in: operation, use, why: reasonOf(rule) }))
  })
  return routes.length === 0 ? undefined : routes
}

const reasonOf = ({ note, when }: Rule): string =>
  note ?? when.map((one) => (one === "reasons" ? "while it reasons" : one.replace(":", " "))).join(" ")
