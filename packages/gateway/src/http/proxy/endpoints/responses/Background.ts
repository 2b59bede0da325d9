/**
 * Responses in the background (`background: true`): the caller gets the id and reads the response later. A running one is stored
 * without content; its `parent` names the gateway that runs it, without which it has failed.
 */
import { Cause, Clock, Effect, Exit, Latch, Result } from "effect"
import { Nodes } from "../../../../core/admin/Nodes.ts"
import { InvalidField } from "../../../../core/domain/Errors.ts"
import type { JsonObject } from "../../../../core/domain/Json.ts"
import type { CallRequest } from "../../../../core/operations/CallRequest.ts"
import { ownId } from "../../../../core/operations/responses/OwnIds.ts"
import { type NewResponse, ResponseStore } from "../../../../core/responses/ResponseStore.ts"
import { type EndpointError, wireError } from "../../../errors/WireError.ts"
import { type Endpoint, json } from "../../../routing/Endpoint.ts"

interface RunningResponse {
  readonly cancelled: Latch.Latch
  readonly ended: Latch.Latch
}

export type Background = Effect.Success<typeof makeBackground>

export const makeBackground = Effect.gen(function* () {
  const store = yield* ResponseStore
  const nodes = yield* Nodes
  const clock = yield* Clock.Clock
  const running = new Map<string, RunningResponse>()
  const isAlone = nodes.vitals === undefined

  /** Runs a request later. `previous`: the response that it continues. */
  const begin = Effect.fnUntraced(function* ({ body, model }: CallRequest, keyId: string, previous: string | null) {
    const id = ownId("resp")
    const self: RunningResponse = { cancelled: Latch.makeUnsafe(false), ended: Latch.makeUnsafe(false) }
    const bare: JsonObject = {
      id,
      object: "response",
      created_at: Math.floor(clock.currentTimeMillisUnsafe() / 1000),
      background: true,
      error: null,
      incomplete_details: null,
      metadata: body["metadata"] ?? {},
      model,
      output: [],
      previous_response_id: previous,
      usage: null
    }
    /** Replaces what is stored of it. */
    const put = (fields: JsonObject, parent = previous, input: NewResponse["input"] = []) =>
      store.save({ id, keyId, parent, input, answer: { ...bare, ...fields }, isAgain: true })
    const own = `${NODE}${(yield* nodes.list).nodes.find(({ isThis }) => isThis)?.id ?? 0}`
    const isStored = yield* put({ status: "in_progress" }, own)
    if (!isStored) return yield* new InvalidField({ param: "background", message: NO_ROOM })

    let isDone = false
    /** Another gateway on the store may have cancelled or deleted it. */
    const taken = Effect.sleep(LOOK_EVERY).pipe(
      Effect.andThen(store.find(keyId, id)),
      Effect.match({ onFailure: ({ _tag }) => _tag !== "NotFound", onSuccess: ({ parent }) => parent === own }),
      Effect.repeat({ while: (isMine) => isMine }),
      Effect.andThen(
        Effect.sync(() => {
          isDone = true
          self.cancelled.openUnsafe()
        })
      )
    )

    const ending = (exit: Exit.Exit<unknown, EndpointError>) => {
      if (isDone) return Effect.void
      if (self.cancelled.isOpen()) return put({ status: "cancelled" })
      if (Exit.isSuccess(exit)) return put(failed(NO_ROOM))
      const failure = Cause.findError(exit.cause)
      if (Result.isFailure(failure)) return put(failed(STOPPED))
      const { code, message } = wireError(failure.success, clock.currentTimeMillisUnsafe()).body.error
      return put(failed(message, code))
    }
    return {
      queued: json({ ...bare, status: "queued" }),
      isCancelled: () => self.cancelled.isOpen(),
      /** Stores the complete response in place of the running one. */
      keep: (answer: JsonObject, input: NewResponse["input"]) =>
        Effect.map(put({ ...answer, id, background: true }, previous, input), (isStored) => (isDone = isStored)),
      run: <A, R>(call: Effect.Effect<A, EndpointError, R>): Effect.Effect<void, never, R> => {
        running.set(id, self)
        const cancel = isAlone ? self.cancelled.await : Effect.raceFirst(self.cancelled.await, taken)
        return Effect.asVoid(call).pipe(
          Effect.raceFirst(cancel),
          Effect.onExit((exit) => Effect.ignore(ending(exit))),
          Effect.ignoreCause,
          Effect.ensuring(
            Effect.sync(() => {
              running.delete(id)
              self.ended.openUnsafe()
            })
          )
        )
      }
    }
  })

  /** The stored response. One that nobody runs any more has failed. */
  const find = Effect.fnUntraced(function* (keyId: string, id: string) {
    const row = yield* store.find(keyId, id)
    if (row.parent?.startsWith(NODE) !== true || running.has(id)) return row
    const { nodes: all } = yield* nodes.list
    const isRun = all.some((node) => `${NODE}${node.id}` === row.parent && !node.isThis && node.state !== "silent")
    return isRun ? row : { ...row, body: JSON.stringify({ ...JSON.parse(row.body), ...failed(STOPPED) }) }
  })

  const cancel = Effect.fnUntraced(function* (keyId: string, id: string) {
    const row = yield* find(keyId, id)
    const body: JsonObject = JSON.parse(row.body)
    if (body["background"] !== true) return yield* new InvalidField({ param: "id", message: NOT_IN_BACKGROUND })
    if (body["status"] !== "in_progress") return row.body
    const own = running.get(id)
    if (own === undefined) {
      const answer = { ...body, status: "cancelled" }
      yield* store.save({ id, keyId, parent: null, input: JSON.parse(row.input), answer, isAgain: true })
      return JSON.stringify(answer)
    }
    yield* own.cancelled.open
    yield* own.ended.await
    return (yield* find(keyId, id)).body
  })
  return { begin, find, cancel }
})

export const cancelResponseEndpoint = (background: Background): Endpoint => ({
  method: "POST",
  path: "/v1/responses/{id}/cancel",
  handle: ({ params }, { key }) =>
    Effect.map(background.cancel(key.id, params["id"]!), (text) => ({ kind: "json", status: 200, headers: {}, text }))
})

const NODE = "node:"
const LOOK_EVERY = "2 seconds"
const STOPPED = "The gateway process that ran this response has stopped."
const NO_ROOM =
  "The store has no room for the response (`responses.max_mb`): the caller may send it without `background`."
const NOT_IN_BACKGROUND =
  "only responses made with `background` can be cancelled: close the stream or connection instead"

const failed = (message: string, code: unknown = "server_error"): JsonObject => ({
  status: "failed",
  error: { code, message }
})
