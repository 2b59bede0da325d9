/** Requests as rows: what was asked, who served it, how it went. */
import type { Receipt } from "@model-gateway/protocol"
import { csvOf } from "../../parts/Save.tsx"
import { type Column, columns, firstToken, refusalOf, tokensOf } from "./Columns.tsx"

const usual = columns.filter(({ isUsual }) => isUsual)

export const RequestTable = (props: {
  readonly receipts: ReadonlyArray<Receipt>
  readonly shown?: ReadonlyArray<Column>
}) => {
  const { receipts, shown = usual } = props
  return (
    <div class="table card">
      <table>
        <thead>
          <tr>
            {shown.map(({ isNumber, name }) => (
              <th key={name} class={isNumber === true ? "number" : undefined}>
                {name}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {receipts.map((one) => (
            <tr key={one.id}>
              {shown.map(({ cell, isNumber, name }) => (
                <td key={name} class={isNumber === true ? "number" : undefined}>
                  {cell(one)}
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  )
}

export const requestsAsCsv = (receipts: ReadonlyArray<Receipt>): string =>
  csvOf(
    [
      "id",
      "at",
      "status",
      "requested_model",
      "deployment",
      "bucket",
      "score",
      "endpoint",
      "stream",
      "key_id",
      "key_name",
      "team",
      "tags",
      "attempts",
      "first_token_ms",
      "duration_ms",
      "input_tokens",
      "output_tokens",
      "cost_usd",
      "cost_is_estimate",
      "refused_by",
      "error",
      "count"
    ],
    receipts.map((one) => [
      one.id,
      one.at,
      one.status,
      one.requested_model,
      one.decision.deployment,
      one.decision.bucket,
      one.decision.score,
      one.endpoint,
      one.stream,
      one.key_id,
      one.key_name,
      one.team,
      one.tags.join(" "),
      one.attempts.length,
      firstToken(one),
      one.duration_ms,
      tokensOf(one),
      one.usage.output + one.usage.reasoning,
      one.cost_usd,
      one.cost_is_estimate,
      refusalOf(one),
      one.error,
      one.refusal?.count ?? 1
    ])
  )
