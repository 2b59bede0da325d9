/** What a key did in the last week, and its last requests. */
import type { Receipt, TrafficReport } from "@model-gateway/protocol"
import { useQuery } from "../../api/Query.ts"
import { short, spent, usd, words } from "../../Format.ts"
import { Chart } from "../../parts/Chart.tsx"
import { Answer, Card, Empty, Link } from "../../parts/Parts.tsx"
import { pathWith } from "../../Place.ts"
import { byTime, useSpan } from "../../parts/Span.ts"
import { endings, pick, seriesOf } from "../../parts/Traffic.ts"
import { RequestTable } from "../requests/RequestTable.tsx"

export const KeyTraffic = ({ id }: { readonly id: string }) => {
  const { from, interval, tz } = useSpan("7d")
  const traffic = useQuery<TrafficReport>(pathWith("traffic", { key: id, tz, from, interval, group_by: "error" }))
  const requests = useQuery<{ readonly data: ReadonlyArray<Receipt> }>(pathWith("requests", { key: id, limit: "10" }))
  return (
    <>
      <Answer query={traffic}>{(report) => <Charts id={id} report={report} />}</Answer>
      <div class="card-head">
        <h2>Latest requests</h2>
        <Link to={pathWith("requests", { key: id })}>All requests</Link>
      </div>
      <Answer query={requests}>
        {({ data }) => (data.length === 0 ? <Empty title="No requests yet." /> : <RequestTable receipts={data} />)}
      </Answer>
    </>
  )
}

/** How many requests were refused with which error, most first. Budgets, which refuse after routing, have no code here. */
const refusalsIn = (rows: TrafficReport["rows"]): ReadonlyArray<readonly [error: string, count: number]> => {
  const counts = new Map<string, number>()
  for (const { error, refused } of rows) {
    if (refused > 0) counts.set(error ?? "budget", (counts.get(error ?? "budget") ?? 0) + refused)
  }
  return [...counts].toSorted(([, a], [, b]) => b - a)
}

const Refused = (props: { readonly id: string; readonly errors: ReturnType<typeof refusalsIn> }) => (
  <span class="muted">
    Refused:{" "}
    {props.errors.map(([error, count], index) => (
      <>
        {index === 0 ? "" : ", "}
        <Link to={pathWith("requests", { key: props.id, status: "refused", error })}>{words(error)}</Link>
        {` ${short(count)}`}
      </>
    ))}
  </span>
)

const Charts = ({ id, report }: { readonly id: string; readonly report: TrafficReport }) => {
  const times = byTime(report)
  const { total } = report
  if (total.requests === 0) return null
  const to = (from: number, until: number) =>
    pathWith("requests", { key: id, from: new Date(from).toISOString(), to: new Date(until).toISOString() })
  const refused = refusalsIn(report.rows)
  return (
    <div class="columns">
      <Card title="Spend, 7 days">
        <Chart
          kind="bars"
          label="Spend per hour"
          times={times}
          show={usd}
          to={to}
          series={[{ name: "spend", whole: spent(total), values: pick(report, times, (row) => row.cost_usd) }]}
        />
      </Card>
      <Card title="Requests, 7 days" aside={refused.length === 0 ? null : <Refused id={id} errors={refused} />}>
        <Chart
          kind="bars"
          label="Requests by outcome"
          times={times}
          show={short}
          to={to}
          series={seriesOf(report, short, endings)}
        />
      </Card>
    </div>
  )
}
