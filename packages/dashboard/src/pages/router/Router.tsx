/** What `auto` would do with a prompt, and why; and what it did. No model is called. */
import type { Receipt, RouteExplanation } from "@model-gateway/protocol"
import { useEffect, useState } from "preact/hooks"
import { call } from "../../api/Api.ts"
import type { ApiError } from "../../api/Api.ts"
import { asApiError, useQuery } from "../../api/Query.ts"
import { Card, Empty, Failure, Head } from "../../parts/Parts.tsx"
import type { Place } from "../../Place.ts"
import { BucketTraffic } from "./BucketTraffic.tsx"
import { Explanation } from "./Explanation.tsx"
import { Feedback } from "./Feedback.tsx"

const examples = ["Thanks!", "What is the capital of France?", "Prove that the square root of 2 is irrational."]

const explained = (content: string, more: Readonly<Record<string, string>> = {}): Promise<RouteExplanation> => {
  const given = Object.entries(more).filter(([, value]) => value !== "")
  const request = { model: "auto", messages: [{ role: "user", content }] }
  return call<RouteExplanation>("POST", "route/explain", { request, ...Object.fromEntries(given) })
}

export const Router = ({ place }: { readonly place: Place }) => {
  const [prompt, setPrompt] = useState("")
  const [prefer, setPrefer] = useState(place.query.get("prefer") ?? "")
  const [key, setKey] = useState(place.query.get("key") ?? "")
  const [answer, setAnswer] = useState<RouteExplanation | undefined>(undefined)
  const [error, setError] = useState<ApiError | undefined>(undefined)
  /** Of any prompt: the model that scores, and where buckets end. */
  const [any, setAny] = useState<RouteExplanation | undefined>(undefined)
  const rated = useQuery<{ readonly data: ReadonlyArray<Receipt>; readonly scanned_to?: string }>(
    "requests?feedback=given&limit=200"
  )
  useEffect(() => {
    // A gateway without `auto` has none, and explains why where somebody asks.
    void explained("Hello")
      .then(setAny)
      .catch(() => undefined)
  }, [])
  const explain = (content: string) => {
    explained(content, { prefer, key: key.trim() })
      .then((found) => {
        setAnswer(found)
        setError(undefined)
      })
      .catch((cause: unknown) => setError(asApiError(cause)))
  }
  return (
    <>
      <Head title="Router">{any === undefined ? null : <Model of={any.model} />}</Head>
      {any === undefined || any.model.refused === null ? null : <p class="warning">{any.model.refused.message}</p>}
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
            <label class="inline">
              Key
              <input
                value={key}
                placeholder="any, or its ID"
                onInput={(event) => setKey(event.currentTarget.value)}
                size={18}
              />
            </label>
            <button class="primary">Explain</button>
            <span class="muted">No model is called and nothing is charged.</span>
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
      <BucketTraffic cuts={any?.cut_points ?? []}>
        <Feedback query={rated} />
      </BucketTraffic>
    </>
  )
}

const Model = ({ of: { date, file, name } }: { readonly of: RouteExplanation["model"] }) => (
  <span class="muted" title={file ?? "It ships with the gateway."}>
    {`Scored by “${name}” of ${date}`}
  </span>
)
