/** `/admin/cache`. */
import { ServedApi } from "@model-gateway/protocol"
import { Effect } from "effect"
import { HttpApiBuilder } from "effect/http-api"
import { InvalidField } from "../../core/domain/Errors.ts"
import { CachedResponses } from "../../core/kept/KeptResponses.ts"
import { answering } from "../shared/Answer.ts"
import { listOf, type QueryOf } from "./AdminPages.ts"
import { makeNote } from "./access/Audited.ts"

export const cacheHandlers = HttpApiBuilder.group(
  ServedApi,
  "cache",
  Effect.fnUntraced(function* (handlers) {
    const cached = yield* CachedResponses
    const note = yield* makeNote

    const list = Effect.map(cached.held, (held) =>
      listOf(
        held.map(({ bytes, entries, keyId }) => ({
          owner: keyId.startsWith("team:") ? keyId : `key:${keyId}`,
          entries,
          bytes
        }))
      )
    )

    const purge = Effect.fnUntraced(function* (query: QueryOf<"purgeCache">) {
      const { all, key, model, team } = query
      if (Object.keys(query).length === 0 || (key !== undefined && team !== undefined)) {
        const message = "Name what to delete: `key` or `team`, `model`, or `all=true`."
        return yield* new InvalidField({ param: key === undefined ? "all" : "team", message })
      }
      const keyId = team === undefined ? key : `team:${team}`
      const what = all === undefined ? { keyId, model } : {}
      yield* cached.erase(what)
      yield* note("cache.purge", keyId ?? "", null, query)
      return yield* list
    })

    return handlers
      .handle("listCache", () => answering(list))
      .handle("purgeCache", ({ query }) => answering(purge(query)))
  })
)
