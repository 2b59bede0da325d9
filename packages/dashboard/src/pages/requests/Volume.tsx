/** How many there were: above the list, where the rollups can tell it for the filters of the list. A click leads to those of a time. */
import type { TrafficReport } from "@model-gateway/protocol"
import { useQuery } from "../../api/Query.ts"
import { short } from "../../Format.ts"
import { Chart } from "../../parts/Chart.tsx"
import { between, byTime, useSpan } from "../../parts/Span.ts"
import { endings, seriesOf } from "../../parts/Traffic.ts"
import { pathWith } from "../../Place.ts"

/** Rollups know where requests went, or who sent them: these have no minutes. */
const fleet = ["deployment", "bucket", "endpoint", "error", "status", "stream"]
const callers = ["key", "team", "tag", "status"]

export const Volume = ({ filters }: { readonly filters: Readonly<Record<string, string>> }) => {
  const { from, to, ...rest } = filters
  const names = Object.keys(rest)
  const isOf = (cut: ReadonlyArray<string>) => names.every((name) => cut.includes(name))
  const day = useSpan("24h")
  const given = from === undefined ? undefined : between(from, to ?? null)
  const span = given ?? day
  const interval = span.interval === "minute" && !isOf(fleet) ? "hour" : span.interval
  const isKnown = isOf(fleet) || isOf(callers)
  const path = pathWith("traffic", { ...rest, tz: span.tz, from: span.from, to: span.to, interval })
  const { data } = useQuery<TrafficReport>(isKnown ? path : undefined)
  if (!isKnown) return null
  if (data === undefined) return <div class="volume" />
  return (
    <div class="volume">
      <Chart
        kind="bars"
        height={64}
        label={given === undefined ? "Requests per hour, last 24 hours" : `Requests, by the ${interval}`}
        times={byTime(data)}
        show={short}
        to={(begin, end) =>
          pathWith("requests", { ...rest, from: new Date(begin).toISOString(), to: new Date(end).toISOString() })
        }
        series={seriesOf(data, short, endings)}
      />
    </div>
  )
}
