/** Counts what sharing limits with other gateways takes, for metrics and `/admin/nodes`. */
import { Context } from "effect"
import type { SharingCounts } from "../../../core/admin/Nodes.ts"

/** Counts nothing until `count` is called. */
export class SharingTally implements SharingCounts {
  private counted: SharingCounts | undefined

  /** Uses these counts from now on. */
  count(counts: SharingCounts): void {
    this.counted = counts
  }

  readonly held = (): number => this.counted?.held() ?? 0
  readonly recalls = (): number => this.counted?.recalls() ?? 0
  readonly questions = (): number => this.counted?.questions() ?? 0
}

export class Sharing extends Context.Service<Sharing, SharingTally>()("gateway/storage/Sharing") {}
