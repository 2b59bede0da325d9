/** What may be called, how it fares, and whether it is in rotation. */
import type { Deployment } from "@model-gateway/protocol"
import { useState } from "preact/hooks"
import { call } from "../api/Api.ts"
import type { ApiError } from "../api/Api.ts"
import { asApiError, useQuery } from "../api/Query.ts"
import { count, duration, percent, short, time, words } from "../Format.ts"
import { Answer, Badge, Failure, Head, Link, type Tone } from "../parts/Parts.tsx"
import { pathWith } from "../Place.ts"

const REFRESH_MS = 10_000

type Deed = "disable" | "enable" | "reset"

export const Deployments = () => {
  const query = useQuery<{ readonly data: ReadonlyArray<Deployment> }>("deployments", REFRESH_MS)
  const [error, setError] = useState<ApiError | undefined>(undefined)
  const [said, setSaid] = useState("")
  const act = (deed: Deed, deployment: string) => {
    call("POST", `deployments/${deed}`, { deployment })
      .then(() => {
        setError(undefined)
        setSaid(`${deployment} ${saying[deed]}`)
        query.reload()
      })
      .catch((cause: unknown) => setError(asApiError(cause)))
  }
  return (
    <>
      <Head title="Deployments">
        <span class="said" role="status">
          {said}
        </span>
      </Head>
      {error === undefined ? null : <Failure error={error} />}
      <Answer query={query}>
        {({ data }) => (
          <div class="table card">
            <table>
              <thead>
                <tr>
                  <th>Deployment</th>
                  <th>State</th>
                  <th>
                    <span class="unseen">Actions</span>
                  </th>
                  <th>Buckets</th>
                  <th class="number">In flight</th>
                  <th class="number">Last hour</th>
                  <th class="number">Failed</th>
                  <th class="number">First token p50, p95</th>
                  <th class="number">Answer p50, p95</th>
                  <th class="number">Tokens/s</th>
                  <th class="number">$ in, out</th>
                  <th>Last error</th>
                </tr>
              </thead>
              <tbody>
                {data.map((one) => (
                  <Row key={one.id} one={one} act={act} />
                ))}
              </tbody>
            </table>
          </div>
        )}
      </Answer>
    </>
  )
}

const saying = {
  disable: "is out of rotation: requests in flight finish, new ones go elsewhere.",
  enable: "is back in rotation.",
  reset: "is called again at once."
} as const

const stateOf = ({ health, status }: Deployment): readonly [Tone, string] => {
  if (status === "out_of_rotation") return ["calm", "out of rotation"]
  if (health.circuit === "open") return ["bad", "circuit open"]
  if (health.circuit === "half_open") return ["warn", "being tried"]
  return ["good", "in rotation"]
}

const both = (p50: number | null, p95: number | null): string =>
  p50 === null ? "–" : `${duration(p50)}, ${duration(p95)}`

const Row = (props: { readonly one: Deployment; readonly act: (deed: Deed, deployment: string) => void }) => {
  const { act, one } = props
  const { health } = one
  const [tone, state] = stateOf(one)
  return (
    <tr>
      <td class="mono">
        <Link to={pathWith("requests", { deployment: one.id })}>{one.id}</Link>
      </td>
      <td>
        <Badge tone={tone}>{state}</Badge>
      </td>
      <td>
        {one.status === "in_rotation" ? (
          <button onClick={() => act("disable", one.id)} aria-label={`Take ${one.id} out`}>
            Take out
          </button>
        ) : (
          <button onClick={() => act("enable", one.id)} aria-label={`Put ${one.id} back`}>
            Put back
          </button>
        )}
        {health.circuit === "closed" ? null : <button onClick={() => act("reset", one.id)}>Close circuit</button>}
      </td>
      <td>{one.buckets.length === 0 ? "–" : one.buckets.join(", ")}</td>
      <td class="number">{`${count(one.in_flight)}${one.max_in_flight === null ? "" : ` of ${count(one.max_in_flight)}`}`}</td>
      <td class="number">{short(one.requests_1h)}</td>
      <td class="number">{one.requests_1h === 0 ? "–" : percent(one.failed_1h / one.requests_1h)}</td>
      <td class="number">{both(health.ttft_ms_p50, health.ttft_ms_p95)}</td>
      <td class="number">{both(health.latency_ms_p50, health.latency_ms_p95)}</td>
      <td class="number">{one.tokens_per_second_p50 === null ? "–" : short(one.tokens_per_second_p50)}</td>
      <td class="number">{one.price === null ? "unknown" : `${one.price.input}, ${one.price.output}`}</td>
      <td class="may-wrap" title={health.last_error?.message}>
        {health.last_error === null ? "–" : `${words(health.last_error.class)}, ${time(health.last_error.at)}`}
      </td>
    </tr>
  )
}
