/** Receipts as people read them. */
import type {
  Considered,
  GuardrailVerdict,
  PriceLine,
  ProviderError,
  Refusal,
  RefusedBy,
  RouteFeature
} from "@model-gateway/protocol"
import { receiptTables } from "./ReceiptTables.ts"
import { type Column, pairs, table } from "./Table.ts"
import { count, keyInWords, list, milliseconds, money, orNothing, time } from "./TextOutput.ts"

interface ShownAttempt {
  readonly deployment: string
  readonly outcome: string
  readonly http_status: number | null
  /** Receipts of older gateways do not say. */
  readonly error?: ProviderError | null
  readonly adapted?: ReadonlyArray<string>
  readonly started_ms: number
  readonly first_token_ms: number | null
  readonly duration_ms: number
  readonly cost_usd: number | null
}

interface ShownShadow {
  readonly bucket: string
  readonly score: number
  readonly deployment: string | null
  readonly expected_difference_usd: number | null
}

interface ShownReceipt {
  readonly id: string
  readonly at: string
  readonly duration_ms: number
  readonly key_id: string
  readonly key_name?: string | null
  readonly team: string | null
  readonly endpoint: string | null
  readonly requested_model: string | null
  readonly decision: {
    readonly deployment: string
    readonly provider: string
    readonly model: string
    readonly bucket: string
    readonly score: number
    readonly reasons: ReadonlyArray<string>
    readonly cut_points: ReadonlyArray<number> | null
    readonly features: ReadonlyArray<RouteFeature>
    readonly considered: ReadonlyArray<Considered> | null
    readonly shadow?: ShownShadow | null
  }
  readonly attempts: ReadonlyArray<ShownAttempt>
  readonly usage: { readonly [tokens: string]: number }
  readonly cost_usd: number | null
  readonly price_lines: ReadonlyArray<PriceLine> | null
  readonly baseline_usd: number | null
  readonly session_id: string | null
  readonly cost_is_estimate: boolean
  readonly price: { readonly source: string; readonly version: string } | null
  readonly status: string
  /** Receipts of older gateways do not say. */
  readonly refused_by?: RefusedBy | null
  readonly error?: string | null
  readonly refusal?: Refusal | null
  /** Left out: no check ran. */
  readonly guardrails?: ReadonlyArray<GuardrailVerdict>
  readonly stream: boolean
  readonly tags: ReadonlyArray<string>
  readonly feedback: { readonly score: number; readonly at: string } | null
}

const statuses: Readonly<Record<string, string>> = {
  ok: "completed",
  failed: "failed: no response",
  cut: "cut: the response broke off after it had begun",
  client_gone: "the client disconnected before the end of the response",
  refused: "refused by the gateway",
  blocked: "denied by a guardrail",
  abandoned: "abandoned: the gateway's process died during it"
}

const outcomes: Readonly<Record<string, string>> = {
  ok: "completed",
  rate_limited: "the provider's rate limit",
  quota_exhausted: "the provider's quota is used up",
  auth: "the provider refused our key",
  unavailable: "the provider was down",
  connections_full: "not called: all connections to the provider were in use",
  connect_timeout: "no connection in time",
  first_token_timeout: "no response in time",
  idle_timeout: "the provider stopped sending, up to the limit `timeouts.idle`",
  total_timeout: "the response took longer than the limit `timeouts.total`",
  truncated: "the response broke off",
  no_room: "the gateway had no free memory for the response",
  context_length: "too long for the model",
  content_filter: "the provider's content filter",
  bad_request: "the provider rejected the request",
  model_not_found: "the provider does not know the model",
  unsupported: "not called: it can't take this request",
  client_gone: "the caller left",
  shutdown: "the gateway was stopped",
  abandoned: "the gateway's process died",
  failed: "failed"
}

const inWords = (words: Readonly<Record<string, string>>, code: string): string => words[code] ?? orNothing(code)

/** A `~` in front of what was (partly) counted by the gateway itself. */
const cost = ({ cost_is_estimate, cost_usd }: ShownReceipt): string =>
  cost_usd === null ? "unknown" : `${cost_is_estimate ? "~" : ""}${money(cost_usd)}`

const columns: ReadonlyArray<Column<ShownReceipt>> = [
  { title: "ID", value: (one) => orNothing(one.id) },
  { title: "AT (UTC)", value: (one) => time(one.at) },
  { title: "KEY", value: ({ key_id, key_name }) => orNothing(key_name ?? key_id), wraps: true },
  { title: "MODEL", value: (one) => orNothing(one.requested_model), wraps: true },
  { title: "SERVED BY", value: (one) => orNothing(one.decision.deployment), wraps: true },
  { title: "STATUS", value: (one) => orNothing(one.status) },
  { title: "ERROR", value: errorInWords, wraps: true },
  { title: "COST", value: cost, align: "right" }
]

/** With how many requests it stands for, where it is more than one. */
function errorInWords({ error, refusal }: ShownReceipt): string {
  const count = refusal?.count ?? 1
  return count === 1 ? orNothing(error) : `${orNothing(error)} ×${count}`
}

export const receiptTable = (receipts: ReadonlyArray<ShownReceipt>): string => table(columns, receipts)

/** Without a status nothing came from the provider: it may be the network as well. */
const happened = ({ http_status, outcome }: ShownAttempt): string =>
  outcome === "unavailable" && http_status === null ? "no response from the provider" : inWords(outcomes, outcome)

const attemptColumns: ReadonlyArray<Column<ShownAttempt>> = [
  { title: "DEPLOYMENT", value: (one) => orNothing(one.deployment), wraps: true },
  { title: "WHAT HAPPENED", value: happened, wraps: true },
  {
    title: "HTTP",
    value: (one) => orNothing(one.http_status === null ? null : String(one.http_status)),
    align: "right"
  },
  { title: "AFTER", value: (one) => milliseconds(one.started_ms), align: "right" },
  { title: "1ST TOKEN", value: (one) => milliseconds(one.first_token_ms), align: "right" },
  { title: "TOOK", value: (one) => milliseconds(one.duration_ms), align: "right" },
  { title: "COST", value: (one) => (one.cost_usd === null ? "unknown" : money(one.cost_usd)), align: "right" }
]

/** Times are UTC. */
export const receiptDetails = (receipt: ShownReceipt): string => {
  const { attempts, decision, refusal = null } = receipt
  const isUnrouted = refusal !== null
  const facts = pairs([
    ["id", orNothing(receipt.id)],
    ["status", inWords(statuses, receipt.status)],
    ...refusedBy(receipt.refused_by ?? null),
    ...refusalLines(refusal),
    ...verdicts(receipt.guardrails ?? []),
    ["at", `${time(receipt.at)} UTC, duration ${milliseconds(receipt.duration_ms)}`],
    ["key", keyInWords(receipt.key_name, receipt.key_id)],
    ["team", orNothing(receipt.team)],
    ["requested model", `${orNothing(receipt.requested_model)}${receipt.stream ? ", as a stream" : ""}`],
    ["endpoint", orNothing(receipt.endpoint)],
    ...(decision.deployment === ""
      ? []
      : [[attempts.length === 0 ? "meant for" : "served by", servedBy(decision)] as const]),
    ...(decision.cut_points === null ? [] : [["cut points", cutPoints(decision.cut_points)] as const]),
    ...decision.reasons.map((reason, index) => [index === 0 ? "because" : "", orNothing(reason)] as const),
    ...(decision.shadow === undefined || decision.shadow === null ? [] : [shadow(decision.shadow)]),
    ...(isUnrouted ? [] : billed(receipt)),
    ...(receipt.session_id === null ? [] : [["session", orNothing(receipt.session_id)] as const]),
    ...(isUnrouted ? [] : [["tags", list(receipt.tags)] as const, ["feedback", feedback(receipt)] as const])
  ])
  if (isUnrouted) return facts
  const asked = attempts.length === 0 ? "No deployment was called." : table(attemptColumns, attempts)
  return [facts, asked, ...saidOf(attempts), ...adaptedOf(attempts), ...receiptTables(receipt)].join("\n\n")
}

const billed = (receipt: ShownReceipt): ReadonlyArray<readonly [string, string]> => [
  ["tokens", tokensIn(receipt.usage)],
  ["cost", `${cost(receipt)}${receipt.cost_is_estimate ? ", counted by the gateway in part" : ""}`],
  ...(receipt.baseline_usd === null ? [] : [["strongest", strongest(receipt.baseline_usd)] as const]),
  [
    "price from",
    receipt.price === null
      ? "the price is not known"
      : `${orNothing(receipt.price.source)} ${orNothing(receipt.price.version)}`
  ]
]

const feedback = ({ feedback: given }: ShownReceipt): string =>
  given === null ? orNothing(null) : `${given.score} of 1, ${time(given.at)} UTC`

const refusalLines = (refusal: Refusal | null): ReadonlyArray<readonly [string, string]> => {
  if (refusal === null) return []
  const { code, count: requests, http_status, message, method } = refusal
  const others = requests === 1 ? [] : [["requests", `${count(requests)} like this one share this receipt`] as const]
  return [
    ["error", `${http_status} ${orNothing(code)}, response to a ${orNothing(method)}`],
    ["message", orNothing(message)],
    ...others
  ]
}

/** Providers' messages for failed attempts, one line each. */
const saidOf = (attempts: ReadonlyArray<ShownAttempt>): ReadonlyArray<string> =>
  attempts.flatMap(({ deployment, error, http_status }) => {
    if (error === null || error === undefined) return []
    const words = [error.type, error.code].filter((word) => word !== null && word !== "").map(orNothing)
    const who = http_status === null ? `No response from ${orNothing(deployment)}` : `${orNothing(deployment)} said`
    return [`${who}${words.length === 0 ? "" : ` (${words.join(", ")})`}: ${orNothing(error.message)}`]
  })

/** The request's fields that did not reach a deployment as they were, a line for each. */
const adaptedOf = (attempts: ReadonlyArray<ShownAttempt>): ReadonlyArray<string> =>
  attempts.flatMap(({ adapted = [], deployment }) =>
    adapted.length === 0 ? [] : [`Left out or changed for ${orNothing(deployment)}: ${orNothing(adapted.join(", "))}`]
  )

/** The checks of guardrails that found something, and how many did not. */
const verdicts = (all: ReadonlyArray<GuardrailVerdict>): ReadonlyArray<readonly [string, string]> => {
  const found = all.filter(({ action }) => action !== "pass")
  const passed = all.length - found.length
  const lines = found.map(({ action, check, rules, stage }) => {
    const matches = Object.entries(rules).map(([rule, times]) => `${orNothing(rule)} ${times}`)
    return `${stage}: ${orNothing(check)} ${actions[action]} (${matches.join(", ")})`
  })
  if (passed > 0) lines.push(`${passed} ${passed === 1 ? "check" : "checks"} passed`)
  return lines.map((line, index) => [index === 0 ? "guardrails" : "", line])
}

const actions = {
  pass: "passed",
  flag: "flagged",
  mask: "masked",
  deny: "denied",
  error_allowed: "failed, allowed",
  error_denied: "failed, denied"
}

const refusedBy = (by: RefusedBy | null): ReadonlyArray<readonly [string, string]> => {
  if (by === null) return []
  const budget = `the budget of the ${by.scope}: ${money(by.limit_usd)} ${by.window === "total" ? "in total" : `per ${by.window}`}`
  return [["refused by", `${budget}, ${money(by.used_usd)} used, ${money(by.needed_usd)} needed`]]
}

const cutPoints = (points: ReadonlyArray<number>): string =>
  points.length === 0 ? "none: there is one bucket" : points.join(", ")

const strongest = (usd: number): string => `would have cost ${money(usd)} in the strongest bucket`

/** What `auto` would have done, and what that would have saved. */
export const shadow = ({ bucket, deployment, expected_difference_usd: more, score }: ShownShadow) => {
  const money = more === null || more === 0 ? "" : `, ${difference(more)}`
  return [
    "auto would",
    `take ${deployment === null ? "nothing" : orNothing(deployment)}, bucket ${orNothing(bucket)} at score ${score}${money}`
  ] as const
}

const difference = (more: number): string =>
  more > 0 ? `expected to cost ${money(more)} less` : `expected to cost ${money(-more)} more`

const servedBy = ({ bucket, deployment, model, provider, score }: ShownReceipt["decision"]): string => {
  const name = `${provider}/${model}`
  const alias = deployment === name ? "" : ` (${orNothing(name)})`
  return `${orNothing(deployment)}${alias}${bucket === "none" ? "" : `, bucket ${orNothing(bucket)} at score ${score}`}`
}

/** Only the classes that there were any of. */
const tokensIn = (usage: ShownReceipt["usage"]): string =>
  list(
    Object.entries(usage).flatMap(([name, tokens]) =>
      tokens === 0 ? [] : `${count(tokens)} ${name.replaceAll("_", " ")}`
    )
  )
