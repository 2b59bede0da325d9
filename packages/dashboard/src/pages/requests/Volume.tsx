/** How many there were, by the hour: above the list, where the rollups can tell it for the filters of the list. */
import type { TrafficReport } from "@model-gateway/protocol"
import { useQuery } from "../../api/Query.ts"
import { short } from "../../Format.ts"
import { Chart } from "../../parts/Chart.tsx"
import { byTime, pick, useSpan } from "../../parts/Traffic.ts"
import { pathWith } from "../../Place.ts"

/** Rollups know where requests went, or who sent them. */
const cuts = [
  ["deployment", "bucket", "endpoint", "error", "status"],
  ["key", "team", "tag", "status"]
]

export const Volume = ({ filters }: { readonly filters: Readonly<Record<string, string>> }) => {
  const { from, zone } = useSpan("24h")
  const isKnown = cuts.some((cut) => Object.keys(filters).every((name) => cut.includes(name)))
  const path = pathWith("traffic", { ...filters, tz: zone, from, interval: "hour" })
  const { data } = useQuery<TrafficReport>(isKnown ? path : undefined)
  if (!isKnown) return null
  if (data === undefined) return <div class="volume" />
  const times = byTime(data)
  const bars = [
    ["answered", (row: typeof data.total) => row.ok],
    ["failed or cut", (row: typeof data.total) => row.failed + row.cut],
    ["refused", (row: typeof data.total) => row.refused],
    ["caller left", (row: typeof data.total) => row.client_gone]
  ] as const
  return (
    <div class="volume">
      <Chart
        kind="bars"
        height={64}
        label="Requests of the last 24 hours, by the hour"
        times={times}
        show={short}
        series={bars.map(([name, value]) => ({
          name,
          whole: short(value(data.total)),
          values: pick(data, times, value)
        }))}
      />
    </div>
  )
}
