/** What sharing limits with other gateways takes, counted by who shares them, for metrics and `/admin/nodes`. */
import { Context } from "effect"
import type { SharingCounts } from "../../../core/admin/Nodes.ts"

/** Nothing is shared until somebody says what is. */
export class SharingTally implements SharingCounts {
  private counted: SharingCounts | undefined

  /** From now on these are the numbers. */
  count(counts: SharingCounts): void {
    this.counted = counts
  }

  readonly held = (): number => this.counted?.held() ?? 0
  readonly recalls = (): number => this.counted?.recalls() ?? 0
  readonly questions = (): number => this.counted?.questions() ?? 0
}

export class Sharing extends Context.Service<Sharing, SharingTally>()("gateway/storage/Sharing") {}
