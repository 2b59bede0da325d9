/** What was asked, newest first, and as it happens. All filters are in the address, so that a view can be sent to somebody. */
import type { Receipt } from "@model-gateway/protocol"
import { useEffect, useState } from "preact/hooks"
import { call } from "../api/Api.ts"
import { asApiError, useQuery } from "../api/Query.ts"
import { tail } from "../api/Tail.ts"
import type { ApiError } from "../api/Api.ts"
import { count, duration, time, usd, words } from "../Format.ts"
import { Answer, Badge, Empty, Failure, Head, Link, statusTone } from "../parts/Parts.tsx"
import { go, pathWith, type Place } from "../Place.ts"

const PER_PAGE = 50
/** What a tail keeps on the page. */
const MOST_LIVE = 200

const statuses = ["ok", "failed", "cut", "client_gone", "refused", "abandoned"]
/** Those that have no field of their own here, and are shown where a link brought them. */
const others = ["key", "team", "deployment", "bucket", "tag", "endpoint", "error"]

interface Page {
  readonly data: ReadonlyArray<Receipt>
  readonly next: string | null
  readonly scanned_to?: string
}

const filtersIn = (query: URLSearchParams): Record<string, string> =>
  Object.fromEntries(
    ["q", "status", "model", ...others].flatMap((name) => {
      const value = query.get(name)
      return value === null || value === "" ? [] : [[name, value]]
    })
  )

export const Requests = ({ place }: { readonly place: Place }) => {
  const filters = filtersIn(place.query)
  const isLive = place.query.get("live") === "1"
  const live = isLive ? "1" : undefined
  const show = (given: Record<string, string | undefined>) =>
    go(pathWith("requests", { ...filters, live, ...given }), { replace: true })
  const key = pathWith("", filters)
  return (
    <>
      <Head title="Requests">
        <button
          class={isLive ? "live" : ""}
          aria-pressed={isLive}
          onClick={() => show({ live: isLive ? undefined : "1" })}
        >
          {isLive ? "Live" : "Go live"}
        </button>
      </Head>
      <form class="filters" onSubmit={(event) => event.preventDefault()}>
        <input
          type="search"
          aria-label="Id of a request, receipt or key"
          placeholder="Id of a request, receipt or key"
          value={filters["q"] ?? ""}
          onChange={(event) => show({ q: event.currentTarget.value.trim() })}
        />
        <input
          type="text"
          aria-label="Model or deployment"
          placeholder="Model or deployment"
          value={filters["model"] ?? ""}
          onChange={(event) => show({ model: event.currentTarget.value.trim() })}
        />
        <select
          aria-label="Status"
          value={filters["status"] ?? ""}
          onChange={(event) => show({ status: event.currentTarget.value })}
        >
          <option value="">any status</option>
          {statuses.map((status) => (
            <option key={status} value={status}>
              {words(status)}
            </option>
          ))}
        </select>
        {others.map((name) =>
          filters[name] === undefined ? null : (
            <button key={name} class="chip" onClick={() => show({ [name]: undefined })}>
              {`${name} ${filters[name]}`} <span aria-hidden="true">×</span>
              <span class="unseen"> (take the filter away)</span>
            </button>
          )
        )}
      </form>
      {isLive ? <Live key={key} query={key} /> : <Pages key={key} query={key} filters={filters} />}
    </>
  )
}

const Pages = (props: { readonly query: string; readonly filters: Record<string, string> }) => {
  const path = (after?: string) => pathWith("requests", { ...props.filters, limit: String(PER_PAGE), after })
  const first = useQuery<Page>(path())
  const [more, setMore] = useState<ReadonlyArray<Page>>([])
  const [error, setError] = useState<ApiError | undefined>(undefined)
  return (
    <Answer query={first}>
      {(page) => {
        const pages = [page, ...more]
        const last = pages.at(-1)
        const next = last?.next ?? null
        const receipts = pages.flatMap(({ data }) => data)
        const load = () => {
          if (next === null) return
          call<Page>("GET", path(next))
            .then((added) => setMore([...more, added]))
            .catch((cause: unknown) => setError(asApiError(cause)))
        }
        return (
          <>
            {receipts.length === 0 ? (
              <Empty title={props.query === "" ? "No request yet." : "No request is like that."}>
                {last?.scanned_to === undefined ? null : (
                  <p class="muted">{`Searched back to ${time(last.scanned_to)}.`}</p>
                )}
              </Empty>
            ) : (
              <Table receipts={receipts} />
            )}
            {error === undefined ? null : <Failure error={error} />}
            {next === null ? null : (
              <p>
                <button onClick={load}>Older ones</button>
              </p>
            )}
          </>
        )
      }}
    </Answer>
  )
}

const Live = ({ query }: { readonly query: string }) => {
  const [receipts, setReceipts] = useState<ReadonlyArray<Receipt>>([])
  const [error, setError] = useState<ApiError | undefined>(undefined)
  const [round, setRound] = useState(0)
  useEffect(() => {
    const stop = new AbortController()
    tail(query, stop.signal, (added) => setReceipts((old) => [...added.toReversed(), ...old].slice(0, MOST_LIVE)))
      .then(() => setError(asApiError("The gateway ended the stream.")))
      .catch((cause: unknown) => {
        if (!stop.signal.aborted) setError(asApiError(cause))
      })
    return () => stop.abort()
  }, [query, round])
  const again = () => {
    setError(undefined)
    setRound(round + 1)
  }
  return (
    <>
      {error === undefined ? null : <Failure error={error} retry={again} />}
      {receipts.length === 0 ? <Empty title="Waiting for requests to end …" /> : <Table receipts={receipts} />}
    </>
  )
}

const tokensOf = ({ usage }: Receipt) => usage.input + usage.cached_input + usage.cache_write + usage.cache_write_1h

const Table = ({ receipts }: { readonly receipts: ReadonlyArray<Receipt> }) => (
  <div class="table card">
    <table>
      <thead>
        <tr>
          <th>Time</th>
          <th>Status</th>
          <th>Asked for</th>
          <th>Served by</th>
          <th>Bucket</th>
          <th class="number">Attempts</th>
          <th class="number">First token</th>
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
            <td class="number">
              {duration(one.attempts.find(({ outcome }) => outcome === "ok")?.first_token_ms ?? null)}
            </td>
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
