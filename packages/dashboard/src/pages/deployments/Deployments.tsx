/** What may be called, how it fares, and whether it is enabled. */
import type { Deployment, TrafficReport } from "@model-gateway/protocol"
import { useState } from "preact/hooks"
import { call } from "../../api/Api.ts"
import type { ApiError } from "../../api/Api.ts"
import { asApiError, useQuery } from "../../api/Query.ts"
import { count, duration, percent, short, time, words } from "../../Format.ts"
import { Answer, Badge, Empty, Failure, Head, Link, Name, type Tone } from "../../parts/Parts.tsx"
import { byTime, useSpan } from "../../parts/Span.ts"
import { Spark } from "../../parts/Spark.tsx"
import { pick } from "../../parts/Traffic.ts"
import { go, pathWith, type Place } from "../../Place.ts"

const REFRESH_MS = 10_000
/** Of more the curves would be megabytes. */
const MOST_CURVES = 200
/** More rows would slow the page down; the filter finds the others. */
const MOST_ROWS = 200

type Deed = "disable" | "enable" | "reset"

const undoing: { readonly [D in Deed]?: Deed } = { disable: "enable", enable: "disable" }

export const Deployments = ({ place }: { readonly place: Place }) => {
  const q = place.query.get("q") ?? ""
  const query = useQuery<{ readonly data: ReadonlyArray<Deployment> }>("deployments", REFRESH_MS)
  const { from, interval, tz } = useSpan("24h")
  const isFew = query.data !== undefined && query.data.data.length <= MOST_CURVES
  const curves = useQuery<TrafficReport>(
    isFew ? pathWith("traffic", { tz, from, interval, group_by: "deployment,error" }) : undefined
  ).data
  const [error, setError] = useState<ApiError | undefined>(undefined)
  const [done, setDone] = useState<{ readonly deed: Deed; readonly of: string } | undefined>(undefined)
  const act = (deed: Deed, deployment: string) => {
    call("POST", `deployments/${deed}`, { deployment })
      .then(() => {
        setError(undefined)
        setDone({ deed, of: deployment })
        query.reload()
      })
      .catch((cause: unknown) => setError(asApiError(cause)))
  }
  const undo = done === undefined ? undefined : undoing[done.deed]
  return (
    <>
      <Head title="Deployments">
        <span class="said" role="status">
          {done === undefined ? "" : `${done.of} ${saying[done.deed]}`}
        </span>
        {done === undefined || undo === undefined ? null : <button onClick={() => act(undo, done.of)}>Undo</button>}
      </Head>
      {error === undefined ? null : <Failure error={error} />}
      <form class="filters" onSubmit={(event) => event.preventDefault()}>
        <input
          type="search"
          aria-label="Part of a deployment's name, or a bucket"
          placeholder="Name or bucket"
          value={q}
          onInput={(event) => go(pathWith("deployments", { q: event.currentTarget.value.trim() }), { replace: true })}
        />
      </form>
      <Answer query={query}>
        {({ data }) => {
          const found = data.filter(({ buckets, id }) => id.includes(q) || buckets.includes(q))
          if (found.length === 0) return <Empty title="No deployment matches." />
          return (
            <>
              <div class="table card">
                <table>
                  <thead>
                    <tr>
                      <th>Deployment</th>
                      <th>State</th>
                      <th>
                        <span class="unseen">Actions</span>
                      </th>
                      <th title="Calls per hour, failed calls in red">Calls, 24 h</th>
                      <th title="95 % of complete (non-streamed) responses took at most this long, per hour">
                        Duration p95, 24 h
                      </th>
                      <th class="number">In flight</th>
                      <th class="number">Calls, last hour</th>
                      <th class="number">Failed, 15 min</th>
                      <th class="number" title="p50, p95">
                        1st token, p50, p95
                      </th>
                      <th class="number" title="p50, p95">
                        Duration, p50, p95
                      </th>
                      <th class="number">Tokens/s</th>
                      <th class="number" title="input, output">
                        USD/M tokens
                      </th>
                      <th class="number">Context, tokens</th>
                      <th>Buckets</th>
                      <th>Last error</th>
                    </tr>
                  </thead>
                  <tbody>
                    {found.slice(0, MOST_ROWS).map((one) => (
                      <Row key={one.id} one={one} act={act} curves={curves} />
                    ))}
                  </tbody>
                </table>
              </div>
              {found.length <= MOST_ROWS ? null : (
                <p class="muted">{`The first ${MOST_ROWS} of ${count(found.length)}: use the field above to find the others.`}</p>
              )}
            </>
          )
        }}
      </Answer>
    </>
  )
}

const saying = {
  disable: "is disabled. Requests in flight finish; new requests go to other deployments.",
  enable: "is enabled.",
  reset: "receives requests again."
} as const

const stateOf = ({ health, status }: Deployment): readonly [Tone, string] => {
  if (status === "out_of_rotation") return ["calm", "disabled"]
  if (health.circuit === "open") return ["bad", "circuit open"]
  if (health.circuit === "half_open") return ["warn", "circuit half open"]
  return ["good", "enabled"]
}

const both = (p50: number | null, p95: number | null): string =>
  p50 === null ? "–" : `${duration(p50)}, ${duration(p95)}`

const Row = (props: {
  readonly one: Deployment
  readonly act: (deed: Deed, deployment: string) => void
  readonly curves: TrafficReport | undefined
}) => {
  const { act, curves, one } = props
  const { health } = one
  const [tone, state] = stateOf(one)
  return (
    <tr>
      <td class="mono">
        <Link to={pathWith("requests", { deployment: one.id })}>
          <Name of={one.id} />
        </Link>
      </td>
      <td>
        <Badge tone={tone}>{state}</Badge>
      </td>
      <td>
        {one.status === "in_rotation" ? (
          <button onClick={() => act("disable", one.id)} aria-label={`Disable ${one.id}`}>
            Disable
          </button>
        ) : (
          <button onClick={() => act("enable", one.id)} aria-label={`Enable ${one.id}`}>
            Enable
          </button>
        )}
        {health.circuit === "closed" ? null : <button onClick={() => act("reset", one.id)}>Close circuit</button>}
      </td>
      <td>{curves === undefined ? "–" : <Calls of={one.id} curves={curves} />}</td>
      <td>{curves === undefined ? "–" : <Latency of={one.id} curves={curves} />}</td>
      <td class="number">{`${count(one.in_flight)}${one.max_in_flight === null ? "" : ` of ${count(one.max_in_flight)}`}`}</td>
      <td class="number">{short(one.requests_1h)}</td>
      <td class="number">{percent(one.failure_rate_15m)}</td>
      <td class="number">{both(health.ttft_ms_p50, health.ttft_ms_p95)}</td>
      <td class="number">{both(health.latency_ms_p50, health.latency_ms_p95)}</td>
      <td class="number">{one.tokens_per_second_p50 === null ? "–" : short(one.tokens_per_second_p50)}</td>
      <td class="number">{one.price === null ? "unknown" : `${one.price.input}, ${one.price.output}`}</td>
      <td class="number" title={one.context_window === null ? undefined : `${count(one.context_window)} tokens`}>
        {one.context_window === null ? "unknown" : short(one.context_window)}
      </td>
      <td>{one.buckets.length === 0 ? "–" : one.buckets.join(", ")}</td>
      <td class="may-wrap" title={health.last_error?.message}>
        {health.last_error === null ? "–" : `${words(health.last_error.class)}, ${time(health.last_error.at)}`}
      </td>
    </tr>
  )
}

interface Curve {
  readonly of: string
  readonly curves: TrafficReport
}

/** Calls of it, also those that another deployment's followed. */
const Calls = ({ curves, of }: Curve) => {
  const times = byTime(curves)
  const sum = (values: ReadonlyArray<number | null>) => values.reduce<number>((all, value) => all + (value ?? 0), 0)
  const calls = (counts: (error: string | null | undefined) => boolean) =>
    pick(
      curves,
      times,
      (row) => row.attempts,
      ({ deployment, error }) => deployment === of && counts(error)
    )
  const all = calls(() => true)
  const bad = calls((error) => error !== "ok" && error !== "client_gone")
  return (
    <Spark
      kind="bars"
      values={all}
      bad={bad}
      label={`${count(sum(all))} calls in 24 hours, ${count(sum(bad))} of them failed`}
    />
  )
}

const Latency = ({ curves, of }: Curve) => {
  const values = pick(
    curves,
    byTime(curves),
    (row) => row.latency_ms.p95,
    ({ deployment, error }) => deployment === of && error === "ok"
  )
  const last = values.findLast((value) => value !== null) ?? null
  return (
    <Spark
      kind="line"
      values={values}
      label={`Duration of complete responses, p95 per hour: ${duration(last)} in the last hour`}
    />
  )
}
