/** What `auto` would do with a prompt, and why. No model is called. */
import type { RouteExplanation } from "@model-gateway/protocol"
import { useState } from "preact/hooks"
import { call } from "../api/Api.ts"
import type { ApiError } from "../api/Api.ts"
import { asApiError } from "../api/Query.ts"
import { count, exactUsd, usd, words } from "../Format.ts"
import { Badge, Card, Empty, Failure, fateTone, Head } from "../parts/Parts.tsx"
import { BucketTraffic } from "./BucketTraffic.tsx"
import { Scale, Weights } from "../parts/Scale.tsx"

const examples = ["Thanks!", "What is the capital of France?", "Prove that the square root of 2 is irrational."]

export const Explain = () => {
  const [prompt, setPrompt] = useState("")
  const [prefer, setPrefer] = useState("")
  const [answer, setAnswer] = useState<RouteExplanation | undefined>(undefined)
  const [error, setError] = useState<ApiError | undefined>(undefined)
  const explain = (content: string) => {
    const request = { model: "auto", messages: [{ role: "user", content }] }
    call<RouteExplanation>("POST", "route/explain", { request, ...(prefer === "" ? {} : { prefer }) })
      .then((found) => {
        setAnswer(found)
        setError(undefined)
      })
      .catch((cause: unknown) => setError(asApiError(cause)))
  }
  return (
    <>
      <Head title="Router" />
      <Card title="Explain a prompt">
        <form
          class="fields wide"
          onSubmit={(event) => {
            event.preventDefault()
            explain(prompt)
          }}
        >
          <label>
            Prompt
            <textarea rows={4} required value={prompt} onInput={(event) => setPrompt(event.currentTarget.value)} />
          </label>
          <div class="row">
            <label class="inline">
              Prefer
              <select value={prefer} onChange={(event) => setPrefer(event.currentTarget.value)}>
                <option value="">neither</option>
                <option value="cost">cost</option>
                <option value="quality">quality</option>
              </select>
            </label>
            <button class="primary">Explain</button>
            <span class="muted">No model is called, nothing is booked.</span>
          </div>
        </form>
        {answer !== undefined ? null : (
          <Empty title="Try one of these:">
            <div class="row center">
              {examples.map((example) => (
                <button
                  key={example}
                  class="chip"
                  onClick={() => {
                    setPrompt(example)
                    explain(example)
                  }}
                >
                  {example}
                </button>
              ))}
            </div>
          </Empty>
        )}
      </Card>
      {error === undefined ? null : <Failure error={error} />}
      {answer === undefined ? null : <Explanation answer={answer} />}
      <BucketTraffic />
    </>
  )
}

const Explanation = ({ answer }: { readonly answer: RouteExplanation }) => (
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
      <Card title="What weighed most">
        <Weights weights={answer.features.map(({ name, weight }) => [name, weight] as const)} />
      </Card>
      <Card title="Candidates">
        <div class="table">
          <table>
            <thead>
              <tr>
                <th>Bucket</th>
                <th>Deployment</th>
                <th>Fate</th>
                <th class="number">Expected cost</th>
              </tr>
            </thead>
            <tbody>
              {answer.candidates.map((one) => (
                <tr key={`${one.bucket} ${one.deployment}`}>
                  <td>{one.bucket ?? "–"}</td>
                  <td class="mono">{one.deployment}</td>
                  <td>
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
