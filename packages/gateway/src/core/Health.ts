/**
 * What recent real traffic says of one deployment. No probe calls: they cost money.
 */
import type { FailureClass } from "./Provider.ts"

export interface HealthReport {
  readonly circuit: "closed" | "open" | "half_open"
  readonly consecutiveFailures: number
  /** Failures over calls of the last 30 s; 0 without calls. */
  readonly errorRate: number
  /** Milliseconds; null without a successful call yet. */
  readonly latencyP50: number | null
  readonly firstTokenP50: number | null
  readonly lastError: { readonly at: number; readonly class: FailureClass; readonly message: string } | null
}
