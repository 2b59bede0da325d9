/**
 * Counts receipts as traffic. Cost and tokens count where and when each attempt began, as in the ledger; a request counts with its
 * last attempt.
 */
import { costOf, type Receipt, type ReceiptAttempt, requestsIn } from "../receipts/Receipt.ts"
import { firstStep, step } from "../collections/Steps.ts"
import { inputTokens, outputTokens } from "../domain/Usage.ts"
import { type TrafficCut, type Dimensions, dimensionsOf, type Grain, startOf, type TrafficRow } from "./TrafficRow.ts"
import { TrafficSums } from "./TrafficSums.ts"

/** Rows under construction. They are found value by value, so that counting a request allocates no objects. */
export class TrafficRows {
  private readonly root = firstStep<string | number, TrafficRow>()
  private readonly rows: Array<TrafficRow> = []

  get isEmpty(): boolean {
    return this.rows.length === 0
  }

  values(): ReadonlyArray<TrafficRow> {
    return this.rows
  }

  add({ cut, dimensions: found, grain, start, sums }: TrafficRow): void {
    this.sums(
      cut,
      grain,
      start,
      dimensionsOf[cut].map((name) => found[name])
    ).merge(sums)
  }

  /** `values`: those of the cut's dimensions, in their order. */
  private sums(cut: TrafficCut, grain: Grain, start: number, values: ReadonlyArray<string>): TrafficSums {
    let found = step(step(step(this.root, cut), grain), start)
    for (const value of values) found = step(found, value)
    if (found.value === undefined) {
      const told = dimensionsOf[cut].map((name, index) => [name, values[index] ?? ""] as const)
      found.value = {
        cut,
        grain,
        start,
        dimensions: { ...nowhere, ...Object.fromEntries(told) },
        sums: new TrafficSums()
      }
      this.rows.push(found.value)
    }
    return found.value.sums
  }

  private fleet(
    { bucket, endpoint, limit, status, stream }: Receipt,
    place: ServedBy,
    error: string,
    at: number
  ): TrafficSums {
    const values = fleetValues
    values[0] = place.deployment
    values[1] = place.provider
    values[2] = place.model
    values[3] = bucket
    values[4] = endpoint
    values[5] = stream ? "true" : "false"
    values[6] = status
    values[7] = error
    values[8] = limit ?? ""
    return this.sums("fleet", "minute", startOf("minute", at), values)
  }

  private caller({ keyId, limit, refusal, status, tags, team }: Receipt, at: number): TrafficSums {
    const values = callerValues
    values[0] = keyId
    values[1] = team ?? ""
    values[2] = tags.length === 0 ? "" : tags.join(",")
    values[3] = status
    values[4] = limit ?? ""
    values[5] = refusal?.code ?? ""
    return this.sums("callers", "hour", startOf("hour", at), values)
  }

  receipt(receipt: Receipt): void {
    const { at, attempts, deployment, model, provider, refusal } = receipt
    const caller = this.caller(receipt, at)
    if (attempts.length === 0) {
      count(this.fleet(receipt, { deployment, model, provider }, refusal?.code ?? "", at), receipt)
      return count(caller, receipt)
    }
    for (const [index, attempt] of attempts.entries()) {
      const fleet = this.fleet(receipt, attempt, attempt.outcome, at + attempt.startedMs)
      spend(fleet, receipt, attempt)
      // The key's row of another hour, if the request continued past the end of one.
      const own = index === 0 ? caller : this.caller(receipt, at + attempt.startedMs)
      spend(own, receipt, attempt)
      if (index < attempts.length - 1) continue
      count(fleet, receipt)
      count(own, receipt)
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

type ServedBy = Pick<ReceiptAttempt, "deployment" | "model" | "provider">

/** Filled anew for each look-up, in the order of `dimensionsOf`. */
const fleetValues: Array<string> = Array.from(dimensionsOf.fleet, () => "")
const callerValues: Array<string> = Array.from(dimensionsOf.callers, () => "")

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
  const { at, attempts, baseline, bucket, cutPoints, durationMs, priced, score, status } = receipt
  const requests = requestsIn(receipt)
  sums.requests += requests
  sums[counted[receipt.status]] += requests
  if (attempts.length > 1) sums.retried++
  if (at > sums.lastAt) sums.lastAt = at
  if (bucket !== NO_BUCKET && attempts.length > 0) sums.autoRequests++
  if (bucket !== NO_BUCKET && cutPoints !== undefined) sums.scored(score)
  if (!priced && isAnswer[status] && costOf(receipt) === 0) sums.unpriced++
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

/** Outcomes with a response of a provider. */
const isAnswer = {
  ok: true,
  cut: true,
  client_gone: true,
  failed: false,
  abandoned: false,
  refused: false,
  blocked: true
} as const satisfies { readonly [Status in Receipt["status"]]: boolean }

const counted = {
  ok: "ok",
  failed: "failed",
  abandoned: "failed",
  cut: "cut",
  client_gone: "clientGone",
  refused: "refused",
  blocked: "refused"
} as const satisfies { readonly [Status in Receipt["status"]]: keyof TrafficSums }

/** Rows of finer grains summed up to longer ones. Rows of callers begin with hours. */
export const withLongerGrains = (rows: ReadonlyArray<TrafficRow>): ReadonlyArray<TrafficRow> => {
  const longer = new TrafficRows()
  for (const row of rows) {
    for (const grain of row.grain === "minute" ? (["hour", "day"] as const) : (["day"] as const)) {
      longer.add({ ...row, grain, start: startOf(grain, row.start) })
    }
  }
  return [...rows, ...longer.values()]
}
