/** How the writer of the store fares. */
import { Effect, Layer } from "effect"
import { StoreHealth } from "../../../core/domain/StoreHealth.ts"
import { Writer } from "../writer/Writer.ts"

export const layer = Layer.effect(
  StoreHealth,
  Effect.map(Writer, (writer) => ({
    trouble: () => {
      const { times, trouble } = writer
      if (trouble === undefined) return undefined
      return { message: trouble.message, since: times.troubleSince! }
    },
    lagMs: () => writer.times.lagMs(),
    lastCommitMs: () => writer.times.lastCommitMs,
    commits: () => writer.commits
  }))
)
