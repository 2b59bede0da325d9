/** `/admin/config`. */
import { type Config, ServedApi } from "@model-gateway/protocol"
import { Effect } from "effect"
import { HttpApiBuilder } from "effect/http-api"
import { Configuration } from "../../core/domain/Configuration.ts"
import { answering } from "../shared/Answer.ts"
import { makeNote } from "./access/Audited.ts"
import { rfc3339 } from "../errors/WireFormat.ts"

export const configHandlers = HttpApiBuilder.group(
  ServedApi,
  "config",
  Effect.fnUntraced(function* (handlers) {
    const { reload, show } = yield* Configuration
    const note = yield* makeNote
    const shown = Effect.map(show, (found): Config => ({
      object: "config",
      file: found.file,
      loaded_at: rfc3339(found.loadedAt),
      fields: found.fields.map(({ column, isSecret, line, path, value }) => ({
        path,
        value,
        secret: isSecret,
        line,
        column
      })),
      warnings: found.warnings,
      problems: found.problems ?? null,
      changes: found.changes,
      needs_restart: found.needsRestart
    }))
    const reloaded = reload.pipe(
      Effect.map(({ needsRestart }) => ({ object: "config_reload" as const, needs_restart: needsRestart })),
      Effect.tap((body) => note("config.reload", "", null, { needs_restart: body.needs_restart }))
    )
    return handlers.handle("getConfig", () => answering(shown)).handle("reloadConfig", () => answering(reloaded))
  })
)
