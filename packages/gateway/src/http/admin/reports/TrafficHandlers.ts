/** `/admin/traffic`. */
import {
  DEFAULT_TRAFFIC_ROWS,
  ServedApi,
  type TrafficReport,
  type TrafficRow,
  type TrafficTotal
} from "@model-gateway/protocol"
import { Clock, DateTime, Effect } from "effect"
import { HttpApiBuilder } from "effect/http-api"
import type { LogHistogram } from "../../../core/collections/LogHistogram.ts"
import { nanoToUsd } from "../../../core/domain/Money.ts"
import { failureRate } from "../../../core/admin/FailureRate.ts"
import { KeyStore } from "../../../core/keys/KeyStore.ts"
import { Traffic } from "../../../core/admin/Traffic.ts"
import type { GroupDimension, TrafficGroup } from "../../../core/admin/TrafficGroups.ts"
import { SCORE_CLASSES, type TrafficSums } from "../../../core/admin/TrafficSums.ts"
import { CurrentPrincipal } from "../../../core/domain/Principal.ts"
import { answering } from "../../shared/Answer.ts"
import { rfc3339 } from "../../errors/WireFormat.ts"
import { withKeyNames } from "../KeyNames.ts"
import { beforeOf, type TrafficRequest, trafficQueryOf } from "./TrafficPeriod.ts"

export const trafficHandlers = HttpApiBuilder.group(
  ServedApi,
  "traffic",
  Effect.fnUntraced(function* (handlers) {
    const traffic = yield* Traffic
    const keys = yield* KeyStore

    const report = Effect.fnUntraced(function* (request: TrafficRequest) {
      const query = yield* trafficQueryOf(request, yield* Clock.currentTimeMillis, (yield* CurrentPrincipal).visibility)
      const { groups, total } = yield* traffic.query(query)
      const limit = request.limit ?? DEFAULT_TRAFFIC_ROWS
      const body: TrafficReport = {
        object: "traffic",
        from: rfc3339(query.slice.from),
        to: rfc3339(query.slice.to),
        time_zone: query.timeZone,
        interval: query.interval ?? null,
        total: wireSums(total),
        ...(request.compare === "true" ? { before: wireSums((yield* traffic.query(beforeOf(query))).total) } : {}),
        ...(request.histograms === "true" ? { histograms: histogramsOf(total) } : {}),
        rows: yield* withKeyNames(
          keys,
          groups.slice(0, limit).map((group) => wireRow(group, query.groupBy, query.timeZone))
        ),
        has_more: groups.length > limit
      }
      return body
    })

    return handlers.handle("getTraffic", ({ query }) => answering(report(query)))
  })
)

const wireRow = (
  { start, sums, values }: TrafficGroup,
  groupBy: ReadonlyArray<GroupDimension>,
  timeZone: string
): TrafficRow => ({
  ...(start === null ? {} : { start: startText(start, timeZone) }),
  ...Object.fromEntries(groupBy.map((name, index) => [name, values[index] ?? null])),
  ...wireSums(sums)
})

/** To the second, as spend has its hours. */
const startText = (start: number, timeZone: string): string =>
  DateTime.formatIsoOffset(DateTime.makeZonedUnsafe(start, { timeZone })).replace(".000", "").replace("+00:00", "Z")

const wireSums = (sums: TrafficSums): TrafficTotal => ({
  requests: sums.requests,
  ok: sums.ok,
  failed: sums.failed,
  cut: sums.cut,
  client_gone: sums.clientGone,
  refused: sums.refused,
  failure_rate: failureRate(sums),
  retried: sums.retried,
  attempts: sums.attempts,
  latency_ms: times(sums.latency),
  first_token_ms: times(sums.firstToken),
  overhead_ms: { p50: at(sums.overhead, 0.5), p99: at(sums.overhead, 0.99) },
  tokens_per_second: { p10: at(sums.pace, 0.1), p50: at(sums.pace, 0.5) },
  input_tokens: sums.input,
  cached_input_tokens: sums.cachedInput,
  output_tokens: sums.output,
  cost_usd: nanoToUsd(sums.cost),
  unpriced: sums.unpriced,
  auto_baseline_usd: nanoToUsd(sums.autoBaseline)
})

/** Three buckets of a tenth each make a third. */
const CLASS = 3

const histogramsOf = ({ firstToken, latency, scores }: TrafficSums): NonNullable<TrafficReport["histograms"]> => ({
  latency_ms: classesOf(latency),
  first_token_ms: classesOf(firstToken),
  scores: Array.from({ length: SCORE_CLASSES }, (_, place) => ({
    from: place / SCORE_CLASSES,
    to: (place + 1) / SCORE_CLASSES,
    count: scores[place] ?? 0
  }))
})

const classesOf = (of: LogHistogram) =>
  of
    .classes(CLASS)
    .map(({ count, from, to }) => ({ from: Number(from.toPrecision(4)), to: Number(to.toPrecision(4)), count }))

const times = (of: LogHistogram): TrafficTotal["latency_ms"] => ({
  p50: at(of, 0.5),
  p90: at(of, 0.9),
  p95: at(of, 0.95),
  p99: at(of, 0.99),
  max: of.count === 0 ? null : of.max
})

/** Three digits: more would be made up. */
const at = (of: LogHistogram, share: number): number | null => {
  const found = of.quantile(share)
  return found === null ? null : Number(found.toPrecision(3))
}
