/** What `auto` did: how it shared requests out, and what that cost beside the strongest bucket. */
import type { TrafficReport } from "@model-gateway/protocol"
import type { ComponentChildren } from "preact"
import { useQuery } from "../../api/Query.ts"
import { short, spent, usd } from "../../Format.ts"
import { Chart } from "../../parts/Chart.tsx"
import { Histogram } from "../../parts/Histogram.tsx"
import { Answer, Card, Empty } from "../../parts/Parts.tsx"
import { byTime, useSpan } from "../../parts/Span.ts"
import { pick, savedBy } from "../../parts/Traffic.ts"
import { pathWith } from "../../Place.ts"

/** From the smallest to the strongest, as every configuration has them. */
const order = ["simple", "standard", "complex", "reasoning"]

interface Given {
  readonly cuts: ReadonlyArray<number>
  /** What stands beside the charts. */
  readonly children: ComponentChildren
}

export const BucketTraffic = ({ children, cuts }: Given) => {
  const { from, interval, tz } = useSpan("7d")
  const query = useQuery<TrafficReport>(
    pathWith("traffic", { tz, from, interval, group_by: "bucket", histograms: "true" })
  )
  return <Answer query={query}>{(report) => <Charts report={report} cuts={cuts} beside={children} />}</Answer>
}

const requestsOf = (from: number, to: number): string =>
  pathWith("requests", { model: "auto", from: new Date(from).toISOString(), to: new Date(to).toISOString() })

const Charts = (props: {
  readonly report: TrafficReport
  readonly cuts: ReadonlyArray<number>
  readonly beside: ComponentChildren
}) => {
  const { beside, cuts, report } = props
  const times = byTime(report)
  const rows = report.rows.filter(({ bucket }) => bucket !== undefined && bucket !== null && bucket !== "none")
  const auto = { ...report, rows }
  if (rows.length === 0) {
    return (
      <>
        <Card title="Requests to auto, 7 days">
          <Empty title="No requests to auto in the last 7 days." />
        </Card>
        {beside}
      </>
    )
  }
  const sum = (value: (row: (typeof rows)[number]) => number) => rows.reduce((all, row) => all + value(row), 0)
  const names = [...new Set(rows.map(({ bucket }) => bucket ?? ""))].toSorted(
    (a, b) => order.indexOf(a) - order.indexOf(b)
  )
  return (
    <div class="columns">
      <Card title="Requests to auto by bucket, 7 days">
        <Chart
          kind="bars"
          label="Requests to auto by bucket"
          times={times}
          show={short}
          to={requestsOf}
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
      <Card title="Cost and baseline" aside={<b>{`${usd(savedBy(report))} saved`}</b>}>
        <Chart
          kind="lines"
          label="Cost of auto compared with the strongest bucket"
          times={times}
          show={usd}
          to={requestsOf}
          series={[
            {
              name: "cost",
              whole: spent({ cost_usd: sum((row) => row.cost_usd), unpriced: sum((row) => row.unpriced) }),
              values: pick(auto, times, (row) => row.cost_usd)
            },
            {
              name: "at the strongest bucket",
              whole: usd(sum((row) => row.auto_baseline_usd)),
              values: pick(auto, times, (row) => row.auto_baseline_usd)
            }
          ]}
        />
      </Card>
      <Card title="Scores and cut points">
        <Histogram
          label="Scores of requests to auto"
          classes={report.histograms?.scores ?? []}
          show={(score) => score.toFixed(2)}
          isWhole
          marks={cuts}
        />
      </Card>
      {beside}
    </div>
  )
}
