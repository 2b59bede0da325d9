/** How much, how fast, how well, in a span of time. Four requests, once a minute. */
import type { BudgetUse, TrafficReport } from "@model-gateway/protocol"
import { open } from "../api/Api.ts"
import { useQuery } from "../api/Query.ts"
import { exactUsd, percent, short, usd, duration } from "../Format.ts"
import { BudgetTable } from "../parts/Budgets.tsx"
import { Chart } from "../parts/Chart.tsx"
import { Histogram } from "../parts/Histogram.tsx"
import { Save } from "../parts/Save.tsx"
import { Answer, Card, Empty, Head, Link, Loading } from "../parts/Parts.tsx"
import { pathWith, type Place } from "../Place.ts"
import { byTime, leaders, pick, ranges, savedBy, useSpan, type RangeName } from "../parts/Traffic.ts"

const REFRESH_MS = 60_000

const isRange = (name: string | null): name is RangeName => name !== null && name in ranges

const Tile = (props: {
  readonly name: string
  readonly value: string
  readonly title?: string
  readonly now: number | null
  readonly before: number | null
}) => {
  const { before, now } = props
  const change = now === null || before === null || before === 0 ? null : now / before - 1
  return (
    <div class="tile">
      <dt>{props.name}</dt>
      <dd title={props.title}>{props.value}</dd>
      <dd class="change">
        {change === null ? "no traffic before" : `${change < 0 ? "−" : "+"}${percent(Math.abs(change))} on before`}
      </dd>
    </div>
  )
}

export const Overview = ({ place }: { readonly place: Place }) => {
  const wanted = place.query.get("range")
  const range: RangeName = isRange(wanted) ? wanted : "24h"
  const { before, from, interval, zone } = useSpan(range)
  const over = { tz: zone, from }
  const all = useQuery<TrafficReport>(pathWith("traffic", { ...over, interval, histograms: "true" }), REFRESH_MS)
  const cut = useQuery<TrafficReport>(
    pathWith("traffic", { ...over, interval, group_by: "deployment,bucket" }),
    REFRESH_MS
  )
  const past = useQuery<TrafficReport>(pathWith("traffic", { tz: zone, from: before, to: from, limit: "1" }))
  const budgets = useQuery<{ readonly data: ReadonlyArray<BudgetUse> }>("budgets?limit=6", REFRESH_MS)
  // All at once: what comes later would push down what is being read.
  const isReady = [all, cut, past, budgets].every(({ data, error }) => data !== undefined || error !== undefined)
  return (
    <>
      <Head title="Overview">
        <div class="segments" role="group" aria-label="Span of time">
          {Object.keys(ranges).map((name) => (
            <Link key={name} to={pathWith("", { range: name })} current={name === range}>
              {name}
            </Link>
          ))}
        </div>
      </Head>
      {isReady ? (
        <>
          <Answer query={all}>{(report) => <Figures report={report} cut={cut.data} past={past.data} />}</Answer>
          <div class="columns">
            <Card title="Deployments" aside={<Link to="deployments">Health of all</Link>}>
              <Answer query={cut}>{(report) => <Leaders report={report} />}</Answer>
            </Card>
            <Card title="Fullest budgets" aside={<Link to="keys">All keys</Link>}>
              <Answer query={budgets}>
                {({ data }) =>
                  data.length === 0 ? (
                    <Empty title="No key has a budget.">
                      <p class="muted">
                        A budget is a bound: a request that could go beyond it is refused before it is sent.
                      </p>
                    </Empty>
                  ) : (
                    <BudgetTable budgets={data} />
                  )
                }
              </Answer>
            </Card>
          </div>
        </>
      ) : (
        <Loading />
      )}
    </>
  )
}

const Figures = (props: {
  readonly report: TrafficReport
  readonly cut: TrafficReport | undefined
  readonly past: TrafficReport | undefined
}) => {
  const { cut, past, report } = props
  const now = report.total
  const before = past?.total
  const failedShare = (total: typeof now) => (total.requests === 0 ? null : (total.failed + total.cut) / total.requests)
  const cached = (total: typeof now) =>
    total.input_tokens === 0 ? null : total.cached_input_tokens / total.input_tokens
  const saved = cut === undefined ? null : savedBy(cut)
  const times = byTime(report)
  return (
    <>
      <dl class="tiles">
        <Tile
          name="Spend"
          value={usd(now.cost_usd)}
          title={exactUsd(now.cost_usd)}
          now={now.cost_usd}
          before={before?.cost_usd ?? null}
        />
        <Tile name="Requests" value={short(now.requests)} now={now.requests} before={before?.requests ?? null} />
        <Tile
          name="Failed"
          value={percent(failedShare(now))}
          now={failedShare(now)}
          before={before === undefined ? null : failedShare(before)}
        />
        <Tile
          name="1st token, p95"
          value={duration(now.first_token_ms.p95)}
          now={now.first_token_ms.p95}
          before={before?.first_token_ms.p95 ?? null}
        />
        <Tile
          name="Answer, p95"
          value={duration(now.latency_ms.p95)}
          now={now.latency_ms.p95}
          before={before?.latency_ms.p95 ?? null}
        />
        <Tile
          name="Cached input"
          value={percent(cached(now))}
          now={cached(now)}
          before={before === undefined ? null : cached(before)}
        />
        <div class="tile">
          <dt>Saved by auto</dt>
          <dd title={exactUsd(saved)}>{saved === null ? "–" : usd(saved)}</dd>
          <dd class="change">by its choices</dd>
        </div>
      </dl>
      {now.requests === 0 ? (
        <Empty title="No request in this time.">
          <p class="muted">
            Point any OpenAI client at <code>{`${location.origin}/v1`}</code> with a key of <Link to="keys">Keys</Link>.
          </p>
        </Empty>
      ) : (
        <div class="columns">
          <Card title="Spend by deployment" aside={<Save name="spend.csv" text={() => spendAsCsv(report)} />}>
            {cut === undefined ? null : (
              <Chart
                kind="bars"
                label="Spend by deployment over time"
                times={times}
                show={usd}
                series={leaders(cut, 5).map(({ cost, name, names }) => ({
                  name,
                  whole: usd(cost),
                  values: pick(
                    cut,
                    times,
                    (row) => row.cost_usd,
                    (row) => names.has(row.deployment ?? null)
                  )
                }))}
              />
            )}
          </Card>
          <Card title="Requests" aside={<Link to="requests?status=failed">Failed ones</Link>}>
            <Chart
              kind="bars"
              label="Requests by how they ended"
              times={times}
              show={short}
              series={(
                [
                  ["answered", (row) => row.ok],
                  ["failed or cut", (row) => row.failed + row.cut],
                  ["refused", (row) => row.refused],
                  ["caller left", (row) => row.client_gone]
                ] satisfies ReadonlyArray<readonly [string, (row: typeof now) => number]>
              ).map(([name, value]) => ({ name, whole: short(value(now)), values: pick(report, times, value) }))}
            />
          </Card>
          <Card title="Whole answers">
            <Chart
              kind="lines"
              label="Time to the end of the answer"
              times={times}
              show={duration}
              series={(["p50", "p95", "p99"] as const).map((name) => ({
                name,
                whole: duration(now.latency_ms[name]),
                values: pick(report, times, (row) => row.latency_ms[name])
              }))}
            />
          </Card>
          <Card title="First tokens">
            <Chart
              kind="lines"
              label="Time to the first token of streams"
              times={times}
              show={duration}
              series={(["p50", "p95", "p99"] as const).map((name) => ({
                name,
                whole: duration(now.first_token_ms[name]),
                values: pick(report, times, (row) => row.first_token_ms[name])
              }))}
            />
          </Card>
          <Card title="How soon streams began">
            <Histogram
              label="Streams by the time to their first token"
              classes={report.histograms?.first_token_ms ?? []}
            />
          </Card>
          <Card title="Input and output">
            <Chart
              kind="bars"
              label="Tokens"
              times={times}
              show={short}
              series={(
                [
                  ["input", (row) => row.input_tokens - row.cached_input_tokens],
                  ["cached input", (row) => row.cached_input_tokens],
                  ["output", (row) => row.output_tokens]
                ] satisfies ReadonlyArray<readonly [string, (row: typeof now) => number]>
              ).map(([name, value]) => ({ name, whole: short(value(now)), values: pick(report, times, value) }))}
            />
          </Card>
        </div>
      )}
    </>
  )
}

/** The ledger's rows of the time that is shown. Bounds in whole hours, as the ledger has them. */
const spendAsCsv = async ({ from, interval, time_zone, to }: TrafficReport): Promise<string> => {
  const hour = 3_600_000
  const end = new Date(Math.ceil(Date.parse(to) / hour) * hour).toISOString()
  const begin = new Date(Math.floor(Date.parse(from) / hour) * hour).toISOString()
  const by = interval === "day" ? "day" : "hour"
  const query = {
    from: begin,
    to: end,
    tz: time_zone,
    group_by: "key,team,provider,model",
    interval: by,
    format: "csv"
  }
  return (await open("GET", pathWith("spend", query))).text()
}

const Leaders = ({ report }: { readonly report: TrafficReport }) => {
  const rows = leaders(report, 6)
  if (rows.length === 0) return <Empty title="None was asked in this time." />
  return (
    <div class="table">
      <table>
        <thead>
          <tr>
            <th>Deployment</th>
            <th class="number">Requests</th>
            <th class="number">Failed</th>
            <th class="number">Spend</th>
          </tr>
        </thead>
        <tbody>
          {rows.map(({ cost, failed, name, names, requests }) => (
            <tr key={name}>
              <td>
                {names.size === 1 && !names.has(null) ? (
                  <Link to={pathWith("requests", { deployment: name })}>{name}</Link>
                ) : (
                  name
                )}
              </td>
              <td class="number">{short(requests)}</td>
              <td class="number">{failed === 0 ? "0" : percent(failed / requests)}</td>
              <td class="number">{usd(cost)}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  )
}
