/** A filter for stored and live receipts. */
import type { feedbackKinds } from "@model-gateway/protocol"
import { costOf, errorOf, type Receipt, type ReceiptStatus } from "./Receipt.ts"
import { seesKey, type Visibility } from "../domain/Principal.ts"
import type { NanoUsd } from "../domain/Money.ts"
import { receiptId } from "../domain/RequestIds.ts"

/** Scores from here on are positive. */
const GOOD = 0.5

export type FeedbackKind = (typeof feedbackKinds)[number]

/** Undefined: any. */
export interface ReceiptConditions {
  readonly visibility: Visibility
  /** Its ID, or its name at that time. */
  readonly key?: string | undefined
  readonly team?: string | undefined
  /** The requested or the serving model: deployment, `<provider>/<model>`, or the model alone. */
  readonly model?: string | undefined
  readonly status?: ReceiptStatus | undefined
  /** Any of these. */
  readonly statuses?: ReadonlyArray<ReceiptStatus> | undefined
  /** When the request came: from inclusive, to exclusive, epoch milliseconds. */
  readonly from?: number | undefined
  readonly to?: number | undefined
  readonly tag?: string | undefined
  readonly endUser?: string | undefined
  readonly session?: string | undefined
  readonly bucket?: string | undefined
  /** Of any attempt. */
  readonly deployment?: string | undefined
  /** Its path. */
  readonly endpoint?: string | undefined
  readonly stream?: boolean | undefined
  /** Of the request (`errorOf`), the outcome of any attempt, or a provider's code. */
  readonly error?: string | undefined
  readonly minCost?: NanoUsd | undefined
  readonly minDurationMs?: number | undefined
  readonly feedback?: FeedbackKind | undefined
  /** Part of the id of the receipt, the request or the key, or of the key's name. */
  readonly q?: string | undefined
}

export const isWanted = (receipt: Receipt, wanted: ReceiptConditions): boolean =>
  seesKey(wanted.visibility, receipt.keyId, receipt.team) &&
  (wanted.key === undefined || receipt.keyId === wanted.key || receipt.keyName === wanted.key) &&
  (wanted.team === undefined || receipt.team === wanted.team) &&
  (wanted.status === undefined || receipt.status === wanted.status) &&
  (wanted.statuses === undefined || wanted.statuses.includes(receipt.status)) &&
  (wanted.from === undefined || receipt.at >= wanted.from) &&
  (wanted.to === undefined || receipt.at < wanted.to) &&
  (wanted.model === undefined || isForModel(receipt, wanted.model)) &&
  (wanted.tag === undefined || receipt.tags.includes(wanted.tag)) &&
  (wanted.endUser === undefined || receipt.endUser === wanted.endUser) &&
  (wanted.session === undefined || receipt.sessionId === wanted.session) &&
  (wanted.bucket === undefined || receipt.bucket === wanted.bucket) &&
  (wanted.deployment === undefined || isOf(receipt, wanted.deployment)) &&
  (wanted.endpoint === undefined || receipt.endpoint === wanted.endpoint) &&
  (wanted.stream === undefined || receipt.stream === wanted.stream) &&
  (wanted.error === undefined || isFailedBy(receipt, wanted.error)) &&
  (wanted.minCost === undefined || costOf(receipt) >= wanted.minCost) &&
  (wanted.minDurationMs === undefined || receipt.durationMs >= wanted.minDurationMs) &&
  (wanted.feedback === undefined || isRated(receipt, wanted.feedback)) &&
  (wanted.q === undefined || isNamed(receipt, wanted.q))

/** The requested or the serving model. */
export const isForModel = ({ deployment, model, provider, requestedModel }: Receipt, name: string): boolean =>
  name === requestedModel || name === deployment || name === model || name === `${provider}/${model}`

const isFailedBy = (receipt: Receipt, name: string): boolean =>
  errorOf(receipt) === name || receipt.attempts.some(({ error, outcome }) => outcome === name || error?.code === name)

const isOf = ({ attempts, deployment }: Receipt, id: string): boolean =>
  deployment === id || attempts.some((attempt) => attempt.deployment === id)

const isRated = ({ feedback }: Receipt, kind: FeedbackKind): boolean => {
  switch (kind) {
    case "given":
      return feedback !== undefined
    case "none":
      return feedback === undefined
    case "good":
      return feedback !== undefined && feedback.score >= GOOD
    case "bad":
      return feedback !== undefined && feedback.score < GOOD
  }
}

const isNamed = ({ keyId, keyName, requestId }: Receipt, part: string): boolean =>
  requestId.includes(part) ||
  receiptId(requestId).includes(part) ||
  keyId.includes(part) ||
  keyName?.toLowerCase().includes(part.toLowerCase()) === true
