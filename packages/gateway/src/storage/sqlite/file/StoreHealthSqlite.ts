/** The health of the store's writer. */
import { Effect, Layer } from "effect"
import { StoreHealth } from "../../../core/domain/StoreHealth.ts"
import { LATEST } from "../../migrations/SqliteMigrations.ts"
import { Writer } from "../writer/Writer.ts"

export const layer = Layer.effect(
  StoreHealth,
  Effect.map(Writer, (writer) => ({
    file: () => {
      const pragma = (name: string) => Number(Object.values(writer.db.prepare(`PRAGMA ${name}`).get() ?? {})[0] ?? 0)
      return {
        path: writer.db.location(),
        bytes: pragma("page_count") * pragma("page_size"),
        schema: LATEST
      }
    },
    trouble: () => {
      const { times, trouble } = writer
      if (trouble === undefined) return undefined
      return { message: trouble.message, since: times.troubleSince!, reason: "refused" as const }
    },
    lagMs: () => writer.times.lagMs(),
    lastCommitMs: () => writer.times.lastCommitMs,
    commits: () => writer.commits
  }))
)
