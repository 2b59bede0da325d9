/**
 * One request from start to end: the limits admit it, the router decides, the ledger reserves, a provider answers (or failover
 * asks the next one), the ledger settles, the caller gets the answer.
 */
import { Clock, Context, Effect, Layer, type Scope } from "effect"
import { type Baseline, strongestOf } from "../ledger/Savings.ts"
import { NO_BUCKET } from "../routing/Decision.ts"
import { CallAccount } from "./CallAccount.ts"
import { EXPECTED_OUTPUT } from "../routing/ExpectedCost.ts"
import { type Attempt, makeFailover } from "./Failover.ts"
import { InvalidField, type RateLimited, type StoreUnavailable } from "../domain/Errors.ts"
import { Fleet } from "../domain/Fleet.ts"
import { hasBudget, needsLook } from "../bounds/Bounds.ts"
import { hostedTools, withMaxUses } from "../bounds/HostedTools.ts"
import { measure } from "../media/Measure.ts"
import { RemoteImage } from "../operations/RemoteImage.ts"
import { learningLimits, OutputLimits } from "./OutputLimits.ts"
import type { Operation } from "../operations/Operation.ts"
import { unseen } from "../operations/ProducedText.ts"
import type { UpstreamCall } from "../pool/Protocol.ts"
import { ProviderPool } from "../pool/ProviderPool.ts"
import { type Permit, RateLimiter } from "../limits/RateLimiter.ts"
import { ReceiptEvents } from "../receipts/ReceiptEvents.ts"
import { Router } from "../routing/Router.ts"
import { SpendLedger } from "../ledger/SpendLedger.ts"
import { streamAnswer } from "./StreamAnswer.ts"
import type { CallInput, Answer, GatewayError } from "./CallInput.ts"

type Restore = <A, E, R>(effect: Effect.Effect<A, E, R>) => Effect.Effect<A, E, R>

export class Gateway extends Context.Service<
  Gateway,
  {
    /** The answer lives as long as the Scope: closing it closes the upstream connection and settles what was produced. */
    readonly call: (operation: Operation, input: CallInput) => Effect.Effect<Answer, GatewayError, Scope.Scope>
  }
>()("gateway/core/Gateway") {
  static readonly layer = Layer.effect(
    Gateway,
    Effect.gen(function* () {
      const limiter = yield* RateLimiter
      const router = yield* Router
      const ledger = yield* SpendLedger
      const pool = yield* ProviderPool
      const log = yield* ReceiptEvents
      const clock = yield* Clock.Clock
      const { deployments, failover: settings, router: routes } = yield* Fleet
      // Without a strongest bucket there is no price to compare with.
      const strongest: Baseline = strongestOf(routes, deployments) ?? { id: "", price: undefined }
      const failover = yield* makeFailover(settings, pool)
      const look = yield* RemoteImage
      const outputLimits = new OutputLimits()
      const learning = learningLimits(pool, outputLimits)

      const call = (operation: Operation, input: CallInput) => {
        const { caller, request } = input
        // Counts against `tpm` until the real usage is known.
        const tokens = request.inputEstimate + (request.maxOutput ?? EXPECTED_OUTPUT) * request.choices
        const admitted = Effect.catchEager(limiter.admit(caller, tokens), (error) =>
          Effect.andThen(refused(input, error), Effect.fail(error))
        )
        return Effect.flatMapEager(admitted, (permit) => {
          input.departure?.holds(permit.leave)
          // A request without an answer gives its expected tokens back.
          return Effect.onError(answered(operation, input, permit), () => Effect.ignore(permit.settle(0)))
        })
      }

      /** Nobody else hears of a request that was never routed. */
      const refused = ({ caller, endpoint, request }: CallInput, error: RateLimited | StoreUnavailable) =>
        Effect.sync(() => {
          if (error._tag !== "RateLimited" || error.kind === "feedback") return
          const { id, team } = caller.key
          const at = clock.currentTimeMillisUnsafe()
          log.refused({ at, keyId: id, team, endpoint, stream: request.stream, limit: error.kind })
        })

      const answered = Effect.fnUntraced(function* (operation: Operation, input: CallInput, permit: Permit) {
        const decision = yield* router.decide(input.request, input.caller, input, operation.name)
        const { fileId } = input.request.media.find((part) => part.fileId !== undefined) ?? {}
        if (fileId !== undefined && !router.isPinned(input.request.model)) return yield* notEverywhere(fileId)
        // There is no comparison if the caller named the model, nor for embeddings, where no model is the stronger one.
        const baseline = decision.bucket === NO_BUCKET ? undefined : strongest
        const { name } = operation
        const account = new CallAccount(name, input, decision, permit, ledger, pool, log, clock, baseline, outputLimits)
        const { media } = input.request
        if (media.length > 0 && hasBudget(input.caller)) {
          account.look = look(input.request)
          account.measures = yield* measure(media, needsLook(media, decision.candidates) ? account.look : undefined)
        }
        const attempts = input.noFallback ? 1 : settings.attempts
        const answer = yield* failover(account.candidates(), attempts, (attempt) =>
          ask(operation, account, attempt)
        ).pipe(Effect.onError((cause) => account.giveUp(cause)))
        router.answered(decision, answer.report.deployment.id)
        return answer
      })

      /** Only the wait for the provider can be interrupted: steps in the books always finish. */
      const ask = (operation: Operation, account: CallAccount, attempt: Attempt) =>
        Effect.uninterruptibleMask((restore) => asked(operation, account, attempt, restore))

      const asked = Effect.fnUntraced(function* (
        operation: Operation,
        account: CallAccount,
        attempt: Attempt,
        restore: Restore
      ) {
        const { departure, request, streamRecovery, strict } = account.input
        const { billsAfterDisconnect: billed = "none" } = attempt.deployment
        const reservation = yield* account.reserve(attempt)
        const { toolUses } = reservation
        const call: UpstreamCall = {
          operation: operation.name,
          request:
            toolUses === undefined ? request : withMaxUses(request, toolUses, attempt.deployment.bounds?.toolCalls),
          deployment: attempt.deployment,
          maxOutput: request.maxOutput ?? reservation.maxOutput,
          serviceTier: account.tierAt(attempt.deployment).send,
          strict,
          now: reservation.at,
          callerId: account.input.caller.key.id,
          hasBudget: hasBudget(account.input.caller),
          onLeave: departure?.hear,
          triedKeys: attempt.triedKeys,
          forward: account.input.forward
        }
        // It is not known whether this deployment accepts the output limit that the gateway chose.
        const asking = request.maxOutput === undefined && call.maxOutput !== undefined ? learning : pool
        // Only the end of the answer tells what tools read and cost that the vendor runs.
        const endTells = hasBudget(account.input.caller) && hostedTools(request, attempt.deployment).hosted.length > 0
        if (request.stream) {
          const goesOn = billed === "all" || endTells
          departure?.goesOnFor(goesOn ? Number.POSITIVE_INFINITY : settings.finishAbandonedMs)
          account.input.attempting?.(account.report(attempt, [], reservation.reserved, reservation.isBound))
          const buffered = (streamRecovery ?? settings.streamRecovery) === "buffer"
          return yield* restore(streamAnswer(operation, account, attempt, asking, reservation, call, buffered))
        }
        departure?.goesOnFor(billed === "none" && !endTells ? 0 : Number.POSITIVE_INFINITY)
        const completion = yield* restore(asking.complete(call)).pipe(
          Effect.catch((error) => {
            account.failed(reservation, error, unseen)
            return account.isCallerGone ? Effect.interrupt : Effect.fail(error)
          })
        )
        const estimated = completion.usage === undefined
        const usage = completion.usage ?? (yield* account.estimated(reservation, operation.produced(completion.body)))
        const isGone = account.isCallerGone
        const { serviceTier } = completion
        const outcome = { usage, estimated, counts: "request", serviceTier } as const
        yield* account.settle(reservation, outcome, isGone ? "client_gone" : "ok")
        if (isGone && account.input.isRepeatable !== true) return yield* Effect.interrupt
        const report = account.report(attempt, completion.dropped)
        if (account.input.keep !== undefined) yield* account.input.keep(completion.body, usage, report)
        return {
          kind: "whole",
          content: operation.withMetadata(completion, usage, report, request),
          report
        } satisfies Answer as Answer
      })

      return { call }
    })
  )
}

/** A file belongs to an account at one provider. */
const notEverywhere = (param: string) =>
  new InvalidField({
    param,
    message: `\`${param}\` names a file that only one provider has: name the deployment as \`model\`, by its id or as <provider>/<model>, or send the file itself as \`file_data\``
  })
