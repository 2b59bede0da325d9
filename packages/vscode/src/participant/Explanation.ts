/** A routing decision in words: of a receipt, and of a prompt that nobody has sent. */
import type { Receipt, RouteExplanation } from "@model-gateway/client"
import { costText, dollars } from "../spend/Money.ts"
import { escaped } from "../spend/StatusView.ts"

export const receiptText = (receipt: Receipt): string => {
  const { attempts, baseline_usd, cost_is_estimate, cost_usd, decision, requested_model } = receipt
  const saved = baseline_usd !== null && cost_usd !== null && baseline_usd > cost_usd ? baseline_usd - cost_usd : 0
  const failed = attempts.filter(({ outcome }) => outcome !== "ok")
  return [
    `**${escaped(decision.deployment)}** answered \`${code(requested_model ?? "?")}\`${bucketText(decision)}.`,
    list(decision.reasons),
    featureTable(decision.features),
    ...failed.map(({ deployment, http_status, outcome }) => {
      const status = http_status === null ? "" : `, HTTP ${http_status}`
      return `Before that, ${escaped(deployment)} failed: ${escaped(outcome)}${status}.`
    }),
    consideredTable(decision.considered ?? []),
    `It cost ${costText(cost_usd)}${cost_is_estimate ? ", in part as the gateway counted it" : ""}, and took ${receipt.duration_ms} ms.` +
      (saved > 0 ? ` The strongest model would have cost ${dollars(saved)} more.` : ""),
    `\`${code(receipt.id)}\``
  ]
    .filter((text) => text !== "")
    .join("\n\n")
}

export const explanationText = (explanation: RouteExplanation): string => {
  const { candidates, decision, expected_cost, features, refusal } = explanation
  const first =
    decision === null
      ? `It would be refused: ${escaped(refusal?.message ?? "no deployment can serve it")}`
      : `It would go to **${escaped(decision.deployment)}**${bucketText(decision)}.`
  return [
    first,
    list(decision?.reasons ?? []),
    featureTable(features),
    consideredTable(candidates),
    expected_cost.usd === null
      ? ""
      : `Expected cost: ${dollars(expected_cost.usd)} (${escaped(expected_cost.assumption)}).`
  ]
    .filter((text) => text !== "")
    .join("\n\n")
}

const bucketText = ({ bucket, score }: { readonly bucket: string; readonly score: number }): string =>
  bucket === "none" ? "" : `, bucket ${escaped(bucket)}, score ${score.toFixed(2)}`

const list = (items: ReadonlyArray<string>): string => items.map((item) => `- ${escaped(item)}`).join("\n")

const featureTable = (features: Receipt["decision"]["features"]): string =>
  features.length === 0
    ? ""
    : [
        "| what weighed | value | weight |",
        "|---|---|---|",
        ...features.map(
          ({ name, value, weight }) =>
            `| ${escaped(name)} | ${Number(value.toPrecision(3))} | ${weight > 0 ? "+" : ""}${weight.toFixed(2)} |`
        )
      ].join("\n")

type Considered = Pick<RouteExplanation["candidates"][number], "deployment" | "fate" | "why">

const consideredTable = (all: ReadonlyArray<Considered>): string =>
  all.length === 0
    ? ""
    : [
        "| deployment | fate | why |",
        "|---|---|---|",
        ...all.map(
          ({ deployment, fate, why }) =>
            `| ${escaped(deployment)} | ${escaped(fate.replaceAll("_", " "))} | ${escaped(why ?? "")} |`
        )
      ].join("\n")

/** Inside of backticks only a backtick counts. */
const code = (text: string): string => text.replaceAll(/[`\n]/g, " ")
