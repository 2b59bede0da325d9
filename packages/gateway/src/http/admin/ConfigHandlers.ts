/** `/admin/config`. */
import { ServedApi } from "@model-gateway/protocol"
import { Effect } from "effect"
import { HttpApiBuilder } from "effect/http-api"
import { Configuration } from "../../core/domain/Configuration.ts"
import { answering } from "../Answer.ts"

export const configHandlers = HttpApiBuilder.group(
  ServedApi,
  "config",
  Effect.fnUntraced(function* (handlers) {
    const { reload } = yield* Configuration
    const reloaded = Effect.map(reload, ({ needsRestart }) => ({
      object: "config_reload" as const,
      needs_restart: needsRestart
    }))
    return handlers.handle("reloadConfig", () => answering(reloaded))
  })
)
