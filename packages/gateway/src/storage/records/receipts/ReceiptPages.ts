/**
 * A page is one row of receipts: `[names, receipts]` in JSON, where repeated texts are numbers into `names`. A receipt takes 130
 * to 200 bytes.
 */
import type { GuardrailVerdict } from "@model-gateway/protocol"
import type { Shadow } from "../../../core/routing/Decision.ts"
import type { ProviderError, Receipt, ReceiptAttempt, Refusal } from "../../../core/receipts/Receipt.ts"
import { noUsage, type Usage } from "../../../core/domain/Usage.ts"
import { type NameNumber, type NameOf, PageNames } from "./PageNames.ts"
import {
  decodeDetails,
  decodeRates,
  decodeReasons,
  type DetailsLine,
  encodeDetails,
  encodeRates,
  encodeReasons
} from "./ReceiptDetails.ts"
import { usageIn, rareUsage } from "../Columns.ts"

/** New fields go to the end. */
export type ReceiptLine = readonly [
  requestId: string,
  at: number,
  durationMs: number,
  keyId: NameNumber,
  team: NameNumber,
  endpoint: NameNumber,
  requestedModel: NameNumber,
  deployment: NameNumber,
  provider: NameNumber,
  model: NameNumber,
  bucket: NameNumber,
  score: number,
  status: NameNumber,
  stream: 0 | 1,
  priced: 0 | 1,
  priceSource: NameNumber,
  priceVersion: NameNumber,
  tags: ReadonlyArray<NameNumber>,
  reasons: ReadonlyArray<NameNumber>,
  attempts: ReadonlyArray<AttemptLine>,
  /** 0, or omitted at the end, if there was none. */
  shadow?: ShadowLine | 0,
  /** 0, or omitted at the end, if there are no details. */
  details?: DetailsLine | 0,
  /** -1, or omitted at the end, if the key has no name. */
  keyName?: NameNumber,
  /** 0, or omitted at the end, if the request was routed. */
  refusal?: RefusalLine | 0,
  /** JSON: what each check did. -1, or omitted at the end, if none ran. */
  guardrails?: NameNumber
]

type RefusalLine = readonly [
  method: NameNumber,
  httpStatus: number,
  code: NameNumber,
  message: NameNumber,
  count: number,
  /** -1: no limit refused it. */
  limit: NameNumber
]

/** The difference is null if it is unknown. */
type ShadowLine = readonly [bucket: NameNumber, score: number, deployment: NameNumber, difference: number | null]

type AttemptLine = readonly [
  deployment: NameNumber,
  provider: NameNumber,
  model: NameNumber,
  outcome: NameNumber,
  /** 0 is null. */
  httpStatus: number,
  startedMs: number,
  /** -1 is null. */
  firstTokenMs: number,
  durationMs: number,
  cost: number,
  estimated: 0 | 1,
  /** Input, output, cached, reasoning, cache writes (5 min, 1 h), audio in and out, without last zeros; then rare classes. */
  usage: UsageLine,
  /** -1, or omitted at the end, for the standard tier. */
  serviceTier?: NameNumber,
  /** -1, or omitted at the end, if there were none. */
  rates?: NameNumber,
  /** JSON: message, code and type of a provider's error. */
  error?: NameNumber,
  /** JSON: names of fields that were dropped or changed. */
  adapted?: NameNumber
]

export type UsageLine = ReadonlyArray<number | Rare>

type Rare = { readonly [column: string]: number }

type PageBody = readonly [names: ReadonlyArray<string>, lines: ReadonlyArray<ReceiptLine>]

/** `name` returns the number of a text, which is kept beside the line. */
export const encodeLine = (receipt: Receipt, name: NameOf): ReceiptLine => [
  receipt.requestId,
  receipt.at,
  receipt.durationMs,
  name(receipt.keyId),
  name(receipt.team),
  name(receipt.endpoint),
  name(receipt.requestedModel),
  name(receipt.deployment),
  name(receipt.provider),
  name(receipt.model),
  name(receipt.bucket),
  receipt.score,
  name(receipt.status),
  receipt.stream ? 1 : 0,
  receipt.priced ? 1 : 0,
  name(receipt.priceSource),
  name(receipt.priceVersion),
  receipt.tags.map(name),
  encodeReasons(receipt, name),
  receipt.attempts.map((attempt) => encodeAttempt(attempt, name)),
  ...encodeRest(receipt, name)
]

type Rest = readonly [
  shadow?: ShadowLine | 0,
  details?: DetailsLine | 0,
  keyName?: NameNumber,
  refusal?: RefusalLine | 0,
  guardrails?: NameNumber
]

const encodeRest = (receipt: Receipt, name: NameOf): Rest => {
  const { guardrails, keyName, limit, refusal, shadow } = receipt
  const line = shadow === undefined ? 0 : encodeShadow(shadow, name)
  const details = encodeDetails(receipt, name) ?? 0
  const key = name(keyName ?? null)
  const refused = refusal === undefined ? 0 : encodeRefusal(refusal, limit, name)
  if (guardrails !== undefined) return [line, details, key, refused, name(JSON.stringify(guardrails))]
  if (refused !== 0) return [line, details, key, refused]
  return key !== -1 ? [line, details, key] : details !== 0 ? [line, details] : line === 0 ? [] : [line]
}

const encodeRefusal = (
  { code, count, httpStatus, message, method }: Refusal,
  limit: Receipt["limit"],
  name: NameOf
): RefusalLine => [name(method), httpStatus, name(code), name(message), count, name(limit ?? null)]

const encodeShadow = ({ bucket, deployment, difference, score }: Shadow, name: NameOf): ShadowLine => [
  name(bucket),
  score,
  name(deployment),
  difference
]

const encodeAttempt = (attempt: ReceiptAttempt, name: NameOf): AttemptLine => [
  name(attempt.deployment),
  name(attempt.provider),
  name(attempt.model),
  name(attempt.outcome),
  attempt.httpStatus ?? 0,
  attempt.startedMs,
  attempt.firstTokenMs ?? -1,
  attempt.durationMs,
  attempt.cost,
  attempt.estimated ? 1 : 0,
  encodeUsage(attempt.usage),
  ...encodePricing(attempt, name)
]

const encodePricing = (
  { adapted, error, rates, serviceTier }: ReceiptAttempt,
  name: NameOf
): readonly [serviceTier?: NameNumber, rates?: NameNumber, error?: NameNumber, adapted?: NameNumber] => {
  const tier = name(serviceTier ?? null)
  const rate = name(rates === undefined ? null : encodeRates(rates))
  const said = name(error === undefined ? null : JSON.stringify([error.message, error.code, error.type]))
  if (adapted !== undefined) return [tier, rate, said, name(JSON.stringify(adapted))]
  if (said !== -1) return [tier, rate, said]
  return rate !== -1 ? [tier, rate] : tier === -1 ? [] : [tier]
}

const encodeUsage = (usage: Usage): UsageLine => {
  if (usage === noUsage) return []
  const others = rareUsage(usage)
  const { audioInput, audioOutput, cacheWrite, cacheWrite1h, cachedInput, input, output, reasoning } = usage
  // Most responses have only the first two.
  const isPlain = cachedInput + reasoning + cacheWrite + cacheWrite1h + audioInput + audioOutput === 0
  if (isPlain && others === undefined) return [input, output]
  const counts = [input, output, cachedInput, reasoning, cacheWrite, cacheWrite1h, audioInput, audioOutput]
  return others === undefined ? counts : [...counts, others]
}

/** In the order in which they were written. */
export const decodePage = (body: string): ReadonlyArray<Receipt> => decodeEnded(body, undefined).receipts

/** Like `decodePage`, but only receipts with one of the statuses. `scanned` is the number of receipts on the page. */
export const decodeEnded = (body: string, statuses: ReadonlyArray<string> | undefined) => {
  const [texts, lines] = JSON.parse(body) as PageBody
  const names = new PageNames(texts)
  const wanted = statuses === undefined ? lines : lines.filter((line) => statuses.includes(texts[line[STATUS]]!))
  return { scanned: lines.length, receipts: wanted.map((line) => decodeLine(line, names)) }
}

/** The index of the status in a line. */
const STATUS = 12

const decodeLine = (line: ReceiptLine, names: PageNames): Receipt => {
  const text = (name: NameNumber): string => names.texts[name]!
  const orNull = (name: NameNumber): string | null => names.texts[name] ?? null
  const [requestId, at, durationMs, keyId, team, endpoint, requestedModel, deployment, provider, model, ...rest] = line
  const [bucket, score, status, stream, priced, priceSource, priceVersion, tags, reasons, attempts, ...added] = rest
  const [shadow = 0, more = 0, keyName = -1, refusal = 0, guardrails = -1] = added
  const details = decodeDetails(more === 0 ? undefined : more, names)
  return {
    requestId,
    at,
    durationMs,
    keyId: text(keyId),
    keyName: orNull(keyName),
    team: orNull(team),
    endpoint: text(endpoint),
    requestedModel: text(requestedModel),
    deployment: text(deployment),
    provider: text(provider),
    model: text(model),
    bucket: text(bucket),
    score,
    reasons: decodeReasons(reasons, details, names),
    ...details,
    attempts: attempts.map((attempt) => decodeAttempt(attempt, text, names)),
    status: text(status) as Receipt["status"],
    stream: stream === 1,
    priced: priced === 1,
    priceSource: orNull(priceSource),
    priceVersion: orNull(priceVersion),
    tags: tags.map(text),
    ...(shadow === 0 ? {} : { shadow: decodeShadow(shadow, text, orNull) }),
    ...(refusal === 0 ? {} : decodeRefusal(refusal, text, orNull)),
    ...(guardrails === -1 ? {} : { guardrails: names.once(guardrails, decodeVerdicts) })
  }
}

/** JSON in the names: most requests of a page have the same verdicts. */
const decodeVerdicts = (body: string): ReadonlyArray<GuardrailVerdict> => JSON.parse(body)

const decodeRefusal = (
  [method, httpStatus, code, message, count, limit]: RefusalLine,
  text: (name: NameNumber) => string,
  orNull: (name: NameNumber) => string | null
): Pick<Receipt, "limit" | "refusal"> => ({
  limit: (orNull(limit) ?? undefined) as Receipt["limit"],
  refusal: { method: text(method), httpStatus, code: text(code), message: text(message), count }
})

const decodeShadow = (
  [bucket, score, deployment, difference]: ShadowLine,
  text: (name: NameNumber) => string,
  orNull: (name: NameNumber) => string | null
): Shadow => ({ bucket: text(bucket), score, deployment: orNull(deployment), difference })

const decodeAttempt = (line: AttemptLine, text: (name: NameNumber) => string, names: PageNames): ReceiptAttempt => {
  const [deployment, provider, model, outcome, httpStatus, startedMs, firstTokenMs, durationMs, ...rest] = line
  const [cost, estimated, usage, serviceTier = -1, rates = -1, error = -1, adapted = -1] = rest
  return {
    deployment: text(deployment),
    provider: text(provider),
    model: text(model),
    outcome: text(outcome) as ReceiptAttempt["outcome"],
    httpStatus: httpStatus === 0 ? null : httpStatus,
    startedMs,
    firstTokenMs: firstTokenMs === -1 ? null : firstTokenMs,
    durationMs,
    cost,
    usage: decodeUsage(usage),
    estimated: estimated === 1,
    ...(serviceTier === -1 ? {} : { serviceTier: text(serviceTier) }),
    ...(rates === -1 ? {} : { rates: names.once(rates, decodeRates) }),
    ...(error === -1 ? {} : { error: names.once(error, decodeError) }),
    ...(adapted === -1 ? {} : { adapted: names.once(adapted, decodeAdapted) })
  }
}

const decodeAdapted = (body: string): ReadonlyArray<string> => JSON.parse(body)

const decodeError = (body: string): ProviderError => {
  const [message, code, type] = JSON.parse(body) as readonly [string, string | null, string | null]
  return { message, code, type }
}

const decodeUsage = (all: UsageLine): Usage => {
  const [input = 0, output = 0, cachedInput = 0, reasoning = 0, cacheWrite = 0, ...rest] = all as ReadonlyArray<number>
  const [cacheWrite1h = 0, audioInput = 0, audioOutput = 0] = rest
  const others = all[8]
  return {
    ...(typeof others === "object" ? usageIn(others) : noUsage),
    input,
    cachedInput,
    cacheWrite,
    cacheWrite1h,
    output,
    reasoning,
    audioInput,
    audioOutput
  }
}
