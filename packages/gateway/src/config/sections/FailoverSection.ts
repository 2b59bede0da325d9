/** `failover`: retries, the order of deployments, sessions and abandoned streams. */
import { Schema } from "effect"
import { orders, type FailoverSettings } from "../../core/domain/Settings.ts"
import { duration, group, integer, oneOf, or, orEmpty, yesOrNo, camelCased } from "../SettingValues.ts"

export const Failover = group({
  attempts: integer({ from: 1, to: 10 }).pipe(or(3)),
  base_delay: duration(0).pipe(or(250)),
  order: Schema.optionalKey(oneOf("an order", orders)),
  stream_recovery: oneOf("a way to recover streams", ["cut", "buffer"]).pipe(or("cut")),
  retry_budget: group({
    percent: integer({ from: 0, to: 1_000 }).pipe(or(20)),
    extra: integer({ from: 0, to: 1_000_000 }).pipe(or(3)),
    window: duration(100).pipe(or(10_000))
  }).pipe(orEmpty),
  session_affinity: yesOrNo.pipe(or(true)),
  finish_abandoned: duration(0).pipe(or(5_000))
})

export const failoverSettings = (read: typeof Failover.Type): FailoverSettings => {
  const { base_delay, finish_abandoned, order, retry_budget, ...same } = read
  return {
    ...camelCased(same),
    order,
    baseDelayMs: base_delay,
    retryBudget: { percent: retry_budget.percent, extra: retry_budget.extra, windowMs: retry_budget.window },
    finishAbandonedMs: finish_abandoned
  }
}
