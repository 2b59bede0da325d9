/** `/admin/keys`. */
import { CreateKey, RotateKey, ServedApi, UpdateKey } from "@model-gateway/protocol"
import { Clock, Effect, Semaphore } from "effect"
import { HttpApiBuilder } from "effect/http-api"
import { type Issued, KeyStore } from "../../core/keys/KeyStore.ts"
import { SpendLedger } from "../../core/ledger/SpendLedger.ts"
import { ResponseStore } from "../../core/responses/ResponseStore.ts"
import type { KeyRecord } from "../../core/keys/KeyRepository.ts"
import { answering } from "../Answer.ts"
import { toChange, toNewKey, wireKey } from "./KeyRecords.ts"
import { bodyReader } from "./RequestBody.ts"

const DEFAULT_PAGE = 100

const readNewKey = bodyReader(CreateKey)
const readPatch = bodyReader(UpdateKey)
const readRotation = bodyReader(RotateKey, { optional: true })

export const keyHandlers = HttpApiBuilder.group(
  ServedApi,
  "keys",
  Effect.fnUntraced(function* (handlers) {
    const keys = yield* KeyStore
    const ledger = yield* SpendLedger
    const responses = yield* ResponseStore
    // A patch applies to the current record, so two patches must not start from the same one.
    const patching = yield* Semaphore.make(1)

    const knownTeam = (name: string) => Effect.catchTag(keys.team(name), "NotFound", () => Effect.undefined)

    const shown = Effect.fnUntraced(function* (key: KeyRecord) {
      const team = key.team === null ? undefined : yield* knownTeam(key.team)
      const budgets = yield* ledger.budgets(`key:${key.id}`, key.budgets)
      return wireKey({ key, team }, budgets, yield* Clock.currentTimeMillis)
    })

    const withSecret = ({ record, secret }: Issued) => Effect.map(shown(record), (key) => ({ ...key, key: secret }))

    const list = Effect.fnUntraced(function* (query: {
      readonly limit?: number
      readonly after?: string
      readonly team?: string
      readonly status?: "active" | "disabled" | "expired" | "revoked"
      readonly q?: string
    }) {
      const page = yield* keys.list({
        limit: query.limit ?? DEFAULT_PAGE,
        after: query.after,
        team: query.team,
        status: query.status,
        search: query.q === "" ? undefined : query.q
      })
      return {
        object: "list" as const,
        // Budgets that are not in memory yet are read from the store in one commit.
        data: yield* Effect.forEach(page.keys, shown, { concurrency: "unbounded" }),
        has_more: page.hasMore,
        next: page.hasMore ? (page.keys.at(-1)?.id ?? null) : null
      }
    })

    const patch = Effect.fnUntraced(function* (id: string, change: UpdateKey) {
      const before = yield* keys.get(id)
      return yield* keys.update(id, yield* toChange(change, before, yield* Clock.currentTimeMillis))
    }, patching.withPermit)

    return handlers
      .handleRaw("createKey", ({ request }) =>
        Effect.gen(function* () {
          const key = yield* toNewKey(yield* readNewKey(request), yield* Clock.currentTimeMillis)
          return yield* withSecret(yield* keys.create(key))
        }).pipe(answering)
      )
      .handle("listKeys", ({ query }) => answering(list(query)))
      .handle("getKey", ({ params }) => answering(Effect.flatMap(keys.get(params.id), shown)))
      .handleRaw("updateKey", ({ params, request }) =>
        readPatch(request).pipe(
          Effect.flatMap((change) => patch(params.id, change)),
          Effect.flatMap(shown),
          answering
        )
      )
      .handle("revokeKey", ({ params }) =>
        // What was stored for it goes with it. A repeated call does what an earlier one could not finish.
        answering(Effect.flatMap(Effect.tap(keys.revoke(params.id), responses.erase(params.id)), shown))
      )
      .handleRaw("rotateKey", ({ params, request }) =>
        readRotation(request).pipe(
          Effect.flatMap(({ grace_seconds = 0 }) => keys.rotate(params.id, grace_seconds)),
          Effect.flatMap(withSecret),
          answering
        )
      )
  })
)
