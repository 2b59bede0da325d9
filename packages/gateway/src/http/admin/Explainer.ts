/** Explains decisions without acting on them. */
import type { RouteQuestion } from "@model-gateway/protocol"
import { Clock, Effect, Result } from "effect"
import type { Caller } from "../../core/keys/Caller.ts"
import { freshKey } from "../../core/keys/NewKey.ts"
import { KeyStore } from "../../core/keys/KeyStore.ts"
import { CurrentPrincipal, seesKey } from "../../core/domain/Principal.ts"
import { InvalidField, NotFound } from "../../core/domain/Errors.ts"
import { chat } from "../../core/operations/chat/Chat.ts"
import { withChoice } from "../../core/operations/ReadChoice.ts"
import { operationAt } from "../../core/operations/Operations.ts"
import { Router } from "../../core/routing/Router.ts"
import { AUTO } from "../../core/routing/Eligibility.ts"
import { wireExplanation } from "./ExplanationRecords.ts"

export const explainer = Effect.gen(function* () {
  const router = yield* Router
  const keys = yield* KeyStore

  /** The caller of a key id, whatever the key's status. */
  const callerOf = Effect.fnUntraced(function* (id: string | undefined) {
    const { visibility } = yield* CurrentPrincipal
    if (id === undefined && visibility === "all") return everybody
    if (id === undefined) {
      return yield* new InvalidField({ param: "key", message: "`key` must name a key of your teams." })
    }
    const key = yield* keys.get(id)
    if (!seesKey(visibility, id, key.team)) return yield* new NotFound({ what: "key", id })
    if (key.team === null) return { key, team: undefined }
    // A key may name a team that nobody configured.
    const team = yield* Effect.catchTag(keys.team(key.team), "NotFound", () => Effect.undefined)
    return { key, team } satisfies Caller as Caller
  })

  return Effect.fnUntraced(function* (question: RouteQuestion) {
    const { endpoint = "/v1/chat/completions", key, prefer, request, session_id: sessionId } = question
    const body = "model" in request ? request : { model: AUTO, ...request }
    const operation = operationAt(endpoint) ?? chat
    const bytes = Buffer.byteLength(JSON.stringify(request))
    const now = yield* Clock.currentTimeMillis
    const read = Result.flatMap(operation.read({ kind: "json", value: body, bytes }), (one) =>
      withChoice(one, () => now)
    )
    const asked = yield* Effect.fromResult(read)
    const explanation = yield* router.explain(asked, yield* callerOf(key), { prefer, sessionId }, operation.name)
    return wireExplanation(explanation, asked, endpoint, prefer, now)
  })
})

/** A caller that may use everything. */
const everybody: Caller = { team: undefined, key: freshKey("", 0) }
