/**
 * One request from start to end: the limits admit it, the router decides, the ledger reserves, a provider answers (or failover
 * asks the next one), the ledger settles, the caller gets the answer.
 */
import { Clock, Context, Effect, Exit, Layer, type Scope } from "effect"
import { type Baseline, strongestOf } from "../ledger/Savings.ts"
import { type Decision, NO_BUCKET } from "../routing/Decision.ts"
import { CallAccount } from "./CallAccount.ts"
import { EXPECTED_OUTPUT } from "../routing/ExpectedCost.ts"
import { type Attempt, makeFailover } from "./Failover.ts"
import {
  type BudgetExceeded,
  type Exhausted,
  InvalidField,
  type RateLimited,
  type StoreUnavailable
} from "../domain/Errors.ts"
import type { ProviderFailure, Unsupported } from "../domain/Failures.ts"
import { Fleet } from "../domain/Fleet.ts"
import type { Usage } from "../domain/Usage.ts"
import { onFailure } from "../effects/OnFailure.ts"
import { quietly } from "../effects/Quietly.ts"
import { hasBudget, needsLook } from "../bounds/Bounds.ts"
import { hostedTools, withMaxUses } from "../bounds/HostedTools.ts"
import { measure } from "../media/Measure.ts"
import { RemoteImage } from "../operations/RemoteImage.ts"
import { learningLimits, OutputLimits } from "./OutputLimits.ts"
import type { Operation } from "../operations/Operation.ts"
import { unseen } from "../operations/ProducedText.ts"
import type { UpstreamCall } from "../pool/Protocol.ts"
import { type Completion, ProviderPool } from "../pool/ProviderPool.ts"
import { type Permit, RateLimiter } from "../limits/RateLimiter.ts"
import { ReceiptEvents } from "../receipts/ReceiptEvents.ts"
import { Router } from "../routing/Router.ts"
import type { Reservation } from "../ledger/Reservation.ts"
import { SpendLedger } from "../ledger/SpendLedger.ts"
import { streamAnswer } from "./StreamAnswer.ts"
import type { CallInput, Answer, GatewayError } from "./CallInput.ts"

type Restore = <A, E, R>(effect: Effect.Effect<A, E, R>) => Effect.Effect<A, E, R>
type Answering = Effect.Effect<Answer, GatewayError, Scope.Scope>
/** Of an attempt. */
type Failure = BudgetExceeded | StoreUnavailable | Exhausted | ProviderFailure | Unsupported

/** What an attempt asks, and whom. */
interface Asking {
  readonly call: UpstreamCall
  readonly pool: ProviderPool["Service"]
  readonly endTells: boolean
}

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
          const answering = Effect.suspend(() => answered(operation, input, permit))
          return onFailure(answering, () => quietly(permit.settle(0)))
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

      const answered = (operation: Operation, input: CallInput, permit: Permit): Answering =>
        Effect.flatMapEager(
          router.decide(input.request, input.caller, input, operation.name),
          (decision): Answering => {
            const { media, model } = input.request
            const file = media.length === 0 ? undefined : media.find((part) => part.fileId !== undefined)?.fileId
            if (file !== undefined && !router.isPinned(model)) return Effect.fail(notEverywhere(file))
            // There is no comparison if the caller named the model, nor for embeddings, where no model is the stronger one.
            const baseline = decision.bucket === NO_BUCKET ? undefined : strongest
            const { name } = operation
            const account = new CallAccount(
              name,
              input,
              decision,
              permit,
              ledger,
              pool,
              log,
              clock,
              baseline,
              outputLimits
            )
            if (media.length === 0 || !hasBudget(input.caller)) return decided(operation, account, decision)
            account.look = look(input.request)
            const measures = measure(media, needsLook(media, decision.candidates) ? account.look : undefined)
            return Effect.flatMap(measures, (found) => {
              account.measures = found
              return decided(operation, account, decision)
            })
          }
        )

      const decided = (operation: Operation, account: CallAccount, decision: Decision): Answering => {
        const attempts = account.input.noFallback ? 1 : settings.attempts
        const answering = failover(account.candidates(), attempts, (attempt) => ask(operation, account, attempt))
        return Effect.onExitPrimitive(answering, (exit) => {
          if (Exit.isFailure(exit)) return account.giveUp(exit.cause)
          router.answered(decision, exit.value.report.deployment.id)
          return undefined
        })
      }

      /** Only the wait for the provider can be interrupted: steps in the books always finish. */
      const ask = (operation: Operation, account: CallAccount, attempt: Attempt) =>
        Effect.uninterruptibleMask((restore) => asked(operation, account, attempt, restore))

      const asked = (operation: Operation, account: CallAccount, attempt: Attempt, restore: Restore) =>
        Effect.flatMapEager(account.reserve(attempt), (reservation) => {
          const asking = askingOf(operation, account, attempt, reservation)
          return account.input.request.stream
            ? streamed(operation, account, attempt, reservation, asking, restore)
            : whole(operation, account, attempt, reservation, asking, restore)
        })

      const askingOf = (
        operation: Operation,
        account: CallAccount,
        attempt: Attempt,
        reservation: Reservation
      ): Asking => {
        const { departure, request, strict } = account.input
        const isBudgeted = hasBudget(account.input.caller)
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
          hasBudget: isBudgeted,
          onLeave: departure?.hear,
          triedKeys: attempt.triedKeys,
          forward: account.input.forward
        }
        return {
          call,
          // It is not known whether this deployment accepts the output limit that the gateway chose.
          pool: request.maxOutput === undefined && call.maxOutput !== undefined ? learning : pool,
          // Only the end of the answer tells what tools read and cost that the vendor runs.
          endTells: isBudgeted && hostedTools(request, attempt.deployment).hosted.length > 0
        }
      }

      const streamed = (
        operation: Operation,
        account: CallAccount,
        attempt: Attempt,
        reservation: Reservation,
        { call, endTells, pool }: Asking,
        restore: Restore
      ): Effect.Effect<Answer, Failure, Scope.Scope> => {
        const { attempting, departure, streamRecovery = settings.streamRecovery } = account.input
        const goesOn = attempt.deployment.billsAfterDisconnect === "all" || endTells
        departure?.goesOnFor(goesOn ? Number.POSITIVE_INFINITY : settings.finishAbandonedMs)
        attempting?.(account.report(attempt, [], reservation.reserved, reservation.isBound))
        const isBuffered = streamRecovery === "buffer"
        return restore(streamAnswer(operation, account, attempt, pool, reservation, call, isBuffered))
      }

      const whole = (
        operation: Operation,
        account: CallAccount,
        attempt: Attempt,
        reservation: Reservation,
        { call, endTells, pool }: Asking,
        restore: Restore
      ): Effect.Effect<Answer, Failure, Scope.Scope> => {
        const { billsAfterDisconnect: billed = "none" } = attempt.deployment
        account.input.departure?.goesOnFor(billed === "none" && !endTells ? 0 : Number.POSITIVE_INFINITY)
        return Effect.matchEffect(restore(pool.complete(call)), {
          onFailure: (error): Effect.Effect<never, ProviderFailure | Unsupported> => {
            account.failed(reservation, error, unseen)
            return account.isCallerGone ? Effect.interrupt : Effect.fail(error)
          },
          onSuccess: (completion): Effect.Effect<Answer, StoreUnavailable> => {
            const { usage } = completion
            if (usage !== undefined) return settled(operation, account, attempt, reservation, completion, usage, false)
            const estimate = account.estimated(reservation, operation.produced(completion.body))
            return Effect.flatMap(estimate, (usage) =>
              settled(operation, account, attempt, reservation, completion, usage, true)
            )
          }
        })
      }

      const settled = (
        operation: Operation,
        account: CallAccount,
        attempt: Attempt,
        reservation: Reservation,
        completion: Completion,
        usage: Usage,
        estimated: boolean
      ): Effect.Effect<Answer, StoreUnavailable> => {
        const { isRepeatable, keep, request } = account.input
        const isGone = account.isCallerGone
        const outcome = { usage, estimated, counts: "request", serviceTier: completion.serviceTier } as const
        return Effect.flatMap(account.settle(reservation, outcome, isGone ? "client_gone" : "ok"), () => {
          if (isGone && isRepeatable !== true) return Effect.interrupt
          const report = account.report(attempt, completion.dropped)
          const answer = (): Answer => ({
            kind: "whole",
            content: operation.withMetadata(completion, usage, report, request),
            report
          })
          return keep === undefined
            ? Effect.succeed(answer())
            : Effect.map(keep(completion.body, usage, report), answer)
        })
      }

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
