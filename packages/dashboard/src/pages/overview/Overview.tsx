/** How much, how fast, how well, in a span of time. At most five requests, once a minute. */
import type { Info, Overview as Lists, TrafficReport } from "@model-gateway/protocol"
import { useQuery } from "../../api/Query.ts"
import { Answer, Empty, Head, Link, Loading } from "../../parts/Parts.tsx"
import { between, localText, ranges, type RangeName, timeOf, useSpan } from "../../parts/Span.ts"
import { go, pathWith, type Place } from "../../Place.ts"
import { browserZone, chooseZone, timeZone, UTC } from "../../Zone.ts"
import { Checklist } from "./Checklist.tsx"
import { Charts, Tiles } from "./Figures.tsx"
import { Attention, MostExpensive } from "./Lists.tsx"
import { Refused } from "./Refused.tsx"

const REFRESH_MS = 60_000

const isRange = (name: string | null): name is RangeName => name !== null && name in ranges

export const Overview = ({ place: { query: asked } }: { readonly place: Place }) => {
  const wanted = asked.get("range")
  const range: RangeName = isRange(wanted) ? wanted : "24h"
  const now = useSpan(range)
  const custom = between(asked.get("from"), asked.get("to"))
  const { from, interval, to, tz } = custom ?? now
  const over = { tz, from, to }
  const all = useQuery<TrafficReport>(
    pathWith("traffic", { ...over, interval, histograms: "true", compare: "true" }),
    REFRESH_MS
  )
  const cut = useQuery<TrafficReport>(
    pathWith("traffic", { ...over, interval, group_by: "deployment,bucket" }),
    REFRESH_MS
  )
  const lists = useQuery<Lists>(pathWith("overview", { ...over, limit: "6" }), REFRESH_MS)
  const isQuiet = all.data?.total.requests === 0
  const isNew = isQuiet && custom === undefined && all.data?.before?.requests === 0
  const info = useQuery<Info>(isNew ? "info" : undefined)
  // All at once: what comes later would push down what is being read.
  const isReady = [all, cut, lists].every(({ data, error }) => data !== undefined || error !== undefined)
  return (
    <>
      <Head title="Overview">
        <div class="segments" role="group" aria-label="Period">
          {Object.keys(ranges).map((name) => (
            <Link key={name} to={pathWith("", { range: name })} current={custom === undefined && name === range}>
              {name}
            </Link>
          ))}
          <Link to={pathWith("", { from, to: to ?? all.data?.to ?? now.from })} current={custom !== undefined}>
            custom
          </Link>
        </div>
        <ZoneChoice />
      </Head>
      {custom === undefined ? null : <Times from={custom.from} to={custom.to ?? all.data?.to ?? custom.from} />}
      {isReady ? (
        <>
          {isNew && info.data !== undefined ? <Checklist info={info.data} lists={lists.data} /> : null}
          <Answer query={all}>
            {(report) => (
              <>
                <Tiles report={report} cut={cut.data} />
                {isQuiet ? <Empty title="No requests in this period." /> : <Charts report={report} cut={cut.data} />}
              </>
            )}
          </Answer>
          <Answer query={lists}>
            {(found) => (
              <div class="columns">
                <Attention lists={found} />
                <Refused over={over} everyMs={REFRESH_MS} />
                {isQuiet ? null : <MostExpensive cut={cut.data} lists={found} />}
              </div>
            )}
          </Answer>
        </>
      ) : (
        <Loading />
      )}
    </>
  )
}

const ZoneChoice = () =>
  browserZone === UTC ? (
    <span class="muted">{UTC}</span>
  ) : (
    <select aria-label="Time zone" value={timeZone} onChange={(event) => chooseZone(event.currentTarget.value)}>
      {[browserZone, UTC].map((zone) => (
        <option key={zone}>{zone}</option>
      ))}
    </select>
  )

const Times = ({ from, to }: { readonly from: string; readonly to: string }) => {
  const show = (given: { readonly from?: string | undefined; readonly to?: string | undefined }) => {
    const next = { from: given.from ?? from, to: given.to ?? to }
    if (next.from < next.to) go(pathWith("", next), { replace: true })
  }
  return (
    <div class="filters">
      <label class="inline">
        From
        <input
          type="datetime-local"
          value={localText(from)}
          max={localText(to)}
          onChange={(event) => show({ from: timeOf(event.currentTarget.value) })}
        />
      </label>
      <label class="inline">
        to
        <input
          type="datetime-local"
          value={localText(to)}
          min={localText(from)}
          onChange={(event) => show({ to: timeOf(event.currentTarget.value) })}
        />
      </label>
    </div>
  )
}
