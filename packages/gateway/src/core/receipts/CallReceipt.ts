/** The receipt of a routed request that just ended. */
import type { Deployment, Route } from "../domain/Deployment.ts"
import type { BudgetExceeded } from "../domain/Errors.ts"
import type { CacheReport, GuardrailVerdict } from "@model-gateway/protocol"
import type { NanoUsd } from "../domain/Money.ts"
import type { Caller } from "../keys/Caller.ts"
import type { CallRequest } from "../operations/CallRequest.ts"
import { routeOf } from "../operations/RequestFeatures.ts"
import type { Contribution } from "../routing/Classifier.ts"
import { type Considered, consideredIn } from "../routing/Considered.ts"
import type { Decision, Shadow } from "../routing/Decision.ts"
import type { AttemptRecord } from "./AttemptRecord.ts"
import type { FullBudget, Receipt, ReceiptAttempt, ReceiptStatus } from "./Receipt.ts"
import { type RequestParameters, requestParameters } from "./TraceFacts.ts"

interface EndedCall {
  readonly input: Pick<Receipt, "requestId" | "endpoint" | "tags" | "sessionId" | "client" | "traceParent"> & {
    readonly caller: Caller
    readonly request: CallRequest
    readonly guarded?: { readonly verdicts: ReadonlyArray<GuardrailVerdict> } | undefined
  }
  readonly decision: Decision
  /** The deployment that answered; else the last one called, or the first candidate. */
  readonly deployment: Deployment
  readonly attempts: ReadonlyArray<AttemptRecord>
  readonly status: ReceiptStatus
  readonly now: number
  readonly refusal: BudgetExceeded | undefined
  readonly cache?: CacheReport | undefined
  /** When a response of the cache was looked for, epoch milliseconds. */
  readonly startedAt?: number
}

/** It outlives the request, so it keeps nothing of the body. The parts of the decision are assembled when they are read. */
export class CallReceipt implements Receipt {
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
  readonly endUser: string | undefined
  readonly client: string | undefined
  readonly fullBudget: FullBudget | undefined
  readonly traceParent: string | undefined
  readonly parameters: RequestParameters | undefined
  readonly guardrails: ReadonlyArray<GuardrailVerdict> | undefined
  readonly cache: CacheReport | undefined
  private readonly decision: Decision
  private readonly route: Route | undefined

  constructor({ attempts, cache, decision, deployment, input, now, refusal, startedAt, status }: EndedCall) {
    const { key } = input.caller
    const { price } = deployment
    const ends = attempts.map(({ end }) => end).filter((end) => end !== undefined)
    const compared = ends.filter(({ isAuto }) => isAuto)
    this.requestId = input.requestId
    this.at = attempts[0]?.reservation.at ?? startedAt ?? now
    this.durationMs = now - this.at
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
    this.attempts = attempts.map(({ entry }) => entry)
    this.status = status
    this.stream = input.request.stream
    this.priced = price !== undefined && !ends.some(({ isUnpriced }) => isUnpriced === true)
    this.priceSource = price?.source ?? null
    this.priceVersion = ends.at(-1)?.priceVersion ?? price?.version ?? null
    this.tags = input.tags.length > 1 ? [...new Set(input.tags)].sort() : input.tags
    this.baseline = compared.length === 0 ? undefined : compared.reduce((sum, { baseline }) => sum + baseline, 0)
    this.isIncomparable = ends.some(({ isIncomparable }) => isIncomparable === true)
    this.sessionId = input.sessionId
    this.endUser = input.caller.more?.find(({ kind }) => kind === "end_user")?.subject
    this.client = input.client
    this.fullBudget = refusal === undefined ? undefined : fullBudgetOf(refusal)
    this.traceParent = input.traceParent
    this.parameters = requestParameters(input.request.body, input.request.maxOutput, input.request.choices)
    this.guardrails = input.guarded?.verdicts
    this.cache = cache
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
    return this.decision.features?.map(contributionOf)
  }

  get considered(): ReadonlyArray<Considered> {
    return consideredIn(this.decision)
  }

  get shadow(): Shadow | undefined {
    return this.decision.shadow
  }
}

const fullBudgetOf = ({ limit, needed, scope, used, window }: BudgetExceeded): FullBudget => ({
  scope,
  window,
  limit,
  used,
  needed
})

const contributionOf = ({ added, name, value }: Contribution): Contribution => ({
  name,
  value: rounded(value),
  added: rounded(added)
})

/** To four decimals. */
const rounded = (value: number): number => Math.round(value * 10_000) / 10_000
