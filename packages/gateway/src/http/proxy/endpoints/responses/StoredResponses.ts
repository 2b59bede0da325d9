/** `GET` and `DELETE /v1/responses/{id}`: a stored response, whole or once more as a stream. */
import { Effect, Stream } from "effect"
import { InvalidField } from "../../../../core/domain/Errors.ts"
import { noUsage } from "../../../../core/domain/Usage.ts"
import type { JsonObject } from "../../../../core/domain/Json.ts"
import { Idempotency } from "../../../../core/kept/Idempotency.ts"
import { responseEvents } from "../../../../core/operations/responses/ResponseEvents.ts"
import { HeldBytes, type SharedCapacity, takeRoom } from "../../../../core/limits/BytesInFlight.ts"
import { ResponseStore } from "../../../../core/responses/ResponseStore.ts"
import { responsesErrors } from "../../../errors/ResponsesErrors.ts"
import { type Endpoint, type EventAnswer, json } from "../../../routing/Endpoint.ts"
import type { Background } from "./Background.ts"
import { checkInclude, numberIn, oneIn, queryOf } from "./Query.ts"

/** What a stored response takes as a stream, for each of its bytes: its events hold each text several times. */
const AS_STREAM = 2

export const storedResponseEndpoint = (inFlight: SharedCapacity, background: Background) => {
  const handle: Endpoint["handle"] = Effect.fnUntraced(function* (request, { key }) {
    const query = queryOf(request)
    const stream = yield* Effect.fromResult(oneIn(query, "stream", ["true", "false"]))
    const after = yield* Effect.fromResult(numberIn(query, "starting_after", 0, Infinity))
    yield* Effect.fromResult(checkInclude(query))
    const { body } = yield* background.find(key.id, request.params["id"]!)
    const isStream = stream === "true"
    if (isStream && !/"status":"(?:completed|incomplete)"/.test(body)) {
      const message = "the response is not complete and has no events: read it without `stream`"
      return yield* new InvalidField({ param: "stream", message })
    }
    request.held = new HeldBytes(inFlight, key.id)
    yield* takeRoom(request.held, Buffer.byteLength(body) * (isStream ? AS_STREAM : 1))
    return isStream ? replayed(body, after) : { kind: "json", status: 200, headers: {}, text: body }
  })
  return { method: "GET", path: "/v1/responses/{id}", errors: responsesErrors, handle } satisfies Endpoint
}

export const deleteResponseEndpoint = Effect.fnUntraced(function* (background: Background) {
  const store = yield* ResponseStore
  const idempotency = yield* Idempotency

  const handle: Endpoint["handle"] = Effect.fnUntraced(function* ({ params }, { key }) {
    const id = params["id"]!
    yield* Effect.ignore(background.cancel(key.id, id))
    yield* store.remove(key.id, id)
    yield* idempotency.erase(key.id, id)
    return json({ id, object: "response", deleted: true })
  })
  return { method: "DELETE", path: "/v1/responses/{id}", handle } satisfies Endpoint
})

/** Its events, numbered anew, with each text in one piece. A client that has seen as many gets the last one again. */
export const replayed = (body: string, after = -1): EventAnswer => {
  const events = responseEvents({ body: JSON.parse(body), usage: noUsage }).flatMap((event) =>
    "data" in event && event.data !== "" ? [JSON.parse(event.data) as Numbered] : []
  )
  const last = events.at(-1)!
  const rest = events.filter(({ sequence_number }) => sequence_number > after)
  const shown = rest.length > 0 ? rest : [{ ...last, sequence_number: after + 1 }]
  return {
    kind: "stream",
    headers: {},
    events: Stream.fromIterable(shown.map((event) => `event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`)),
    announced: "",
    trailers: () => undefined
  }
}

type Numbered = JsonObject & { readonly type: string; readonly sequence_number: number }
