/** A check by a receiver of the operator, which is not asked for a while when it fails. */
import { type Verdict, type VerdictQuestion, verdictOf, verdictQuestion } from "@model-gateway/protocol"
import { Clock, Effect, Result } from "effect"
import { webhookHeaders } from "../admin/AlertMessage.ts"
import { NotDelivered, type WebhookSender } from "../admin/WebhookSender.ts"
import { steadyMs } from "../collections/Steady.ts"
import type { WebhookSettings } from "../domain/Guardrail.ts"

/** Of a response. */
const MOST_BYTES = 1_048_576
/** So many failures in a row, and it is not asked for a while. */
const MOST_FAILURES = 5
const PAUSE_MS = 10_000

/** When receivers are called again, by a monotonic clock in milliseconds. */
const pauses = new WeakMap<WebhookSettings, number>()

/** Seconds until the receiver is called again; 0: it is called. */
export const pausedSeconds = (check: WebhookSettings, clock: Clock.Clock): number =>
  Math.max(0, Math.ceil(((pauses.get(check) ?? 0) - steadyMs(clock)) / 1000))

export class WebhookCheck {
  readonly settings: WebhookSettings
  private readonly sender: WebhookSender["Service"]
  private failures = 0

  constructor(settings: WebhookSettings, sender: WebhookSender["Service"]) {
    this.settings = settings
    this.sender = sender
  }

  decide(question: VerdictQuestion): Effect.Effect<Verdict, NotDelivered> {
    return Effect.gen({ self: this }, function* () {
      const { allowPrivate, name, secret, timeoutMs, url } = this.settings
      const clock = yield* Clock.Clock
      if (pausedSeconds(this.settings, clock) > 0)
        return yield* new NotDelivered({ message: "the receiver failed before" })
      const body = verdictQuestion(question)
      const headers = webhookHeaders(body, secret, clock.currentTimeMillisUnsafe())
      const webhook = { url, headers, body, allowPrivate, timeoutMs, mostBytes: MOST_BYTES }
      const decided = yield* Effect.result(
        Effect.flatMap(this.sender.send(webhook), (reply) =>
          Effect.mapError(
            Effect.fromResult(verdictOf(reply, question.texts)),
            (message) => new NotDelivered({ message })
          )
        )
      )
      this.failures = Result.isSuccess(decided) ? 0 : this.failures + 1
      if (this.failures >= MOST_FAILURES) {
        this.failures = 0
        pauses.set(this.settings, steadyMs(clock) + PAUSE_MS)
      }
      if (Result.isFailure(decided)) {
        yield* Effect.logWarning(`guardrail ${name} gave no verdict: ${decided.failure.message}`)
      }
      return yield* Effect.fromResult(decided)
    })
  }
}
