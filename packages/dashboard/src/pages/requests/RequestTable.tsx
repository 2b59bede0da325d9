/** Requests as rows: what was asked, who served it, how it went. */
import type { Receipt } from "@model-gateway/protocol"
import { count, duration, time, usd, words } from "../../Format.ts"
import { Badge, Link, statusTone } from "../../parts/Parts.tsx"
import { csvOf } from "../../parts/Save.tsx"

/** Everything read, cached input included. */
const tokensOf = ({ usage }: Receipt) => usage.input + usage.cached_input + usage.cache_write + usage.cache_write_1h

export const RequestTable = ({ receipts }: { readonly receipts: ReadonlyArray<Receipt> }) => (
  <div class="table card">
    <table>
      <thead>
        <tr>
          <th>Time</th>
          <th>Status</th>
          <th>Asked for</th>
          <th>Served by</th>
          <th>Bucket</th>
          <th class="number">Tries</th>
          <th class="number">1st token</th>
          <th class="number">Took</th>
          <th class="number">Tokens in, out</th>
          <th class="number">Cost</th>
          <th>Key</th>
        </tr>
      </thead>
      <tbody>
        {receipts.map((one) => (
          <tr key={one.id}>
            <td>
              <Link to={`requests/${one.id}`}>
                <time dateTime={one.at} title={one.at}>
                  {time(one.at)}
                </time>
              </Link>
            </td>
            <td>
              <Badge tone={statusTone(one.status)}>{words(one.status)}</Badge>
            </td>
            <td class="mono">{one.requested_model ?? "lost"}</td>
            <td class="mono">{one.decision.deployment}</td>
            <td>{one.decision.bucket === "none" ? "–" : `${one.decision.bucket} ${one.decision.score.toFixed(2)}`}</td>
            <td class="number">{one.attempts.length}</td>
            <td class="number">{duration(firstToken(one))}</td>
            <td class="number">{duration(one.duration_ms)}</td>
            <td class="number">{`${count(tokensOf(one))}, ${count(one.usage.output + one.usage.reasoning)}`}</td>
            <td class="number">{usd(one.cost_usd)}</td>
            <td class="mono">
              <Link to={`keys/${one.key_id}`}>{one.key_id}</Link>
            </td>
          </tr>
        ))}
      </tbody>
    </table>
  </div>
)

const firstToken = ({ attempts }: Receipt) => attempts.find(({ outcome }) => outcome === "ok")?.first_token_ms ?? null

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
      "team",
      "tags",
      "attempts",
      "first_token_ms",
      "duration_ms",
      "input_tokens",
      "output_tokens",
      "cost_usd",
      "cost_is_estimate"
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
      one.team,
      one.tags.join(" "),
      one.attempts.length,
      firstToken(one),
      one.duration_ms,
      tokensOf(one),
      one.usage.output + one.usage.reasoning,
      one.cost_usd,
      one.cost_is_estimate
    ])
  )
