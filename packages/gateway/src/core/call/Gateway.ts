/** One request from start to end: admit, decide, reserve, call (failover calls the next), settle. */
import { createHmac, randomBytes } from "node:crypto"
import { Clock, Context, Effect, Exit, FiberSet, Layer, Option, type Scope } from "effect"
import { type CacheUse, cacheUse, ResponseCache } from "../cache/ResponseCache.ts"
import { type Baseline, strongestOf } from "../ledger/Savings.ts"
import { NO_BUCKET } from "../routing/Decision.ts"
import { makeAttempt } from "./Attempt.ts"
import { CachedCall } from "./CachedCall.ts"
import { CallContext } from "./CallContext.ts"
import { CallLedger } from "./CallLedger.ts"
import { EXPECTED_OUTPUT } from "../routing/ExpectedCost.ts"
import { makeFailover } from "./Failover.ts"
import { GuardrailUnknown, InvalidField, type RateLimited, type StoreUnavailable } from "../domain/Errors.ts"
import { ProductVersion } from "../domain/About.ts"
import { defaultCache } from "../domain/Cache.ts"
import { CatalogueState } from "../domain/models/CatalogueState.ts"
import { type Fleet, FleetInForce } from "../domain/Fleet.ts"
import { WebhookSender } from "../admin/WebhookSender.ts"
import { onFailure } from "../collections/OnFailure.ts"
import { together } from "../collections/Together.ts"
import { GuardedCall } from "../guardrails/GuardedCall.ts"
import { type CompiledGuardrails, compileGuardrails } from "../guardrails/Guardrails.ts"
import { CachedResponses } from "../kept/KeptResponses.ts"
import { KeyRepository } from "../keys/KeyRepository.ts"
import { RemoteImage } from "../operations/RemoteImage.ts"
import { OutputLimits } from "./OutputLimits.ts"
import type { Operation } from "../operations/Operation.ts"
import { ProviderPool } from "../pool/ProviderPool.ts"
import type { Permit } from "../limits/Admitted.ts"
import { RateLimiter } from "../limits/RateLimiter.ts"
import { exceedsLimit, limitedMore } from "../limits/Subject.ts"
import { ContentLog } from "../receipts/ContentLog.ts"
import { ReceiptEvents } from "../receipts/ReceiptEvents.ts"
import { Router } from "../routing/Router.ts"
import { SpendLedger } from "../ledger/SpendLedger.ts"
import type { Caller } from "../keys/Caller.ts"
import type { CallInput, Answer, GatewayError } from "./CallInput.ts"

type AnsweringCall = Effect.Effect<Answer, GatewayError, Scope.Scope>

export class Gateway extends Context.Service<
  Gateway,
  {
    /** Admits a request before its body is read: its place in `rpm` and its slot of `max_parallel`, for `CallInput.permit`. */
    readonly admit: (caller: Caller) => Effect.Effect<Permit, RateLimited | StoreUnavailable, Scope.Scope>
    /** The response lives as long as the Scope: closing it closes the upstream connection and settles what was produced. */
    readonly call: (operation: Operation, input: CallInput) => Effect.Effect<Answer, GatewayError, Scope.Scope>
  }
>()("gateway/core/Gateway") {
  static readonly layer = Layer.effect(
    Gateway,
    Effect.gen(function* () {
      const limiter = yield* RateLimiter
      const router = yield* Router
      const spend = yield* SpendLedger
      const pool = yield* ProviderPool
      const events = yield* ReceiptEvents
      const clock = yield* Clock.Clock
      const { follow } = yield* FleetInForce
      const look = yield* RemoteImage
      const outputLimits = new OutputLimits()
      const background = yield* FiberSet.makeRuntime<never>()
      const services = { spend, limiter, health: pool, events, clock, outputLimits, background }
      const repository = Option.getOrUndefined(yield* Effect.serviceOption(KeyRepository))
      const sender = yield* WebhookSender
      const content = yield* ContentLog
      const pepper = yield* Effect.cached(repository?.pepper ?? Effect.sync(() => randomBytes(32)))
      const entries = Option.getOrUndefined(yield* Effect.serviceOption(CachedResponses))
      const cache = entries && new ResponseCache(entries, clock)
      if (cache !== undefined) yield* Effect.forkScoped(Effect.all([cache.prune, cache.touching], { concurrency: 2 }))
      const version = yield* ProductVersion
      const catalogue = yield* CatalogueState
      const secret = yield* Effect.cached(
        Effect.map(pepper, (pepper) => createHmac("sha256", pepper).update("cache-v1").digest("hex"))
      )
      const rulesOf = ({
        cache = defaultCache,
        deployments,
        failover: settings,
        guardrails,
        router: routes
      }: Fleet["Service"]) => ({
        cache,
        guardrails: guardrails === undefined ? undefined : compileGuardrails(guardrails, sender),
        attempts: settings.attempts,
        // Without a strongest bucket there is no price to compare with.
        strongest: strongestOf(routes, deployments) ?? ({ id: "", price: undefined } satisfies Baseline),
        failover: makeFailover(settings, pool, clock),
        attempt: makeAttempt(settings, pool, outputLimits)
      })
      let rules!: ReturnType<typeof rulesOf>
      follow((fleet) => (rules = rulesOf(fleet)))

      /** Checks the request, if a policy holds for it. It may be other content that is sent then. */
      const guarded = (operation: Operation, input: CallInput, permit: Permit, tokens: number): AnsweringCall => {
        const { caller, guardrails: added, request } = input
        const { guardrails } = rules
        if (guardrails === undefined && added === undefined) return answered(operation, input, permit, tokens)
        const policy = (guardrails ?? noGuardrails).of({ caller, added })
        if (policy === undefined) return answered(operation, input, permit, tokens)
        if (policy instanceof GuardrailUnknown) return Effect.fail(policy)
        return Effect.flatMap(pepper, (pepper) => {
          const { endUser = null, key } = caller
          const about = { request_id: input.requestId, key_id: key.id, team: key.team, user: endUser }
          const checked = { ...about, operation: operation.name, model: request.model }
          const guarded = new GuardedCall(operation, policy, checked, pepper)
          return Effect.flatMap(guarded.request(request), (request) =>
            answered(operation, { ...input, request, guarded }, permit, tokens)
          )
        })
      }

      const call = (operation: Operation, input: CallInput): AnsweringCall =>
        Effect.suspend(() => admitted(operation, input))

      const admitted = (operation: Operation, input: CallInput): AnsweringCall => {
        const { caller, request } = input
        // Counts against `tpm` until the real usage is known.
        const tokens = request.inputEstimate + (request.maxOutput ?? EXPECTED_OUTPUT) * request.choices
        const least = certainInput(request) + (request.maxOutput ?? 0) * request.choices
        const exceeded = exceedsLimit(caller, least)
        if (exceeded !== undefined) return Effect.fail(exceeded)
        // A request without a response gives its expected tokens back.
        const entered = (permit: Permit) =>
          onFailure(guarded(operation, input, permit, tokens), () => Effect.ignore(permit.settle(0)))
        const { permit } = input
        // The permit was taken before the request's end user and session were known.
        if (permit !== undefined)
          return Effect.flatMap(permit.expect(tokens, limitedMore(caller)), () => entered(permit))
        return Effect.flatMap(limiter.admit(caller, tokens), (permit) => {
          input.departure?.holds(permit.leave)
          return entered(permit)
        })
      }

      const answered = (operation: Operation, input: CallInput, permit: Permit, tokens: number): AnsweringCall =>
        Effect.flatMap(router.decide(input.request, input.caller, input, operation.name), (decision): AnsweringCall => {
          const { media, model } = input.request
          const file = media.find((part) => part.fileId !== undefined)?.fileId
          if (file !== undefined && (!router.isPinned(model) || (input.request.choice?.models ?? []).length > 0))
            return Effect.fail(notEverywhere(file))
          // There is no comparison if the caller named the model, nor for embeddings, where no model is the stronger one.
          const baseline = decision.bucket === NO_BUCKET ? undefined : rules.strongest
          const captured = content?.begin(operation, input.caller, input.contentLevel)
          const logged = captured === undefined ? input : { ...input, captured }
          const context = new CallContext({ operation, input: logged, decision, permit, tokens, baseline }, services)
          if (cache === undefined) return measured(context)
          const use = cacheUse(rules.cache, input.caller, operation.name, input.cache)
          return use === undefined ? measured(context) : cached(context, cache, use)
        })

      /** A hit reserves nothing in a budget, and a failure of the cache is a miss. */
      const cached = (context: CallContext, cache: ResponseCache, use: CacheUse): AnsweringCall =>
        Effect.flatMap(secret, (secret) => {
          const call = new CachedCall(context, use, { cache, secret, versions: `${version} ${catalogue.version}` })
          context.cached = call
          return Effect.flatMap(call.find(), (hit) =>
            hit === undefined ? measured(context) : Effect.andThen(together, call.answer(hit))
          )
        })

      const measured = (context: CallContext): AnsweringCall => {
        const { request } = context.input
        if (request.media.length === 0 || !context.hasBudget) return decided(context)
        return Effect.flatMap(context.measureMedia(look(request)), () => decided(context))
      }

      const decided = (context: CallContext): AnsweringCall => {
        const { decision, input } = context
        const { attempt, failover } = rules
        const ledger = new CallLedger(context)
        const candidates = context.candidates()
        const [attempts, targets] = input.noFallback ? [1, candidates.slice(0, 1)] : [rules.attempts, candidates]
        const answering = failover(targets, attempts, (target) => attempt(ledger, target))
        return Effect.onExitPrimitive(answering, (exit) => {
          if (Exit.isFailure(exit)) return ledger.giveUp(exit.cause)
          router.answered(decision, exit.value.report.deployment.id)
          return undefined
        })
      }

      return { admit: limiter.admit, call }
    })
  )
}

const noGuardrails: CompiledGuardrails = {
  of: ({ added = [] }) => (added.length === 0 ? undefined : new GuardrailUnknown({ name: added[0]!, known: [] }))
}

/** JSON around a prompt, in estimated tokens. */
const FRAME = 64
/** The estimate assumes 3.5 bytes per token; prose may have five. */
const CERTAIN = 0.7

/** Tokens that a request's text has at least. The tokens of files are only estimated. */
const certainInput = ({ inputEstimate, mediaEstimate }: CallInput["request"]): number =>
  Math.floor(Math.max(0, inputEstimate - mediaEstimate - FRAME) * CERTAIN)

/** A file belongs to an account at one provider. */
const notEverywhere = (param: string) =>
  new InvalidField({
    param,
    message: `\`${param}\` names content that only one provider has: name the deployment as \`model\`, by its id or as <provider>/<model>, or send the content itself, a file as \`file_data\``
  })
