/** What `auto` did: how it shared requests out, and what that cost beside the strongest bucket. */
import type { TrafficReport } from "@model-gateway/protocol"
import { useQuery } from "../api/Query.ts"
import { short, usd } from "../Format.ts"
import { Chart } from "../parts/Chart.tsx"
import { Answer, Card, Empty } from "../parts/Parts.tsx"
import { byTime, pick, savedBy, useSpan } from "../parts/Traffic.ts"
import { pathWith } from "../Place.ts"

/** From the smallest to the strongest, as every configuration has them. */
const order = ["simple", "standard", "complex", "reasoning"]

export const BucketTraffic = () => {
  const { from, zone } = useSpan("7d")
  const query = useQuery<TrafficReport>(pathWith("traffic", { tz: zone, from, interval: "hour", group_by: "bucket" }))
  return <Answer query={query}>{(report) => <Charts report={report} />}</Answer>
}

const Charts = ({ report }: { readonly report: TrafficReport }) => {
  const times = byTime(report)
  const rows = report.rows.filter(({ bucket }) => bucket !== undefined && bucket !== null && bucket !== "none")
  const auto = { ...report, rows }
  if (rows.length === 0) {
    return (
      <Card title="Seven days of auto">
        <Empty title="Nobody asked for auto in the last seven days." />
      </Card>
    )
  }
  const sum = (value: (row: (typeof rows)[number]) => number) => rows.reduce((all, row) => all + value(row), 0)
  const names = [...new Set(rows.map(({ bucket }) => bucket ?? ""))].toSorted(
    (a, b) => order.indexOf(a) - order.indexOf(b)
  )
  return (
    <div class="columns">
      <Card title="Requests to auto by bucket, seven days">
        <Chart
          kind="bars"
          label="Requests to auto by bucket"
          times={times}
          show={short}
          series={names.map((name) => ({
            name,
            whole: short(sum((row) => (row.bucket === name ? row.requests : 0))),
            values: pick(
              auto,
              times,
              (row) => row.requests,
              (row) => row.bucket === name
            )
          }))}
        />
      </Card>
      <Card title="What it cost, and would have" aside={<b>{`${usd(savedBy(report))} saved`}</b>}>
        <Chart
          kind="lines"
          label="Cost of auto beside the strongest bucket"
          times={times}
          show={usd}
          series={[
            { name: "cost", whole: usd(sum((row) => row.cost_usd)), values: pick(auto, times, (row) => row.cost_usd) },
            {
              name: "at the strongest bucket",
              whole: usd(sum((row) => row.auto_baseline_usd)),
              values: pick(auto, times, (row) => row.auto_baseline_usd)
            }
          ]}
        />
      </Card>
    </div>
  )
}
