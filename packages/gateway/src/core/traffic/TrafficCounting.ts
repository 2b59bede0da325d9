/**
 * Receipts and refusals as traffic. Cost and tokens count where and when each attempt began, as the ledger books them; a request
 * counts with its last attempt.
 */
import type { Receipt, ReceiptAttempt } from "../receipts/Receipt.ts"
import type { Refusal } from "../receipts/ReceiptEvents.ts"
import { inputTokens, outputTokens } from "../domain/Usage.ts"
import { type Dimensions, nameOf, startOf, type TrafficRow } from "./TrafficRow.ts"
import { TrafficSums } from "./TrafficSums.ts"

/** Rows in the making, by their names. */
export class TrafficRows {
  private readonly rows = new Map<string, TrafficRow>()

  get isEmpty(): boolean {
    return this.rows.size === 0
  }

  values(): ReadonlyArray<TrafficRow> {
    return [...this.rows.values()]
  }

  sums(row: Omit<TrafficRow, "sums">): TrafficSums {
    const name = nameOf(row)
    const known = this.rows.get(name)
    if (known !== undefined) return known.sums
    const sums = new TrafficSums()
    this.rows.set(name, { ...row, sums })
    return sums
  }

  add(row: TrafficRow): void {
    this.sums(row).merge(row.sums)
  }

  receipt(receipt: Receipt): void {
    const { at, attempts, deployment, model, provider } = receipt
    const caller = this.sums(callerRow(receipt))
    if (attempts.length === 0) {
      count(this.sums(fleetRow(receipt, { deployment, model, provider }, "", at)), receipt)
      return count(caller, receipt)
    }
    for (const [index, attempt] of attempts.entries()) {
      const fleet = this.sums(fleetRow(receipt, attempt, attempt.outcome, at + attempt.startedMs))
      spend(fleet, receipt, attempt)
      // The key's row of another hour, where a request goes on past the end of one.
      const own = index === 0 ? caller : this.sums(callerRow(receipt, at + attempt.startedMs))
      spend(own, receipt, attempt)
      if (index < attempts.length - 1) continue
      count(fleet, receipt)
      count(own, receipt)
    }
  }

  refusal({ at, endpoint, keyId, limit, stream, team }: Refusal): void {
    const common = { ...nowhere, endpoint, stream: String(stream), status: "refused", limit }
    const fleet = this.sums({ cut: "fleet", grain: "minute", start: startOf("minute", at), dimensions: common })
    const own = { ...nowhere, status: "refused", limit, key: keyId, team: team ?? "" }
    const caller = this.sums({ cut: "callers", grain: "hour", start: startOf("hour", at), dimensions: own })
    for (const sums of [fleet, caller]) {
      sums.requests++
      sums.refused++
      if (at > sums.lastAt) sums.lastAt = at
    }
  }
}

const nowhere: Dimensions = {
  deployment: "",
  provider: "",
  model: "",
  bucket: "",
  endpoint: "",
  stream: "",
  status: "",
  error: "",
  limit: "",
  key: "",
  team: "",
  tags: ""
}

type Place = Pick<ReceiptAttempt, "deployment" | "model" | "provider">

const fleetRow = (receipt: Receipt, place: Place, error: string, at: number): Omit<TrafficRow, "sums"> => ({
  cut: "fleet",
  grain: "minute",
  start: startOf("minute", at),
  dimensions: {
    deployment: place.deployment,
    provider: place.provider,
    model: place.model,
    bucket: receipt.bucket,
    endpoint: receipt.endpoint,
    stream: receipt.stream ? "true" : "false",
    status: receipt.status,
    error,
    limit: receipt.limit ?? "",
    key: "",
    team: "",
    tags: ""
  }
})

const callerRow = (receipt: Receipt, at = receipt.at): Omit<TrafficRow, "sums"> => ({
  cut: "callers",
  grain: "hour",
  start: startOf("hour", at),
  dimensions: {
    ...nowhere,
    status: receipt.status,
    limit: receipt.limit ?? "",
    key: receipt.keyId,
    team: receipt.team ?? "",
    tags: receipt.tags.join(",")
  }
})

/** The bucket of requests whose callers named the model. */
const NO_BUCKET = "none"

const spend = (sums: TrafficSums, { at, bucket }: Receipt, attempt: ReceiptAttempt): void => {
  const { cost, estimated, startedMs, usage } = attempt
  sums.attempts++
  sums.cost += cost
  if (estimated) sums.estimatedCost += cost
  if (bucket !== NO_BUCKET) sums.autoCost += cost
  sums.input += inputTokens(usage)
  sums.cachedInput += usage.cachedInput
  sums.output += outputTokens(usage)
  sums.reasoning += usage.reasoning
  if (at + startedMs > sums.lastAt) sums.lastAt = at + startedMs
}

const count = (sums: TrafficSums, receipt: Receipt): void => {
  const { at, attempts, baseline, bucket, durationMs } = receipt
  sums.requests++
  sums[counted[receipt.status]]++
  if (attempts.length > 1) sums.retried++
  if (at > sums.lastAt) sums.lastAt = at
  if (bucket !== NO_BUCKET && attempts.length > 0) sums.autoRequests++
  sums.autoBaseline += baseline ?? 0
  const last = attempts.at(-1)
  if (last === undefined) return
  if (last.firstTokenMs !== null) {
    sums.firstToken.add(Math.max(0, last.firstTokenMs))
    const streamedMs = last.startedMs + last.durationMs - last.firstTokenMs
    const tokens = outputTokens(last.usage)
    if (streamedMs > 0 && tokens > 1) sums.pace.add((tokens * 1000) / streamedMs)
  }
  if (receipt.status !== "ok") return
  sums.latency.add(durationMs)
  const asked = attempts.reduce((sum, attempt) => sum + attempt.durationMs, 0)
  sums.overhead.add(Math.max(0, durationMs - asked))
}

const counted = {
  ok: "ok",
  failed: "failed",
  abandoned: "failed",
  cut: "cut",
  client_gone: "clientGone",
  refused: "refused"
} as const satisfies { readonly [Status in Receipt["status"]]: keyof TrafficSums }

/** The rows of finer grains, and what they make of longer times. Callers begin with hours. */
export const withLongerGrains = (rows: ReadonlyArray<TrafficRow>): ReadonlyArray<TrafficRow> => {
  const longer = new TrafficRows()
  for (const row of rows) {
    for (const grain of row.grain === "minute" ? (["hour", "day"] as const) : (["day"] as const)) {
      longer.add({ ...row, grain, start: startOf(grain, row.start) })
    }
  }
  return [...rows, ...longer.values()]
}
