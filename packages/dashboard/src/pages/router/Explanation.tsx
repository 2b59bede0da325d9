/** What would be done with a prompt: its score, what weighed, and every candidate with its expected cost. */
import type { RouteExplanation } from "@model-gateway/protocol"
import { count, exactUsd, usd, words } from "../../Format.ts"
import { Badge, Card, fateTone } from "../../parts/Parts.tsx"
import { Scale, Weights } from "../../parts/Scale.tsx"

export const Explanation = ({ answer }: { readonly answer: RouteExplanation }) => (
  <>
    <Card title="Decision">
      <Scale
        score={answer.score}
        cuts={answer.cut_points}
        label={`Score ${answer.score} of 1, cut points ${answer.cut_points.join(", ")}: bucket ${answer.bucket}`}
      />
      {answer.refusal === null ? null : <p class="warning">{answer.refusal.message}</p>}
      {answer.decision === null ? null : (
        <p>
          It goes to <b>{answer.decision.deployment}</b>, bucket <b>{answer.decision.bucket}</b>:{" "}
          {answer.decision.reasons[0]}.
        </p>
      )}
      <p class="muted">
        {`Expected: ${usd(answer.expected_cost.usd)} for ${count(answer.expected_cost.input_tokens)} tokens in and ${count(answer.expected_cost.output_tokens)} out. Scored by “${answer.model.name}” of ${answer.model.date}.`}
      </p>
    </Card>
    <div class="columns">
      <Card title="Strongest features">
        <Weights weights={answer.features.map(({ name, weight }) => [name, weight] as const)} />
      </Card>
      <Card title="Candidates">
        <div class="table">
          <table>
            <thead>
              <tr>
                <th>Bucket</th>
                <th>Deployment</th>
                <th>Verdict</th>
                <th class="number">Expected cost</th>
              </tr>
            </thead>
            <tbody>
              {answer.candidates.map((one) => (
                <tr key={`${one.bucket} ${one.deployment}`}>
                  <td>{one.bucket ?? "–"}</td>
                  <td class="mono">{one.deployment}</td>
                  <td class="may-wrap">
                    <Badge tone={fateTone(one.fate)}>{words(one.fate)}</Badge> {one.why}
                  </td>
                  <td class="number">{exactUsd(one.expected_cost_usd)}</td>
                </tr>
              ))}
            </tbody>
          </table>
        </div>
      </Card>
    </div>
  </>
)
