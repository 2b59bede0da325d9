/** How the way to Postgres fares. */
import { Effect, Layer } from "effect"
import { StoreHealth } from "../../../core/domain/StoreHealth.ts"
import { Flusher } from "../ledger/Flusher.ts"
import { LATEST } from "../migrations/PostgresMigrations.ts"
import { Node } from "../nodes/Node.ts"

export const layer = Layer.effect(
  StoreHealth,
  Effect.gen(function* () {
    const flusher = yield* Flusher
    const node = yield* Node
    const trouble = () => {
      const trouble = flusher.trouble ?? node.trouble()
      if (trouble === undefined) return undefined
      return {
        message: trouble.message,
        reason: trouble.reason ?? ("refused" as const),
        since: flusher.trouble === undefined ? node.heardAt() : flusher.troubleSince
      }
    }
    return {
      file: () => ({ path: null, bytes: 0, schema: LATEST }),
      trouble,
      lagMs: () => flusher.lagMs(),
      lastCommitMs: () => flusher.lastMs,
      commits: () => flusher.groups
    }
  })
)
