/** Feedback of callers, by bucket. */
import type { Receipt } from "@model-gateway/protocol"
import type { Query } from "../../api/Query.ts"
import { count, percent, time } from "../../Format.ts"
import { Answer, Card, Empty, Link } from "../../parts/Parts.tsx"
import { pathWith } from "../../Place.ts"

/** As the admin API's `feedback=good` has it. */
const GOOD = 0.5

const byBucket = (receipts: ReadonlyArray<Receipt>) => {
  const scores = new Map<string, ReadonlyArray<number>>()
  for (const { decision, feedback } of receipts) {
    if (feedback !== null) scores.set(decision.bucket, [...(scores.get(decision.bucket) ?? []), feedback.score])
  }
  return Array.from(scores, ([bucket, all]) => ({
    bucket,
    rated: all.length,
    good: all.filter((score) => score >= GOOD).length / all.length,
    mean: all.reduce((sum, score) => sum + score, 0) / all.length
  })).toSorted((a, b) => b.rated - a.rated)
}

export const Feedback = (props: {
  readonly query: Query<{ readonly data: ReadonlyArray<Receipt>; readonly scanned_to?: string }>
}) => (
  <Card title="Feedback by bucket" aside={<Link to="requests?feedback=bad">Responses rated bad</Link>}>
    <Answer query={props.query}>
      {({ data, scanned_to }) =>
        data.length === 0 ? (
          <Empty title="No feedback yet.">
            <p class="muted">
              Clients send <code>POST /v1/receipts/ID/feedback</code> with a score from 0 to 1.
            </p>
          </Empty>
        ) : (
          <>
            <div class="table">
              <table>
                <thead>
                  <tr>
                    <th>Bucket</th>
                    <th class="number">Rated</th>
                    <th class="number">Good</th>
                    <th class="number">Mean score</th>
                  </tr>
                </thead>
                <tbody>
                  {byBucket(data).map(({ bucket, good, mean, rated }) => (
                    <tr key={bucket}>
                      <td>
                        <Link to={pathWith("requests", { bucket, feedback: "given" })}>
                          {bucket === "none" ? "the model was named" : bucket}
                        </Link>
                      </td>
                      <td class="number">{count(rated)}</td>
                      <td class="number">{percent(good)}</td>
                      <td class="number">{mean.toFixed(2)}</td>
                    </tr>
                  ))}
                </tbody>
              </table>
            </div>
            <p class="muted">
              {`The last ${count(data.length)} that were rated`}
              {scanned_to === undefined ? "." : `, looked for back to ${time(scanned_to)}.`}
            </p>
          </>
        )
      }
    </Answer>
  </Card>
)
