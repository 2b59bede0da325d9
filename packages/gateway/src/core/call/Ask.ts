/**
 * One attempt: it holds the worst case, asks the provider, and books what that cost. All that every request goes through is functions and
 * not generators, for 5 % of a plain request's CPU (`npm run bench:against`).
 */
import { answerFacts } from "../receipts/TraceFacts.ts"
import { Effect, type Scope } from "effect"
import { hasBudget } from "../bounds/Bounds.ts"
import { hostedTools, withMaxUses } from "../bounds/HostedTools.ts"
import type { BudgetExceeded, Exhausted, StoreUnavailable } from "../domain/Errors.ts"
import type { ProviderFailure, Unsupported } from "../domain/Failures.ts"
import type { FailoverSettings } from "../domain/Settings.ts"
import type { Usage } from "../domain/Usage.ts"
import type { Reservation } from "../ledger/Reservation.ts"
import type { Operation } from "../operations/Operation.ts"
import { unseen } from "../operations/ProducedText.ts"
import type { UpstreamCall } from "../pool/Protocol.ts"
import type { Completion, ProviderPool } from "../pool/ProviderPool.ts"
import type { CallAccount } from "./CallAccount.ts"
import type { Answer } from "./CallInput.ts"
import type { Attempt } from "./Failover.ts"
import { learningLimits, type OutputLimits } from "./OutputLimits.ts"
import { streamAnswer } from "./StreamAnswer.ts"

type Failure = BudgetExceeded | StoreUnavailable | Exhausted | ProviderFailure | Unsupported

export type Ask = (
  operation: Operation,
  account: CallAccount,
  attempt: Attempt
) => Effect.Effect<Answer, Failure, Scope.Scope>

type Restore = <A, E, R>(effect: Effect.Effect<A, E, R>) => Effect.Effect<A, E, R>

/** An attempt that is held, and what it asks whom. */
interface Asking {
  readonly operation: Operation
  readonly account: CallAccount
  readonly attempt: Attempt
  readonly reservation: Reservation
  readonly call: UpstreamCall
  readonly pool: ProviderPool["Service"]
  /** Only the end of the answer tells what tools read and cost that the vendor runs. */
  readonly endTells: boolean
}

export const makeAsk = (
  settings: Pick<FailoverSettings, "finishAbandonedMs" | "streamRecovery">,
  pool: ProviderPool["Service"],
  outputLimits: OutputLimits
): Ask => {
  const learning = learningLimits(pool, outputLimits)

  const asking = (operation: Operation, account: CallAccount, attempt: Attempt, reservation: Reservation): Asking => {
    const { caller, departure, forward, held, strict } = account.input
    const { deployment, instead, portable, triedKeys } = attempt
    const { request } = account.sentTo(deployment)
    const { maxOutput, toolUses } = reservation
    const call: UpstreamCall = {
      operation: operation.name,
      request: toolUses === undefined ? request : withMaxUses(request, toolUses, deployment.bounds?.toolCalls),
      deployment,
      maxOutput: request.maxOutput ?? maxOutput,
      serviceTier: account.tierAt(deployment).send,
      strict,
      now: reservation.at,
      callerId: caller.key.id,
      hasBudget: hasBudget(caller),
      onLeave: departure?.hear,
      instead,
      triedKeys,
      portable,
      forward,
      held
    }
    return {
      operation,
      account,
      attempt,
      reservation,
      call,
      // It is not known whether this deployment accepts the output limit that the gateway chose.
      pool: request.maxOutput === undefined && call.maxOutput !== undefined ? learning : pool,
      endTells: call.hasBudget === true && hostedTools(request, deployment).hosted.length > 0
    }
  }

  const streamed = (asking: Asking, restore: Restore): Effect.Effect<Answer, Failure, Scope.Scope> => {
    const { account, attempt, call, endTells, operation, pool, reservation } = asking
    const { attempting, departure, streamRecovery = settings.streamRecovery } = account.input
    const goesOn = attempt.deployment.billsAfterDisconnect === "all" || endTells
    departure?.goesOnFor(goesOn ? Number.POSITIVE_INFINITY : settings.finishAbandonedMs)
    attempting?.(account.report(attempt, [], reservation.reserved, reservation.isBound))
    const isBuffered = streamRecovery === "buffer"
    return restore(streamAnswer(operation, account, attempt, pool, reservation, call, isBuffered))
  }

  const whole = (asking: Asking, restore: Restore): Effect.Effect<Answer, Failure> => {
    const { account, attempt, call, endTells, operation, pool, reservation } = asking
    const { billsAfterDisconnect: billed = "none" } = attempt.deployment
    account.input.departure?.goesOnFor(billed === "none" && !endTells ? 0 : Number.POSITIVE_INFINITY)
    return Effect.matchEffect(restore(pool.complete(call)), {
      onFailure: (error): Effect.Effect<never, ProviderFailure | Unsupported> => {
        account.failed(reservation, error, unseen)
        return account.isCallerGone ? Effect.interrupt : Effect.fail(error)
      },
      onSuccess: (completion): Effect.Effect<Answer, StoreUnavailable> => {
        const { usage } = completion
        if (usage !== undefined) return settled(asking, completion, usage, false)
        const estimate = account.estimated(reservation, operation.produced(completion.body))
        return Effect.flatMap(estimate, (usage) => settled(asking, completion, usage, true))
      }
    })
  }

  // Only the wait for the provider can be interrupted: steps in the books always finish.
  return (operation, account, attempt) =>
    Effect.uninterruptibleMask((restore) =>
      Effect.flatMap(account.reserve(attempt), (reservation) => {
        const held = asking(operation, account, attempt, reservation)
        return account.input.request.stream ? streamed(held, restore) : whole(held, restore)
      })
    )
}

const settled = (
  { account, attempt, operation, reservation }: Asking,
  completion: Completion,
  usage: Usage,
  estimated: boolean
): Effect.Effect<Answer, StoreUnavailable> => {
  const { isRepeatable, keep, request } = account.input
  const isGone = account.isCallerGone
  const { model } = completion.body
  account.notes.said(answerFacts(completion.body))
  account.adapted(attempt, completion.dropped)
  const outcome = {
    usage,
    estimated,
    counts: "request",
    serviceTier: completion.serviceTier,
    model: typeof model === "string" ? model : undefined
  } as const
  return Effect.flatMap(account.settle(reservation, outcome, isGone ? "client_gone" : "ok"), () => {
    if (isGone && isRepeatable !== true) return Effect.interrupt
    const report = account.report(attempt, completion.dropped)
    const answer = (isStored: boolean): Answer => ({
      kind: "whole",
      content: operation.withMetadata(completion, usage, { ...report, isStored }, request),
      report
    })
    return keep === undefined ? Effect.succeed(answer(true)) : Effect.map(keep(completion.body, usage, report), answer)
  })
}
