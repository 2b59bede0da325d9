/** `/admin/route/explain`: a decision that nobody acts on. */
import type { IncomingMessage } from "node:http"
import * as NodeHttpServerRequest from "@effect/platform-node/NodeHttpServerRequest"
import { RouteQuestion, ServedApi } from "@model-gateway/protocol"
import { Clock, Effect, Predicate, Schema } from "effect"
import type { HttpServerRequest } from "effect/http"
import { HttpApiBuilder } from "effect/http-api"
import { InvalidField } from "../../core/Errors.ts"
import { type Caller, KeyStore } from "../../core/KeyStore.ts"
import { parseRouted } from "../../core/ParseRouted.ts"
import { Router } from "../../core/Router.ts"
import { AUTO } from "../../core/Sift.ts"
import { answering } from "../Answer.ts"
import { readJson } from "../proxy/ReadBody.ts"
import { invalidField } from "../SchemaProblems.ts"
import { wireExplanation } from "./ExplanationRecords.ts"

/** As much as the longest prompts that anybody routes. */
const MAX_BYTES = 32 * 1024 * 1024

const strict = { onExcessProperty: "error", errors: "all" } as const
const decode = Schema.decodeUnknownEffect(RouteQuestion, strict)
const besides: ReadonlyArray<string> = ["endpoint", "key", "prefer", "session_id"]

export const routingHandlers = HttpApiBuilder.group(
  ServedApi,
  "routing",
  Effect.fnUntraced(function* (handlers) {
    const router = yield* Router
    const keys = yield* KeyStore

    /** The caller behind the id of a key, whatever its status. */
    const callerOf = Effect.fnUntraced(function* (id: string | undefined) {
      if (id === undefined) return everybody
      const key = yield* keys.get(id)
      if (key.team === null) return { key, team: undefined }
      // Keys may name teams that nobody configured.
      const team = yield* Effect.catchTag(keys.team(key.team), "NotFound", () => Effect.undefined)
      return { key, team } satisfies Caller as Caller
    })

    const explain = Effect.fnUntraced(function* (request: HttpServerRequest.HttpServerRequest) {
      // The server speaks HTTP/1.1 only.
      const incoming = NodeHttpServerRequest.toIncomingMessage(request) as IncomingMessage
      const { bytes, value } = yield* readJson(incoming, MAX_BYTES)
      const question = yield* questionIn(value)
      const { endpoint = "/v1/chat/completions", key, prefer, session_id: sessionId } = question
      const body = "model" in question.request ? question.request : { model: AUTO, ...question.request }
      const asked = yield* Effect.fromResult(parseRouted(endpoint, body, bytes))
      const explanation = yield* router.explain(asked, yield* callerOf(key), { prefer, sessionId })
      return wireExplanation(explanation, asked, endpoint, prefer, yield* Clock.currentTimeMillis)
    })

    return handlers.handleRaw("explainRoute", ({ request }) => answering(explain(request)))
  })
)

/** A question, or the bare body of a chat request. */
const questionIn = (value: unknown): Effect.Effect<RouteQuestion, InvalidField> => {
  if (Predicate.hasProperty(value, "request")) return Effect.mapError(decode(value), invalidField)
  if (!Predicate.isObject(value) || Array.isArray(value)) {
    return Effect.fail(new InvalidField({ param: "body", message: "the body must be a JSON object" }))
  }
  const beside = besides.find((name) => name in value)
  if (beside === undefined) return Effect.succeed({ request: value as RouteQuestion["request"] })
  const message = `\`${beside}\` stands beside a request, not in it: send {"request": {…}, "${beside}": …}`
  return Effect.fail(new InvalidField({ param: beside, message }))
}

/** Who may use everything. */
const everybody: Caller = {
  team: undefined,
  key: {
    id: "",
    name: null,
    team: null,
    models: [],
    limits: { rpm: undefined, tpm: undefined, maxParallel: undefined },
    budgets: [],
    tags: [],
    metadata: {},
    onUnknownPrice: "allow",
    disabled: false,
    createdAt: 0,
    updatedAt: 0,
    expiresAt: null,
    revokedAt: null,
    lastUsedAt: null
  }
}
