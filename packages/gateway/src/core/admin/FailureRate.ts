/**
 * The failure rate, the same wherever it is shown: failures divided by requests that could have failed. Refused requests and client
 * disconnects count neither way.
 */
import { Effect } from "effect"
import type { Traffic } from "./Traffic.ts"
import type { TrafficSums } from "./TrafficSums.ts"

/** Of requests, 0 to 1; null: there were none. */
export const failureRate = ({ cut, failed, ok }: Pick<TrafficSums, "cut" | "failed" | "ok">): number | null => {
  const all = ok + failed + cut
  return all === 0 ? null : (failed + cut) / all
}

/** Milliseconds that decide whether a deployment is healthy, and the failure rate from which it is not. */
export const RECENT_MS = 900_000
export const UNHEALTHY_FROM = 0.01

export interface CallCounts {
  readonly calls: number
  readonly failed: number
}

/** Of calls, 0 to 1; null: there were none. */
export const callFailureRate = (of: CallCounts | undefined): number | null =>
  of === undefined || of.calls === 0 ? null : of.failed / of.calls

/** Outcomes of calls that say nothing about the deployment: caused by the caller, or no call was made. */
const neither: ReadonlySet<string | null> = new Set(
  "client_gone bad_request context_length content_filter unsupported".split(" ")
)

/** Whether a call counts, by its outcome. */
const counts = (outcome: string | null | undefined): boolean => !neither.has(outcome ?? null)

/** The calls of each deployment since a time, in whole minutes. Times are epoch milliseconds. */
export const callsByDeployment = (traffic: Traffic["Service"], since: number, now: number) =>
  Effect.map(
    traffic.query({
      visibility: "all",
      slice: { cut: "fleet", grain: "minute", from: since, to: now + 1 },
      timeZone: "UTC",
      interval: undefined,
      groupBy: ["deployment", "error"],
      filters: {}
    }),
    ({ groups }) => {
      const found = new Map<string, CallCounts>()
      for (const { sums, values } of groups) {
        const [deployment, outcome] = values
        if (deployment === undefined || deployment === null || !counts(outcome)) continue
        const { calls, failed } = found.get(deployment) ?? { calls: 0, failed: 0 }
        found.set(deployment, {
          calls: calls + sums.attempts,
          failed: outcome === "ok" ? failed : failed + sums.attempts
        })
      }
      return found
    }
  )
