/** Explanations of decisions as people read them. */
import type { RouteCandidate, RouteExplanation } from "@model-gateway/protocol"
import { fates, features } from "./ReceiptTables.ts"
import { shadow } from "./ReceiptView.ts"
import { type Column, pairs, table } from "./Table.ts"
import { count, money, orNothing, printable, time } from "./TextOutput.ts"

const candidates: ReadonlyArray<Column<RouteCandidate>> = [
  { title: "BUCKET", value: (one) => orNothing(one.bucket) },
  { title: "DEPLOYMENT", value: (one) => orNothing(one.deployment) },
  { title: "TRY", value: (one) => count(one.place), align: "right" },
  {
    title: "COST",
    value: (one) => (one.expected_cost_usd === null ? "unknown" : money(one.expected_cost_usd)),
    align: "right"
  },
  { title: "WHAT BECOMES OF IT", value: (one) => printable(one.why ?? fates[one.fate]), wraps: true }
]

export const explanationView = (explanation: RouteExplanation): string => {
  const { decision, model, refusal } = explanation
  const facts = pairs([
    ["goes to", decision === null ? "nothing: it would be refused" : goesTo(decision)],
    ...(refusal === null ? [] : [["", `${refusal.status} ${refusal.code}: ${printable(refusal.message)}`] as const]),
    ["score", `${explanation.score}, bucket ${orNothing(explanation.bucket)}`],
    ["cut points", cutPoints(explanation)],
    ["expected cost", expectedCost(explanation)],
    ...(explanation.shadow === null ? [] : [shadow(explanation.shadow)]),
    ...(decision?.reasons ?? []).map((reason, index) => [index === 0 ? "because" : "", printable(reason)] as const),
    ["scored by", `${orNothing(model.name)} of ${orNothing(model.date)}${loaded(model)}`],
    ...(model.refused === null
      ? []
      : [["", `refused at ${time(model.refused.at)} UTC: ${printable(model.refused.message)}`] as const])
  ])
  return [
    facts,
    ...(explanation.features.length === 0 ? [] : [table(features, explanation.features)]),
    ...(explanation.candidates.length === 0 ? [] : [table(candidates, explanation.candidates)])
  ].join("\n\n")
}

const goesTo = ({ bucket, deployment }: NonNullable<RouteExplanation["decision"]>): string =>
  `${orNothing(deployment)}${bucket === "none" ? "" : `, bucket ${orNothing(bucket)}`}`

const cutPoints = ({ cut_points: points, prefer }: RouteExplanation): string =>
  `${points.length === 0 ? "none: there is one bucket" : points.join(", ")}${prefer === null ? "" : `, as the caller prefers ${prefer}`}`

const expectedCost = ({ expected_cost: cost }: RouteExplanation): string =>
  `${cost.usd === null ? "unknown" : money(cost.usd)} for ${count(cost.input_tokens)} tokens in, ${count(cost.output_tokens)} out`

const loaded = ({ file, loaded_at }: RouteExplanation["model"]): string =>
  file === null ? ", which ships" : `, from ${printable(file)}, loaded ${time(loaded_at)} UTC`
