/** What a key did in the last week, and its last requests. */
import type { Receipt, TrafficReport } from "@model-gateway/protocol"
import { useQuery } from "../../api/Query.ts"
import { short, spent, usd } from "../../Format.ts"
import { Chart } from "../../parts/Chart.tsx"
import { Answer, Card, Empty, Link } from "../../parts/Parts.tsx"
import { pathWith } from "../../Place.ts"
import { byTime, useSpan } from "../../parts/Span.ts"
import { endings, pick, seriesOf } from "../../parts/Traffic.ts"
import { RequestTable } from "../requests/RequestTable.tsx"

export const KeyTraffic = ({ id }: { readonly id: string }) => {
  const { from, interval, tz } = useSpan("7d")
  const traffic = useQuery<TrafficReport>(pathWith("traffic", { key: id, tz, from, interval, group_by: "limit" }))
  const requests = useQuery<{ readonly data: ReadonlyArray<Receipt> }>(pathWith("requests", { key: id, limit: "10" }))
  return (
    <>
      <Answer query={traffic}>{(report) => <Charts id={id} report={report} />}</Answer>
      <div class="card-head">
        <h2>Last requests</h2>
        <Link to={pathWith("requests", { key: id })}>All of them</Link>
      </div>
      <Answer query={requests}>
        {({ data }) => (data.length === 0 ? <Empty title="None yet." /> : <RequestTable receipts={data} />)}
      </Answer>
    </>
  )
}

/** Those of a key, whose limits turned some away before they had a receipt. */
const limits = ["rpm", "tpm", "parallel", "budget"]

const Charts = ({ id, report }: { readonly id: string; readonly report: TrafficReport }) => {
  const times = byTime(report)
  const { total } = report
  if (total.requests === 0) return null
  const to = (from: number, until: number) =>
    pathWith("requests", { key: id, from: new Date(from).toISOString(), to: new Date(until).toISOString() })
  const refusals = limits.flatMap((limit) => {
    const count = report.rows.reduce((sum, row) => sum + (row.limit === limit ? row.refused : 0), 0)
    return count === 0 ? [] : [`${limit} ${short(count)}`]
  })
  return (
    <div class="columns">
      <Card title="Spend, seven days">
        <Chart
          kind="bars"
          label="Spend by the hour"
          times={times}
          show={usd}
          to={to}
          series={[{ name: "spend", whole: spent(total), values: pick(report, times, (row) => row.cost_usd) }]}
        />
      </Card>
      <Card
        title="Requests, seven days"
        aside={refusals.length === 0 ? null : <span class="muted">{`Refused by: ${refusals.join(", ")}`}</span>}
      >
        <Chart
          kind="bars"
          label="Requests by how they ended"
          times={times}
          show={short}
          to={to}
          series={seriesOf(report, short, endings)}
        />
      </Card>
    </div>
  )
}
