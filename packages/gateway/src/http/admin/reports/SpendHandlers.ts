/** `/admin/spend`. */
import {
  DEFAULT_ROWS,
  ServedApi,
  type SpendDimension,
  type SpendReport,
  type SpendRow as WireRow
} from "@model-gateway/protocol"
import { Clock, Effect } from "effect"
import { HttpApiBuilder } from "effect/http-api"
import { InvalidField } from "../../../core/domain/Errors.ts"
import { CurrentPrincipal } from "../../../core/domain/Principal.ts"
import { nanoToUsd } from "../../../core/domain/Money.ts"
import { SpendLedger } from "../../../core/ledger/SpendLedger.ts"
import type { SpendRow } from "../../../core/ledger/Spend.ts"
import { type UsageClass, wireName } from "../../../core/domain/Usage.ts"
import { answering } from "../../shared/Answer.ts"
import { rfc3339 } from "../../errors/WireFormat.ts"
import { KeyStore } from "../../../core/keys/KeyStore.ts"
import { Traffic } from "../../../core/admin/Traffic.ts"
import { TrafficSums } from "../../../core/admin/TrafficSums.ts"
import type { QueryOf } from "../AdminPages.ts"
import { withKeyNames } from "../KeyNames.ts"
import { checkBucketCut, spendByBucket, spendOf } from "./SpendByBucket.ts"
import { spendCsv } from "./SpendCsv.ts"
import { type ReportPeriod, periodOf } from "./SpendPeriod.ts"

type SpendReportQuery = QueryOf<"getSpend">

export const spendHandlers = HttpApiBuilder.group(
  ServedApi,
  "spend",
  Effect.fnUntraced(function* (handlers) {
    const ledger = yield* SpendLedger
    const traffic = yield* Traffic
    const keys = yield* KeyStore

    const report = Effect.fnUntraced(function* (query: SpendReportQuery) {
      const period = yield* periodOf(query, yield* Clock.currentTimeMillis)
      const groupBy = query.group_by?.split(",") as ReadonlyArray<SpendDimension> | undefined
      const cuts = (groupBy === undefined ? standardCuts : [groupBy]).map((cut) => withInterval(cut, query.interval))
      yield* checkLength(period, cuts, query.interval)
      const { client, end_user: endUser, key, model, provider, session, team, user } = query
      yield* checkScopes(query, cuts)
      const { visibility } = yield* CurrentPrincipal
      const spend = (by: ReadonlyArray<SpendDimension>, limit: number) =>
        ledger.spend({
          visibility,
          ...period,
          key,
          team,
          model,
          provider,
          endUser,
          session,
          client,
          user,
          groupBy: by.flatMap((one) => (one === "bucket" ? [] : [one])),
          limit
        })
      const [total] = yield* spend([], 1)
      const hasBucket = cuts.some((cut) => cut.includes("bucket"))
      if (hasBucket) yield* checkBucketCut(query, visibility, period, cuts, yield* Clock.currentTimeMillis)
      const cutBy = (cut: ReadonlyArray<SpendDimension>, limit: number) =>
        hasBucket ? spendByBucket(traffic, period, { model, provider }, cut, limit) : spend(cut, limit)
      let hasMore = false
      const rows = yield* Effect.forEach(
        cuts,
        Effect.fnUntraced(function* (cut) {
          const limit = query.limit ?? (cut.some(isTime) ? DEFAULT_ROWS.overTime : DEFAULT_ROWS.plain)
          const found = yield* cutBy(cut, limit + 1)
          if (found.length > limit) hasMore = true
          return yield* withKeyNames(
            keys,
            found.slice(0, limit).map((row) => wireRow(cut, row))
          )
        })
      )
      const head = {
        object: "spend" as const,
        from: rfc3339(period.from),
        to: rfc3339(period.to),
        time_zone: period.timeZone,
        total: total === undefined ? nothing : sums(total),
        has_more: hasMore
      }
      const body: SpendReport =
        groupBy === undefined
          ? { ...head, by_key: rows[0]!, by_team: rows[1]!, by_model: rows[2]! }
          : { ...head, group_by: cuts[0]!, rows: rows[0]! }
      return body
    })

    const answered = Effect.fnUntraced(function* (query: SpendReportQuery) {
      if (query.format !== "csv") return yield* report(query)
      if (query.group_by === undefined) {
        return yield* new InvalidField({ param: "format", message: "CSV is one table: say with `group_by` which." })
      }
      return spendCsv(yield* report(query))
    })

    return handlers
      .handle("getSpend", ({ query }) => answering(answered(query)))
      .handle("getMySpend", ({ query }) => answering(answered(query)))
  })
)

/** End users, sessions, clients, people and buckets have sums of their own. */
const checkScopes = (query: SpendReportQuery, cuts: ReadonlyArray<ReadonlyArray<SpendDimension>>) => {
  const [first, second] = (["end_user", "session", "client", "user", "bucket"] as const).filter(
    (name) => (name !== "bucket" && query[name] !== undefined) || cuts.some((cut) => cut.includes(name))
  )
  const message = `Spend can be cut by \`${first}\` or by \`${second}\`, not by both.`
  return second === undefined ? Effect.void : Effect.fail(new InvalidField({ param: "group_by", message }))
}

const standardCuts: ReadonlyArray<ReadonlyArray<SpendDimension>> = [["key"], ["team"], ["provider", "model"]]

const withInterval = (cut: ReadonlyArray<SpendDimension>, interval: SpendReportQuery["interval"]) =>
  interval === undefined || cut.includes(interval) ? cut : [...cut, interval]

const isTime = (dimension: SpendDimension) => dimension === "hour" || dimension === "day" || dimension === "month"

/** Hourly reports get long, so their period is limited. */
const LONGEST_BY_HOUR_MS = 92 * 24 * 3_600_000

const checkLength = (
  { from, to }: ReportPeriod,
  cuts: ReadonlyArray<ReadonlyArray<SpendDimension>>,
  interval: SpendReportQuery["interval"]
) =>
  to - from > LONGEST_BY_HOUR_MS && cuts.some((cut) => cut.includes("hour"))
    ? Effect.fail(
        new InvalidField({
          param: interval === "hour" ? "interval" : "group_by",
          message: "Spend can be cut by hour for at most 92 days: name `from` and `to`, or cut by day."
        })
      )
    : Effect.void

/** The dimensions of the report, in the order of the row's group. */
const wireRow = (cut: ReadonlyArray<SpendDimension>, row: SpendRow): WireRow => ({
  ...Object.fromEntries(cut.map((dimension, index) => [dimension, row.group[index] ?? null])),
  ...sums(row)
})

const sums = (row: Omit<SpendRow, "group">) => ({
  cost_usd: nanoToUsd(row.cost),
  estimated_cost_usd: nanoToUsd(row.estimatedCost),
  requests: row.requests,
  failed_requests: row.failedRequests,
  input_tokens: row.inputTokens,
  cached_input_tokens: row.cachedInputTokens,
  output_tokens: row.outputTokens,
  reasoning_tokens: row.reasoningTokens,
  auto_requests: row.autoRequests,
  auto_cost_usd: nanoToUsd(row.autoCost),
  auto_baseline_usd: nanoToUsd(row.autoBaseline),
  last_at: row.lastAt === 0 ? null : rfc3339(row.lastAt),
  ...(row.cacheHits === undefined
    ? {}
    : { cache_hits: row.cacheHits, cache_saved_usd: nanoToUsd(row.cacheSaved ?? 0) }),
  ...wireUnits(row.units)
})

/** Only units that were used. */
const wireUnits = (units: SpendRow["units"] = {}) => {
  const told = Object.entries(units).map(([name, count]) => [wireName(name as UsageClass), count] as const)
  return told.length === 0 ? {} : { units: Object.fromEntries(told) }
}

const nothing = sums(spendOf([], new TrafficSums()))
