/** The requests, newest first, also live. All filters are in the address, so that a view can be shared. */
import type { Receipt } from "@model-gateway/protocol"
import { useEffect, useState } from "preact/hooks"
import { call } from "../../api/Api.ts"
import { gatewayNow } from "../../api/Clock.ts"
import { asApiError, useQuery } from "../../api/Query.ts"
import { tail } from "../../api/Tail.ts"
import type { ApiError } from "../../api/Api.ts"
import { count, dateAndTime, time, words } from "../../Format.ts"
import { Answer, Empty, Failure, Head } from "../../parts/Parts.tsx"
import { Save } from "../../parts/Save.tsx"
import { type Column, ColumnChoice, useColumns } from "./Columns.tsx"
import { RequestTable, requestsAsCsv } from "./RequestTable.tsx"
import { Volume } from "./Volume.tsx"
import { go, pathWith, type Place } from "../../Place.ts"

const PER_PAGE = 50
/** What a list keeps on the page, so that it scrolls however far one goes back. */
const MOST_PAGES = 20
/** Nobody reads more, and the gateway has better things to do. */
const MOST_PER_SECOND = 20
/** What a tail keeps on the page. */
const MOST_LIVE = 200

const statuses = ["ok", "failed", "cut", "client_gone", "refused", "blocked", "abandoned"]
/** Those that have no field of their own here, and are shown where a link brought them. */
const others = [
  "session",
  "deployment",
  "bucket",
  "tag",
  "endpoint",
  "stream",
  "feedback",
  "min_cost_usd",
  "min_duration_ms",
  "from",
  "to"
]

/** Fields of the form beside the search. */
const fields = [
  ["key", "Name or ID of a key"],
  ["team", "Team"],
  ["end_user", "End user"],
  ["model", "Model or deployment"],
  ["error", "Error, such as rate_limited"]
] as const

/** Names and minutes. */
const times = [
  ["last 15 minutes", 15],
  ["last hour", 60],
  ["last 24 hours", 1_440],
  ["last 7 days", 10_080]
] as const

const since = (minutes: number): string | undefined =>
  minutes > 0 ? new Date(gatewayNow() - minutes * 60_000).toISOString() : undefined

/** What a filter says of itself. */
const saying = (name: string, value: string): string =>
  name === "from" || name === "to" ? `${name} ${dateAndTime(value)}` : `${words(name)} ${value}`

interface Page {
  readonly data: ReadonlyArray<Receipt>
  readonly next: string | null
  readonly scanned_to?: string
}

const filtersIn = (query: URLSearchParams): Record<string, string> =>
  Object.fromEntries(
    ["q", "status", "model", "key", "team", "end_user", "error", ...others].flatMap((name) => {
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
  const { choose, shown } = useColumns()
  return (
    <>
      <Head title="Requests">
        <ColumnChoice shown={shown} choose={choose} />
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
          aria-label="ID of a request or receipt"
          placeholder="ID of a request or receipt"
          value={filters["q"] ?? ""}
          onChange={(event) => show({ q: event.currentTarget.value.trim() })}
        />
        {fields.map(([name, label]) => (
          <input
            key={name}
            type="text"
            aria-label={label}
            placeholder={label}
            value={filters[name] ?? ""}
            onChange={(event) => show({ [name]: event.currentTarget.value.trim() })}
          />
        ))}
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
        <select
          aria-label="Time"
          value={filters["from"] === undefined ? "" : "given"}
          onChange={(event) => show({ from: since(Number(event.currentTarget.value)), to: undefined })}
        >
          <option value="">any time</option>
          {filters["from"] === undefined ? null : <option value="given">custom</option>}
          {times.map(([name, minutes]) => (
            <option key={name} value={minutes}>
              {name}
            </option>
          ))}
        </select>
        {others.map((name) =>
          filters[name] === undefined ? null : (
            <button key={name} class="chip" onClick={() => show({ [name]: undefined })}>
              {saying(name, filters[name] ?? "")} <span aria-hidden="true">×</span>
              <span class="unseen"> (remove the filter)</span>
            </button>
          )
        )}
      </form>
      {isLive ? null : <Volume key={`volume ${key}`} filters={filters} />}
      {isLive ? (
        <Live key={key} query={key} shown={shown} />
      ) : (
        <Pages key={key} query={key} filters={filters} shown={shown} />
      )}
    </>
  )
}

const Pages = (props: {
  readonly query: string
  readonly filters: Record<string, string>
  readonly shown: ReadonlyArray<Column>
}) => {
  const path = (after?: string) => pathWith("requests", { ...props.filters, limit: String(PER_PAGE), after })
  const first = useQuery<Page>(path())
  const [more, setMore] = useState<ReadonlyArray<Page>>([])
  const [error, setError] = useState<ApiError | undefined>(undefined)
  return (
    <Answer query={first}>
      {(page) => {
        const pages = [page, ...more].slice(-MOST_PAGES)
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
              <Empty title={props.query === "" ? "No requests yet." : "No request matches."}>
                {last?.scanned_to === undefined ? null : (
                  <p class="muted">{`Searched back to ${time(last.scanned_to)}.`}</p>
                )}
              </Empty>
            ) : (
              <RequestTable receipts={receipts} shown={props.shown} />
            )}
            {error === undefined ? null : <Failure error={error} />}
            <p class="row">
              {next === null ? null : <button onClick={load}>Load older requests</button>}
              {more.length < MOST_PAGES ? null : <button onClick={() => setMore([])}>Back to the newest</button>}
              {receipts.length === 0 ? null : <Save name="requests.csv" text={() => requestsAsCsv(receipts)} />}
              {receipts.length === 0 ? null : <span class="muted">{`${count(receipts.length)} shown`}</span>}
            </p>
          </>
        )
      }}
    </Answer>
  )
}

/** Whoever reads further down is not pushed on: what ends meanwhile waits above. */
const isReading = (): boolean => scrollY > 80

const Live = ({ query, shown }: { readonly query: string; readonly shown: ReadonlyArray<Column> }) => {
  const [receipts, setReceipts] = useState<ReadonlyArray<Receipt>>([])
  const [held, setHeld] = useState<ReadonlyArray<Receipt>>([])
  const [error, setError] = useState<ApiError | undefined>(undefined)
  const [dropped, setDropped] = useState(0)
  const [round, setRound] = useState(0)
  useEffect(() => {
    const stop = new AbortController()
    const onTop = (added: ReadonlyArray<Receipt>) => (old: ReadonlyArray<Receipt>) =>
      [...added.toReversed(), ...old].slice(0, MOST_LIVE)
    const paced = `${query}${query === "" ? "?" : "&"}max_per_second=${MOST_PER_SECOND}`
    tail(paced, stop.signal, {
      receipts: (added) => (isReading() ? setHeld : setReceipts)(onTop(added)),
      dropped: (count) => setDropped((old) => old + (count ?? 0))
    })
      .then(() => setError(asApiError("The gateway ended the stream.")))
      .catch((cause: unknown) => {
        if (!stop.signal.aborted) setError(asApiError(cause))
      })
    return () => stop.abort()
  }, [query, round])
  const letIn = () => {
    if (isReading() || held.length === 0) return
    setReceipts((old) => [...held, ...old].slice(0, MOST_LIVE))
    setHeld([])
  }
  useEffect(() => {
    addEventListener("scroll", letIn)
    return () => removeEventListener("scroll", letIn)
  })
  const again = () => {
    setError(undefined)
    setRound(round + 1)
  }
  return (
    <>
      {error === undefined ? null : <Failure error={error} retry={again} />}
      {held.length === 0 ? null : (
        <button class="held" onClick={() => scrollTo(0, 0)}>
          {held.length === MOST_LIVE ? `${MOST_LIVE} or more since` : `${held.length} since`}
        </button>
      )}
      {dropped === 0 ? null : (
        <p class="muted" role="status">{`${count(dropped)} more ended: ${MOST_PER_SECOND} a second are shown.`}</p>
      )}
      {receipts.length === 0 ? (
        <Empty title="Waiting for requests to end …" />
      ) : (
        <>
          <RequestTable receipts={receipts} shown={shown} />
          <Save name="requests.csv" text={() => requestsAsCsv(receipts)} />
        </>
      )}
    </>
  )
}
