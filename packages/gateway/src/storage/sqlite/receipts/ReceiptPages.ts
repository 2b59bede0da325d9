/**
 * Receipts as rows: those that are written together share one, a page. Its body is JSON, `[names, receipts]`: every text that may
 * come again stands in `names` once and is a number from there on. So a receipt takes about 130 bytes, and bytes are what it costs.
 */
import type { Shadow } from "../../../core/routing/Decision.ts"
import type { Receipt, ReceiptAttempt } from "../../../core/receipts/Receipt.ts"
import { noUsage, type Usage } from "../../../core/domain/Usage.ts"
import { usageIn, rareUsage } from "../file/Columns.ts"

/** Where a text stands in `names`; -1 is null. */
type Name = number

/** New fields go to the end. */
type Line = readonly [
  requestId: string,
  at: number,
  durationMs: number,
  keyId: Name,
  team: Name,
  endpoint: Name,
  requestedModel: Name,
  deployment: Name,
  provider: Name,
  model: Name,
  bucket: Name,
  score: number,
  status: Name,
  stream: 0 | 1,
  priced: 0 | 1,
  priceSource: Name,
  priceVersion: Name,
  tags: ReadonlyArray<Name>,
  reasons: ReadonlyArray<Name>,
  attempts: ReadonlyArray<AttemptLine>,
  /** Left out where there was none. */
  shadow?: ShadowLine
]

/** The difference is null where nobody knows it. */
type ShadowLine = readonly [bucket: Name, score: number, deployment: Name, difference: number | null]

type AttemptLine = readonly [
  deployment: Name,
  provider: Name,
  model: Name,
  outcome: Name,
  /** 0 is null. */
  httpStatus: number,
  startedMs: number,
  /** -1 is null. */
  firstTokenMs: number,
  durationMs: number,
  cost: number,
  estimated: 0 | 1,
  /**
   * Input, output, cached input, reasoning, cache writes of five minutes and of an hour, audio in and out; zeros at the end left out.
   * Then the rare classes by their names, where there are some.
   */
  usage: ReadonlyArray<number | Rare>,
  /** Left out where it is the standard one. */
  serviceTier?: Name
]

type Rare = { readonly [column: string]: number }

type Body = readonly [names: ReadonlyArray<string>, lines: ReadonlyArray<Line>]

/** In the order given. */
export const encodePage = (receipts: ReadonlyArray<Receipt>): string => {
  const names = new Map<string, Name>()
  const name = (text: string | null): Name => {
    if (text === null) return -1
    let found = names.get(text)
    if (found === undefined) names.set(text, (found = names.size))
    return found
  }
  const lines = receipts.map((receipt): Line => [
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
    receipt.reasons.map(name),
    receipt.attempts.map((attempt) => encodeAttempt(attempt, name)),
    ...encodeShadow(receipt.shadow, name)
  ])
  return JSON.stringify([[...names.keys()], lines] satisfies Body)
}

const encodeShadow = (
  shadow: Receipt["shadow"],
  name: (text: string | null) => Name
): readonly [] | readonly [ShadowLine] =>
  shadow === undefined ? [] : [[name(shadow.bucket), shadow.score, name(shadow.deployment), shadow.difference]]

const encodeAttempt = (attempt: ReceiptAttempt, name: (text: string) => Name): AttemptLine => [
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
  ...encodeTier(attempt.serviceTier, name)
]

const encodeTier = (tier: string | undefined, name: (text: string) => Name): readonly [] | readonly [Name] =>
  tier === undefined ? [] : [name(tier)]

const encodeUsage = (usage: Usage): ReadonlyArray<number | Rare> => {
  if (usage === noUsage) return []
  const others = rareUsage(usage)
  const { audioInput, audioOutput, cacheWrite, cacheWrite1h, cachedInput, input, output, reasoning } = usage
  // Most answers have the first two alone.
  const isPlain = cachedInput + reasoning + cacheWrite + cacheWrite1h + audioInput + audioOutput === 0
  if (isPlain && others === undefined) return [input, output]
  const counts = [input, output, cachedInput, reasoning, cacheWrite, cacheWrite1h, audioInput, audioOutput]
  return others === undefined ? counts : [...counts, others]
}

/** In the order in which they were written. */
export const decodePage = (body: string): ReadonlyArray<Receipt> => {
  const [names, lines] = JSON.parse(body) as Body
  return lines.map((line) => decodeLine(line, names))
}

const decodeLine = (line: Line, names: ReadonlyArray<string>): Receipt => {
  const text = (name: Name): string => names[name]!
  const orNull = (name: Name): string | null => names[name] ?? null
  const [requestId, at, durationMs, keyId, team, endpoint, requestedModel, deployment, provider, model, ...rest] = line
  const [bucket, score, status, stream, priced, priceSource, priceVersion, tags, reasons, attempts, shadow] = rest
  return {
    requestId,
    at,
    durationMs,
    keyId: text(keyId),
    team: orNull(team),
    endpoint: text(endpoint),
    requestedModel: text(requestedModel),
    deployment: text(deployment),
    provider: text(provider),
    model: text(model),
    bucket: text(bucket),
    score,
    reasons: reasons.map(text),
    attempts: attempts.map((attempt) => decodeAttempt(attempt, text)),
    status: text(status) as Receipt["status"],
    stream: stream === 1,
    priced: priced === 1,
    priceSource: orNull(priceSource),
    priceVersion: orNull(priceVersion),
    tags: tags.map(text),
    ...(shadow === undefined ? {} : { shadow: decodeShadow(shadow, text, orNull) })
  }
}

const decodeShadow = (
  [bucket, score, deployment, difference]: ShadowLine,
  text: (name: Name) => string,
  orNull: (name: Name) => string | null
): Shadow => ({ bucket: text(bucket), score, deployment: orNull(deployment), difference })

const decodeAttempt = (line: AttemptLine, text: (name: Name) => string): ReceiptAttempt => {
  const [deployment, provider, model, outcome, httpStatus, startedMs, firstTokenMs, durationMs, ...rest] = line
  const [cost, estimated, usage, serviceTier] = rest
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
    ...(serviceTier === undefined ? {} : { serviceTier: text(serviceTier) })
  }
}

const decodeUsage = (all: ReadonlyArray<number | Rare>): Usage => {
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
