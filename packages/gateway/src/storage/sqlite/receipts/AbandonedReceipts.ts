/** Receipts of requests that a dead process left open: what there is to tell of them stands in the ledger alone. */
import type { DatabaseSync } from "node:sqlite"
import type { Receipt, ReceiptAttempt } from "../../../core/receipts/Receipt.ts"
import type { AbandonedRule } from "../../../core/domain/AbandonedRule.ts"
import { usageIn } from "../file/Columns.ts"

interface Row {
  readonly id: number
  readonly request_id: string
  readonly attempt: number
  readonly at: number
  readonly key_id: string
  readonly team: string
  readonly provider: string
  readonly model: string
  readonly deployment: string
  readonly tags: string
  readonly price_source: string | null
  readonly price_version: string | null
  readonly status: string
  readonly settled_at: number
  readonly cost: number
  readonly estimated: number
  readonly input: number
  readonly cached_input: number
  readonly cache_write: number
  readonly cache_write_1h: number
  readonly output: number
  readonly reasoning: number
  readonly audio_input: number
  readonly audio_output: number
  readonly details: string | null
}

/** Rows between two attempts of one request, at most: an hour of a busy gateway's. */
const FAR = 1_000_000

/** One for each request that the ledger's rows `ids`, which are closed as abandoned already, belong to. */
export const abandonedReceipts = (
  db: DatabaseSync,
  ids: ReadonlyArray<number>,
  rule: AbandonedRule
): ReadonlyArray<Receipt> => {
  const one = db.prepare("SELECT * FROM ledger WHERE id = ?")
  const rows = ids.map((id) => one.get(id) as unknown as Row)
  // Each attempt has a row, so the search ends with the first of them.
  const earlier = db.prepare(
    `SELECT * FROM ledger WHERE request_id = :request AND id < :id AND id > :id - ${FAR} ORDER BY id DESC LIMIT :count`
  )
  // The last row of each.
  const requests = new Map(rows.map((row) => [row.request_id, row]))
  return Array.from(requests.values(), (last) => {
    const before = { request: last.request_id, id: last.id, count: last.attempt }
    const others = last.attempt === 0 ? [] : (earlier.all(before) as unknown as ReadonlyArray<Row>)
    return receiptOf([last, ...others].reverse(), REASONS[rule])
  })
}

const REASONS: { readonly [Rule in AbandonedRule]: string } = {
  book: "the gateway's process died over this request; what it cost at most was booked at the next start",
  void: "the gateway's process died over this request; nothing was booked for it at the next start, as configured"
}

/** What was lost with the process is left empty; the score and the words of the decision are. */
const receiptOf = (rows: ReadonlyArray<Row>, reason: string): Receipt => {
  const [first, last] = [rows[0]!, rows.at(-1)!]
  return {
    requestId: last.request_id,
    at: first.at,
    durationMs: last.settled_at - first.at,
    keyId: last.key_id,
    team: last.team === "" ? null : last.team,
    endpoint: "",
    requestedModel: "",
    deployment: last.deployment,
    provider: last.provider,
    model: last.model,
    bucket: "none",
    score: 0,
    reasons: [reason],
    attempts: rows.map((row) => attemptOf(row, first.at)),
    status: "abandoned",
    stream: false,
    priced: last.price_source !== null,
    priceSource: last.price_source,
    priceVersion: last.price_version,
    tags: last.tags === "" ? [] : last.tags.split(",")
  }
}

const attemptOf = (row: Row, began: number): ReceiptAttempt => ({
  deployment: row.deployment,
  provider: row.provider,
  model: row.model,
  outcome: row.status === "abandoned" ? "abandoned" : "failed",
  httpStatus: null,
  startedMs: row.at - began,
  firstTokenMs: null,
  durationMs: row.settled_at - row.at,
  cost: row.cost,
  usage: usageIn({ ...detailsOf(row), ...row }),
  estimated: row.estimated === 1,
  serviceTier: detailsOf(row)["service_tier"] as string | undefined
})

const detailsOf = ({ details }: Row): { readonly [name: string]: unknown } =>
  details === null ? {} : JSON.parse(details)
