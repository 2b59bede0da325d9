/** What a key did in the last week, and its last requests. */
import type { Receipt, TrafficReport } from "@model-gateway/protocol"
import { useQuery } from "../../api/Query.ts"
import { short, usd } from "../../Format.ts"
import { Chart } from "../../parts/Chart.tsx"
import { Answer, Card, Empty, Link } from "../../parts/Parts.tsx"
import { pathWith } from "../../Place.ts"
import { byTime, pick, useSpan } from "../../parts/Traffic.ts"
import { RequestTable } from "../requests/RequestTable.tsx"

export const KeyTraffic = ({ id }: { readonly id: string }) => {
  const { from, zone } = useSpan("7d")
  const traffic = useQuery<TrafficReport>(pathWith("traffic", { key: id, tz: zone, from, interval: "hour" }))
  const requests = useQuery<{ readonly data: ReadonlyArray<Receipt> }>(pathWith("requests", { key: id, limit: "10" }))
  return (
    <>
      <Answer query={traffic}>{(report) => <Charts report={report} />}</Answer>
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

const Charts = ({ report }: { readonly report: TrafficReport }) => {
  const times = byTime(report)
  const { total } = report
  if (total.requests === 0) return null
  const bars = [
    ["answered", (row: typeof total) => row.ok],
    ["failed or cut", (row: typeof total) => row.failed + row.cut],
    ["refused", (row: typeof total) => row.refused],
    ["caller left", (row: typeof total) => row.client_gone]
  ] as const
  return (
    <div class="columns">
      <Card title="Spend, seven days">
        <Chart
          kind="bars"
          label="Spend by the hour"
          times={times}
          show={usd}
          series={[{ name: "spend", whole: usd(total.cost_usd), values: pick(report, times, (row) => row.cost_usd) }]}
        />
      </Card>
      <Card title="Requests, seven days">
        <Chart
          kind="bars"
          label="Requests by how they ended"
          times={times}
          show={short}
          series={bars.map(([name, value]) => ({
            name,
            whole: short(value(total)),
            values: pick(report, times, value)
          }))}
        />
      </Card>
    </div>
  )
}
