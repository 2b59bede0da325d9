/** Notes for the receipt of a running request: plain fields that cost nothing to write. */
import type { Clock } from "effect"
import type { Contribution } from "../routing/Classifier.ts"
import { type Considered, consideredIn } from "../routing/Considered.ts"
import type { Decision, Shadow } from "../routing/Decision.ts"
import type { Deployment, Route } from "../domain/Deployment.ts"
import type { NanoUsd } from "../domain/Money.ts"
import type { CallInput } from "./CallInput.ts"
import { ProviderFailure, type Unsupported } from "../domain/Failures.ts"
import type { FullBudget, Receipt, ReceiptAttempt, ReceiptStatus } from "../receipts/Receipt.ts"
import { type AnswerFacts, type RequestParameters, requestParameters } from "../receipts/TraceFacts.ts"
import type { ReceiptEvents } from "../receipts/ReceiptEvents.ts"
import type { Ended, Reservation } from "../ledger/Reservation.ts"
import { routeOf } from "../operations/RequestFeatures.ts"
import { noUsage } from "../domain/Usage.ts"

/** The receipt's part about one attempt, filled in as it goes on. */
type AttemptNote = { -readonly [Field in keyof ReceiptAttempt]: ReceiptAttempt[Field] }

/** Notes of one request, in the order in which things happen. */
export class ReceiptNotes {
  /** The receipt was sent. */
  isOver = false
  private readonly input: CallInput
  private readonly decision: Decision
  private readonly log: ReceiptEvents["Service"]
  private readonly clock: Clock.Clock
  private readonly attempts: Array<AttemptNote> = []
  private deployment: Deployment
  private at: number | undefined
  /** The last attempt, the id of its reservation, and whether it is still under way. */
  private note: AttemptNote | undefined
  private reservation: number | undefined
  private isRunning = false
  private hasUnpriced = false
  /** That of the model that answered, where it is another one than was called. */
  private priceVersion: string | undefined
  private baseline: NanoUsd | undefined
  private isIncomparable = false

  constructor(input: CallInput, decision: Decision, log: ReceiptEvents["Service"], clock: Clock.Clock) {
    this.input = input
    this.decision = decision
    this.log = log
    this.clock = clock
    this.deployment = decision.candidates[0]!
  }

  /** A deployment was chosen; its reservation comes next. */
  choosing(deployment: Deployment): void {
    this.deployment = deployment
  }

  /** The reservation succeeded: the attempt begins. */
  asking({ at, deployment, id }: Reservation): void {
    this.at ??= at
    this.note = noteOf(deployment, at - this.at)
    this.attempts.push(this.note)
    this.reservation = id
    this.isRunning = true
  }

  /** The upstream answers with a stream. `firstTokenAt`: undefined where the caller gets the answer in one piece. */
  streaming(firstTokenAt: number | undefined): void {
    this.note!.httpStatus = OK
    if (firstTokenAt !== undefined) this.note!.firstTokenMs = firstTokenAt - this.at!
  }

  failed(error: ProviderFailure | Unsupported): void {
    const isFailure = error instanceof ProviderFailure
    this.note!.outcome = isFailure ? error.class : "unsupported"
    this.note!.httpStatus = isFailure && error.status !== 0 ? error.status : null
    this.note!.error = {
      message: error.message.length <= MOST_MESSAGE ? error.message : `${error.message.slice(0, MOST_MESSAGE)}…`,
      code: error.code ?? null,
      type: isFailure ? error.type : null
    }
    this.stopped()
  }

  /** What the provider said of the answer that is under way. */
  said(answer: AnswerFacts): void {
    if (this.note !== undefined) this.note.answer = answer
  }

  /** Names of the caller's fields that were left out or changed. */
  adapted(names: ReadonlyArray<string>): void {
    if (this.note === undefined || names.length === 0) return
    this.note.adapted = names.slice(0, MOST_ADAPTED).map((name) => name.slice(0, MOST_NAME))
  }

  /** The provider answered. */
  answered(): void {
    this.note!.outcome = "ok"
    this.note!.httpStatus = OK
    this.stopped()
  }

  /** The request was interrupted, by its caller or by the gateway's shutdown. True: by the caller. */
  interrupted(): boolean {
    const isCaller = this.input.isCallerGone === undefined || this.input.isCallerGone()
    if (this.note !== undefined && this.isRunning) {
      this.note.outcome = isCaller ? "client_gone" : "shutdown"
      this.stopped()
    }
    return isCaller
  }

  /** The last attempt ended in the books. A reservation whose call was never made is no attempt. */
  ended(ended: Ended | undefined): void {
    if (ended === undefined || this.note === undefined || ended.id !== this.reservation) return
    this.note.cost = ended.cost
    this.note.usage = ended.usage
    this.note.rates = ended.rates
    this.note.estimated = ended.estimated
    if (ended.isAuto) this.baseline = (this.baseline ?? 0) + ended.baseline
    if (ended.isIncomparable === true) this.isIncomparable = true
    this.note.serviceTier = ended.serviceTier
    if (ended.isUnpriced === true) this.hasUnpriced = true
    this.priceVersion = ended.priceVersion
    this.stopped()
  }

  /** Sends the receipt; only the first call does. */
  over(status: ReceiptStatus, fullBudget?: FullBudget): void {
    if (this.isOver) return
    this.isOver = true
    if (this.input.departure !== undefined) this.input.departure.hasReceipt = true
    this.stopped()
    const now = this.clock.currentTimeMillisUnsafe()
    const { attempts, baseline, decision, deployment, hasUnpriced, input, isIncomparable, priceVersion } = this
    const [at, durationMs] = this.at === undefined ? [now, 0] : [this.at, now - this.at]
    const told = new FreshReceipt(
      input,
      decision,
      deployment,
      attempts,
      status,
      at,
      durationMs,
      hasUnpriced,
      baseline,
      isIncomparable,
      fullBudget,
      priceVersion
    )
    this.log.ended(told, decision.isClassified === true ? input.request.prompt : undefined)
  }

  private stopped(): void {
    if (!this.isRunning) return
    this.note!.durationMs = this.clock.currentTimeMillisUnsafe() - this.at! - this.note!.startedMs
    this.isRunning = false
  }
}

/** Characters of a provider's message that a receipt keeps. `WithoutSecrets` has struck out the credentials. */
const MOST_MESSAGE = 500

/** Names of adapted fields that a receipt keeps, and the characters of each. */
const MOST_ADAPTED = 20
const MOST_NAME = 120

/** Receipts record every 2xx status as 200. */
const OK = 200

/** An attempt counts as failed until its outcome is known. */
const noteOf = ({ baseUrl, id, model, provider }: Deployment, startedMs: number): AttemptNote => ({
  deployment: id,
  provider,
  model,
  outcome: "failed",
  httpStatus: null,
  error: undefined,
  adapted: undefined,
  startedMs,
  firstTokenMs: null,
  durationMs: 0,
  cost: 0,
  usage: noUsage,
  rates: undefined,
  estimated: false,
  serviceTier: undefined,
  baseUrl,
  answer: undefined
})

const toldOf = ({ added, name, value }: Contribution): Contribution => ({
  name,
  value: rounded(value),
  added: rounded(added)
})

/** To four decimals. */
const rounded = (value: number): number => Math.round(value * 10_000) / 10_000

/**
 * The receipt of a request that just ended. It lives longer than the request, so it keeps nothing of the body. What the decision
 * was made of is put together when it is read.
 */
class FreshReceipt implements Receipt {
  readonly requestId: string
  readonly at: number
  readonly durationMs: number
  readonly keyId: string
  readonly keyName: string | null
  readonly team: string | null
  readonly endpoint: string
  readonly requestedModel: string
  readonly deployment: string
  readonly provider: string
  readonly model: string
  readonly bucket: string
  readonly score: number
  readonly attempts: ReadonlyArray<ReceiptAttempt>
  readonly status: ReceiptStatus
  readonly stream: boolean
  readonly priced: boolean
  readonly priceSource: string | null
  readonly priceVersion: string | null
  readonly tags: ReadonlyArray<string>
  readonly baseline: NanoUsd | undefined
  readonly isIncomparable: boolean
  readonly sessionId: string | undefined
  readonly fullBudget: FullBudget | undefined
  readonly traceParent: string | undefined
  readonly parameters: RequestParameters | undefined
  private readonly decision: Decision
  private readonly route: Route | undefined

  constructor(
    input: CallInput,
    decision: Decision,
    deployment: Deployment,
    attempts: ReadonlyArray<ReceiptAttempt>,
    status: ReceiptStatus,
    at: number,
    durationMs: number,
    hasUnpriced: boolean,
    baseline: NanoUsd | undefined,
    isIncomparable: boolean,
    fullBudget: FullBudget | undefined,
    priceVersion: string | undefined
  ) {
    const { key } = input.caller
    const { price } = deployment
    this.requestId = input.requestId
    this.at = at
    this.durationMs = durationMs
    this.keyId = key.id
    this.keyName = key.name
    this.team = key.team
    this.endpoint = input.endpoint
    this.requestedModel = input.request.model
    this.deployment = deployment.id
    this.provider = deployment.provider
    this.model = deployment.model
    this.bucket = decision.bucket
    this.score = decision.score
    this.attempts = attempts
    this.status = status
    this.stream = input.request.stream
    this.priced = price !== undefined && !hasUnpriced
    this.priceSource = price?.source ?? null
    this.priceVersion = priceVersion ?? price?.version ?? null
    this.tags = input.tags.length > 1 ? [...new Set(input.tags)].sort() : input.tags
    this.baseline = baseline
    this.isIncomparable = isIncomparable
    this.sessionId = input.sessionId
    this.fullBudget = fullBudget
    this.traceParent = input.traceParent
    this.parameters = requestParameters(input.request.body, input.request.maxOutput, input.request.choices)
    this.decision = decision
    this.route = routeOf(input.request.features, deployment.routes)
  }

  get limit(): Receipt["limit"] {
    return this.fullBudget === undefined ? undefined : "budget"
  }

  get reasons(): ReadonlyArray<string> {
    const { decision, endpoint, model, provider, route } = this
    if (route === undefined || endpoint.endsWith(`/${route.use}`)) return decision.reasons
    return [...decision.reasons, `${provider}/${model} via ${route.use} (${route.why})`]
  }

  get cutPoints(): ReadonlyArray<number> | undefined {
    return this.decision.cutPoints
  }

  get features(): ReadonlyArray<Contribution> | undefined {
    return this.decision.features?.map(toldOf)
  }

  get considered(): ReadonlyArray<Considered> {
    return consideredIn(this.decision)
  }

  get shadow(): Shadow | undefined {
    return this.decision.shadow
  }
}
