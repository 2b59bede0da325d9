/** What the dashboard's pages read of a large store: traffic of 90 days, and receipts of the last two. Written in bulk, as the gateway would. */
import { DatabaseSync } from "node:sqlite"
import { noUsage } from "../packages/gateway/src/core/domain/Usage.ts"
import { firstIdAt } from "../packages/gateway/src/core/domain/RequestIds.ts"
import type { Receipt } from "../packages/gateway/src/core/receipts/Receipt.ts"
import { TrafficRows, withLongerGrains } from "../packages/gateway/src/core/admin/TrafficCounting.ts"
import { type Grain, textOf } from "../packages/gateway/src/core/admin/TrafficRow.ts"
import { encodeSums } from "../packages/gateway/src/core/admin/TrafficSums.ts"
import { PageDraft } from "../packages/gateway/src/storage/records/receipts/PageDraft.ts"
import { ReceiptWrites } from "../packages/gateway/src/storage/sqlite/receipts/SqliteReceiptWrites.ts"
import { say } from "./Bench.ts"
import { keyIdOf } from "./Seed.ts"

const HOUR_MS = 3_600_000
const DAY_MS = 24 * HOUR_MS
const MINUTE_MS = 60_000
const PAGE = 256
const DEPLOYMENTS = 20

interface Sizes {
  readonly receipts: number
  /** Keys that ask in any hour. */
  readonly callers: number
}

const buckets = ["simple", "standard", "complex", "none"]

/** The same number always gives the same request. */
const receiptAt = (number: number, at: number, callers: number): Receipt => {
  const chance = (number * 2_654_435_761) % 4_294_967_296
  const model = `model-${chance % DEPLOYMENTS}`
  const isFailed = chance % 100 === 1
  const bucket = buckets[chance % buckets.length] ?? "none"
  return {
    requestId: `${firstIdAt(at)}${number.toString(32).padStart(15, "0")}`,
    at,
    durationMs: 200 + (chance % 4000),
    keyId: keyIdOf(1 + (chance % callers)),
    team: `team_${chance % 50}`,
    endpoint: "/v1/chat/completions",
    requestedModel: bucket === "none" ? model : "auto",
    deployment: `up/${model}`,
    provider: "up",
    model,
    bucket,
    score: (chance % 1000) / 1000,
    reasons: ["auto: score is below the cut point"],
    ...(bucket === "none" ? {} : { cutPoints: [0.35, 0.65, 0.85] }),
    considered: [{ deployment: `up/${model}`, fate: "chosen", why: null, isForbidden: false }],
    attempts: [
      {
        deployment: `up/${model}`,
        provider: "up",
        model,
        outcome: isFailed ? "unavailable" : "ok",
        httpStatus: isFailed ? 500 : 200,
        startedMs: 1,
        firstTokenMs: 100 + (chance % 900),
        durationMs: 190 + (chance % 4000),
        cost: isFailed ? 0 : 1_000 + (chance % 100_000),
        usage: { ...noUsage, input: 50 + (chance % 900), output: 20 + (chance % 400) },
        estimated: false
      }
    ],
    status: isFailed ? "failed" : "ok",
    stream: chance % 2 === 0,
    priced: true,
    priceSource: "configuration",
    priceVersion: "1",
    tags: []
  }
}

export const seedPages = (path: string, { callers, receipts }: Sizes, now: number): void => {
  const db = new DatabaseSync(path)
  db.exec("PRAGMA synchronous = OFF; PRAGMA journal_mode = OFF; PRAGMA temp_store = MEMORY; BEGIN")
  say(`writing ${receipts} receipts`)
  const writes = new ReceiptWrites(db)
  const step = (48 * HOUR_MS) / receipts
  for (let first = 0; first < receipts; first += PAGE) {
    const length = Math.min(PAGE, receipts - first)
    const page = Array.from({ length }, (_, index) =>
      receiptAt(first + index, Math.floor(now - 48 * HOUR_MS + (first + index) * step), callers)
    )
    writes.insert(PageDraft.of(page))
  }
  say("writing the traffic of 90 days")
  const put = db.prepare("INSERT OR REPLACE INTO traffic VALUES (?, ?, ?, ?, ?, ?, ?)")
  const write = (begin: number, apart: number, count: number, only: Grain) => {
    const rows = new TrafficRows()
    for (let number = 0; number < count; number++) {
      rows.receipt(receiptAt(begin / MINUTE_MS + number * 7919, begin + number * apart, callers))
    }
    for (const { cut, dimensions, grain, start, sums } of withLongerGrains(rows.values())) {
      if (grain !== only) continue
      put.run(cut, grain, start, dimensions.key, dimensions.team, textOf(dimensions), encodeSums(sums))
    }
  }
  const hour = Math.floor(now / HOUR_MS) * HOUR_MS
  for (let ago = 90 * 24; ago > 0; ago--) write(hour - ago * HOUR_MS, HOUR_MS / (2 * callers), 2 * callers, "hour")
  for (let ago = 24 * 60; ago > 0; ago--) write(hour - ago * MINUTE_MS, 1_000, 60, "minute")
  const day = Math.floor(now / DAY_MS) * DAY_MS
  for (let ago = 90; ago > 0; ago--) write(day - ago * DAY_MS, DAY_MS / (8 * callers), 8 * callers, "day")
  db.exec("COMMIT; PRAGMA journal_mode = WAL")
  db.close()
}
