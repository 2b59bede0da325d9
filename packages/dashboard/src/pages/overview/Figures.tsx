/** The tiles of the overview, and its charts. From each chart one click leads to the requests of a time. */
import type { TrafficReport } from "@model-gateway/protocol"
import { open } from "../../api/Api.ts"
import { count, duration, exactUsd, percent, short, spent, usd } from "../../Format.ts"
import { Chart } from "../../parts/Chart.tsx"
import { Histogram } from "../../parts/Histogram.tsx"
import { Card, Link } from "../../parts/Parts.tsx"
import { Save } from "../../parts/Save.tsx"
import { byTime } from "../../parts/Span.ts"
import { endings, leaders, pick, savedBy, seriesOf } from "../../parts/Traffic.ts"
import { pathWith } from "../../Place.ts"

type Total = TrafficReport["total"]

const Tile = (props: {
  readonly name: string
  readonly value: string
  readonly title?: string
  readonly now: number | null
  readonly before: number | null
  /** More to say than the change. */
  readonly note?: string | undefined
}) => {
  const { before, now } = props
  const change = now === null || before === null || before === 0 ? null : now / before - 1
  const words =
    change === null
      ? "no traffic in the previous period"
      : `${change < 0 ? "−" : "+"}${percent(Math.abs(change))} vs. previous period`
  return (
    <div class="tile">
      <dt>{props.name}</dt>
      <dd title={props.title}>{props.value}</dd>
      <dd class="change">{props.note ?? words}</dd>
    </div>
  )
}

const failureRate = ({ failure_rate: rate }: Total) => rate
/** `24 h`, `7 days`. */
const spanOf = ({ from, to }: TrafficReport): string => {
  const hours = Math.round((Date.parse(to) - Date.parse(from)) / 3_600_000)
  return hours <= 48 ? `${hours}\u00a0h` : `${Math.round(hours / 24)}\u00a0days`
}

const cachedShare = ({ cached_input_tokens, input_tokens }: Total) =>
  input_tokens === 0 ? null : cached_input_tokens / input_tokens

export const Tiles = (props: { readonly report: TrafficReport; readonly cut: TrafficReport | undefined }) => {
  const { cut, report } = props
  const { before, total } = report
  const saved = cut === undefined ? null : savedBy(cut)
  const both = (of: (sums: Total) => number | null) => ({
    now: of(total),
    before: before === undefined ? null : of(before)
  })
  return (
    <dl class="tiles">
      <Tile
        name={`Spend, ${spanOf(report)}`}
        value={spent(total)}
        title={exactUsd(total.cost_usd)}
        note={total.unpriced === 0 ? undefined : `${count(total.unpriced)} responses without a price`}
        {...both(({ cost_usd }) => cost_usd)}
      />
      <Tile name={`Requests, ${spanOf(report)}`} value={short(total.requests)} {...both(({ requests }) => requests)} />
      <Tile
        name={`Failure rate, ${spanOf(report)}`}
        title="Failed or cut requests, as a share of completed, failed and cut ones. Refused requests and client disconnects are excluded."
        value={percent(failureRate(total))}
        {...both(failureRate)}
      />
      <Tile
        name={`1st token p95, ${spanOf(report)}`}
        value={duration(total.first_token_ms.p95)}
        {...both(({ first_token_ms }) => first_token_ms.p95)}
      />
      <Tile
        name={`Response time p95, ${spanOf(report)}`}
        value={duration(total.latency_ms.p95)}
        {...both(({ latency_ms }) => latency_ms.p95)}
      />
      <Tile
        name={`Cached input tokens, ${spanOf(report)}`}
        value={percent(cachedShare(total))}
        {...both(cachedShare)}
      />
      <Tile
        name={`Saved by auto, ${spanOf(report)}`}
        value={saved === null ? "–" : usd(saved)}
        title={exactUsd(saved)}
        now={null}
        before={null}
        note="compared with the strongest bucket"
      />
    </dl>
  )
}

const requestsOf =
  (given: Readonly<Record<string, string>> = {}) =>
  (from: number, to: number) =>
    pathWith("requests", { ...given, from: new Date(from).toISOString(), to: new Date(to).toISOString() })

export const Charts = (props: { readonly report: TrafficReport; readonly cut: TrafficReport | undefined }) => {
  const { cut, report } = props
  const times = byTime(report)
  const percentiles = (name: "latency_ms" | "first_token_ms") =>
    (["p50", "p95", "p99"] as const).map((share) => ({
      name: share,
      whole: duration(report.total[name][share]),
      values: pick(report, times, (row) => row[name][share])
    }))
  return (
    <div class="columns">
      <Card title="Spend by deployment" aside={<Save name="spend.csv" text={() => spendAsCsv(report)} />}>
        {cut === undefined ? null : (
          <Chart
            kind="bars"
            label="Spend by deployment over time"
            times={times}
            show={usd}
            to={requestsOf()}
            series={leaders(cut, 5).map(({ cost, name, names, unpriced }) => ({
              name,
              whole: spent({ cost_usd: cost, unpriced }),
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
      <Card title="Requests" aside={<Link to="requests?status=failed">Failed requests</Link>}>
        <Chart
          kind="bars"
          label="Requests by outcome"
          times={times}
          show={short}
          to={requestsOf()}
          series={seriesOf(report, short, endings)}
        />
      </Card>
      <Card title="Response time">
        <Chart
          kind="lines"
          label="Time to the end of the response"
          times={times}
          show={duration}
          to={requestsOf({ status: "ok" })}
          series={percentiles("latency_ms")}
        />
      </Card>
      <Card title="Time to first token">
        <Chart
          kind="lines"
          label="Time to the first token of streams"
          times={times}
          show={duration}
          to={requestsOf({ stream: "true" })}
          series={percentiles("first_token_ms")}
        />
      </Card>
      <Card title="Time to first token, distribution">
        <Histogram
          label="Streams by time to first token"
          classes={report.histograms?.first_token_ms ?? []}
          show={duration}
        />
      </Card>
      <Card title="Input and output tokens">
        <Chart
          kind="bars"
          label="Tokens"
          times={times}
          show={short}
          to={requestsOf()}
          series={seriesOf(report, short, [
            ["input", (row) => row.input_tokens - row.cached_input_tokens],
            ["cached input", (row) => row.cached_input_tokens],
            ["output", (row) => row.output_tokens]
          ])}
        />
      </Card>
    </div>
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
