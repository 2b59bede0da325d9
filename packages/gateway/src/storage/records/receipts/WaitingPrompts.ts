/** Kept prompts on their way to disk with the receipts of their requests. */
import type { KeptPrompt } from "../../../core/receipts/KeptPrompt.ts"

/** Prompts that wait to be written, by request ID. */
export type Prompts = ReadonlyMap<string, KeptPrompt>

/** The most characters that wait: many seconds of a busy gateway. Prompts beyond it are not kept. */
const MOST = 16_000_000

export class WaitingPrompts {
  readonly byRequest = new Map<string, KeptPrompt>()
  private characters = 0

  add(requestId: string, kept: KeptPrompt): void {
    if (this.characters + kept.body.length > MOST) return
    this.characters += kept.body.length
    this.byRequest.set(requestId, kept)
  }

  /** They are written, or lost. */
  drop(requestIds: ReadonlyArray<string>): void {
    if (this.byRequest.size === 0) return
    for (const requestId of requestIds) {
      const kept = this.byRequest.get(requestId)
      if (kept === undefined) continue
      this.characters -= kept.body.length
      this.byRequest.delete(requestId)
    }
  }
}
