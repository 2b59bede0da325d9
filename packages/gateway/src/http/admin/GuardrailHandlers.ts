/** `/admin/guardrails`. */
import { guardrailActions, type GuardrailList, ServedApi } from "@model-gateway/protocol"
import { Clock, Effect } from "effect"
import { HttpApiBuilder } from "effect/http-api"
import { FleetInForce } from "../../core/domain/Fleet.ts"
import type { GuardrailSettings } from "../../core/domain/Guardrail.ts"
import { pausedSeconds } from "../../core/guardrails/WebhookCheck.ts"
import { ReceiptEvents } from "../../core/receipts/ReceiptEvents.ts"
import { answering } from "../shared/Answer.ts"

export const guardrailHandlers = HttpApiBuilder.group(
  ServedApi,
  "guardrails",
  Effect.fnUntraced(function* (handlers) {
    const counts = new Map<string, Record<(typeof guardrailActions)[number], number>>()
    const none = () => ({ pass: 0, flag: 0, mask: 0, error_allowed: 0, error_denied: 0, deny: 0 })
    let settings: GuardrailSettings | undefined
    const { follow } = yield* FleetInForce
    follow(({ guardrails }) => (settings = guardrails))
    const { listen } = yield* ReceiptEvents
    listen(({ guardrails = [] }) => {
      for (const { action, check } of guardrails) {
        const known = counts.get(check) ?? none()
        known[action]++
        counts.set(check, known)
      }
    })

    const list = Effect.map(Clock.Clock, (clock): GuardrailList => {
      const { always = [], checks = [], keys = [], policies = [], teams = [] } = settings ?? {}
      return {
        object: "guardrails",
        checks: checks.map((check) => ({
          name: check.name,
          kind: check.kind,
          action: check.kind === "webhook" ? null : check.action,
          on_error: check.kind === "webhook" ? check.onError : null,
          paused_seconds: check.kind === "webhook" ? pausedSeconds(check, clock) : 0,
          verdicts: counts.get(check.name) ?? none()
        })),
        policies: Array.from(policies, ([name, policy]) => ({ name, ...policy })),
        always,
        teams: Object.fromEntries(teams),
        keys: Object.fromEntries(keys)
      }
    })

    return handlers.handle("listGuardrails", () => answering(list))
  })
)
