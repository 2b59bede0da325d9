/** What happens before a call of `/v1/responses`: the conversation is put together. And after it: the response is stored. */
import { Clock, Effect } from "effect"
import { InvalidField } from "../../../../core/domain/Errors.ts"
import type { CallInput } from "../../../../core/call/CallInput.ts"
import { noUsage } from "../../../../core/domain/Usage.ts"
import type { CallRequest } from "../../../../core/operations/CallRequest.ts"
import { ownId } from "../../../../core/operations/responses/OwnIds.ts"
import { withMetadata, withUsage } from "../../../../core/operations/responses/ResponsesAnswerText.ts"
import { makeContinuation } from "../../../../core/responses/Continuation.ts"
import { itemsOf, withIds } from "../../../../core/responses/ResponseItems.ts"
import type { HeldBytes } from "../../../../core/limits/BytesInFlight.ts"
import { ResponseStore } from "../../../../core/responses/ResponseStore.ts"
import type { Caller } from "../../../../core/keys/Caller.ts"
import type { EndpointOptions, HttpRequest } from "../../../routing/Endpoint.ts"
import type { Background } from "./Background.ts"
import { replayed } from "./StoredResponses.ts"

/** The endpoint's `prepare`. */
export const prepareResponses = Effect.fnUntraced(function* (
  { maxBodyBytes }: EndpointOptions,
  background: Background
) {
  const store = yield* ResponseStore
  const continuation = yield* makeContinuation

  return Effect.fnUntraced(function* (
    asked: CallRequest,
    { key }: Caller,
    held: HeldBytes,
    { connection, departure }: HttpRequest
  ) {
    const { body } = asked
    const limit = { held, maxBytes: maxBodyBytes }
    const { all, own, previous, request } = yield* continuation(asked, key.id, limit, connection)
    if (body["generate"] === false && connection !== undefined) {
      const created = Math.floor((yield* Clock.currentTimeMillis) / 1000)
      const response = withUsage({ ...EMPTY, id: ownId("resp"), created_at: created, model: asked.model }, noUsage)
      connection.keep(String(response["id"]), all, [], false)
      return { request, answer: replayed(JSON.stringify(response)) }
    }
    const isStored = store.isOn && body["store"] !== false
    // The response says what became of it.
    const sent = isStored || body["store"] === false ? request : { ...request, body: { ...request.body, store: false } }
    if (body["background"] === true && !isStored) {
      return yield* new InvalidField({ param: "background", message: OFF })
    }
    if (!isStored && connection === undefined) return { request: sent }
    const run = body["background"] === true ? yield* background.begin(asked, key.id, previous) : undefined
    if (run !== undefined) {
      // It goes on without its caller, and keeps its slot of `max_parallel`.
      departure.goesOnFor(Number.POSITIVE_INFINITY)
      departure.holds(Effect.void)
    }
    const keep: CallInput["keep"] = (answer, usage, report, masked) => {
      const { id } = answer
      if (typeof id !== "string") return Effect.succeed(true)
      // What guardrails masked is not kept either.
      const items = masked === undefined ? all : itemsOf(masked.body["input"])
      const remember = (isStored: boolean) => connection?.keep(id, items, answer["output"], isStored)
      if (!isStored)
        return Effect.as(
          Effect.sync(() => remember(false)),
          true
        )
      const input = withIds(own.length === 0 ? own : items.slice(-own.length))
      const full = withMetadata(answer, usage, report)
      if (run !== undefined) return run.keep(full, input)
      const saved = store.save({ id, keyId: key.id, parent: previous, input, answer: full })
      return Effect.tap(saved, (isSaved) => Effect.sync(() => remember(isSaved)))
    }
    return { request: sent, keep, ...(run === undefined ? undefined : { background: run }) }
  })
})

const OFF = "`background` needs stored responses, and this gateway keeps none (`responses.store` is off)"

/** The response to a request with `generate: false`. */
const EMPTY = {
  object: "response",
  status: "completed",
  output: [],
  error: null,
  incomplete_details: null,
  store: false
}

/** For endpoints that read a conversation and whose answers are not stored. `then`: what becomes of the request. */
export const prepareConversation = (
  { maxBodyBytes }: EndpointOptions,
  then: (request: CallRequest) => CallRequest = (request) => request
) =>
  Effect.map(
    makeContinuation,
    (continuation) => (asked: CallRequest, caller: Caller, held: HeldBytes) =>
      Effect.map(continuation(asked, caller.key.id, { held, maxBytes: maxBodyBytes }), ({ request }) => ({
        request: then(request)
      }))
  )
