/** A request with its whole conversation: `previous_response_id`, `item_reference` and summaries, readable at any provider. */
import { Effect, type Result } from "effect"
import { InvalidField, type NoRoom, PreviousResponseNotFound, type StoreUnavailable } from "../domain/Errors.ts"
import type { JsonObject } from "../domain/Json.ts"
import type { CallRequest } from "../operations/CallRequest.ts"
import { responses } from "../operations/responses/Responses.ts"
import { isCompacted, unsealed } from "./Compaction.ts"
import type { ConnectionMemory } from "./ConnectionMemory.ts"
import { itemsOf, referenceOf } from "./ResponseItems.ts"
import { type ReadLimit, ResponseStore } from "./ResponseStore.ts"

export interface Continuation {
  readonly request: CallRequest
  /** The response that it continues. */
  readonly previous: string | null
  /** The items of this request alone, references replaced by what they mean. */
  readonly own: ReadonlyArray<unknown>
  /** All items up to this request and with it. */
  readonly all: ReadonlyArray<unknown>
}

const OFF = "this gateway keeps no responses (`responses.store` is off): send the conversation as `input`"

export const makeContinuation = Effect.gen(function* () {
  const store = yield* ResponseStore

  const resolved = Effect.fnUntraced(function* (items: ReadonlyArray<unknown>, keyId: string, limit: ReadLimit) {
    const ids = items.flatMap((item) => referenceOf(item) ?? [])
    if (ids.length === 0) return items
    const found = store.isOn ? yield* store.items(keyId, ids, limit) : new Map<string, JsonObject>()
    return yield* Effect.forEach(items, (item, index) => {
      const id = referenceOf(item)
      const meant = id === undefined ? item : found.get(id)
      if (id === undefined || meant !== undefined) return Effect.succeed(meant)
      const message = store.isOn
        ? `there is no stored item \`${id.slice(0, 200)}\`: send the item itself`
        : `an \`item_reference\` can't be resolved: ${OFF}`
      return Effect.fail(new InvalidField({ param: `input[${index}].id`, message }))
    })
  })

  return Effect.fn("Continuation.of")(function* (
    request: CallRequest,
    keyId: string,
    limit: ReadLimit,
    connection?: ConnectionMemory
  ): Effect.fn.Return<Continuation, InvalidField | NoRoom | PreviousResponseNotFound | StoreUnavailable> {
    const { body } = request
    const previous = body["previous_response_id"] ?? ""
    if (typeof previous !== "string") {
      const message = "`previous_response_id` must be the ID of a response"
      return yield* new InvalidField({ param: "previous_response_id", message })
    }
    const last = connection?.last?.id === previous ? connection.last : undefined
    if (previous !== "" && last === undefined && !store.isOn) {
      if (connection !== undefined) return yield* new PreviousResponseNotFound({ id: previous })
      const message = `\`previous_response_id\` can't be used: ${OFF}`
      return yield* new InvalidField({ param: "previous_response_id", message })
    }
    const items = itemsOf(body["input"])
    const own = yield* resolved(items, keyId, limit)
    const before = previous === "" ? [] : (last?.items ?? (yield* store.conversation(keyId, previous, limit)))
    const all = [...before, ...own]
    if (previous === "" && own === items && !all.some(isCompacted)) return { request, previous: null, own, all }
    const read = yield* Effect.fromResult(withInput(request, all.map(unsealed)))
    // What only the connection remembers is no parent that others find.
    if (last?.isStored === false) return { request: read, previous: null, own: all, all }
    return { request: read, previous: previous === "" ? null : previous, own, all }
  })
})

/** Read again: what it holds, and what it can cost at most, is more than the caller sent. */
const withInput = ({ body }: CallRequest, input: ReadonlyArray<unknown>): Result.Result<CallRequest, InvalidField> => {
  const value = { ...body, input }
  return responses.read({ kind: "json", value, bytes: Buffer.byteLength(JSON.stringify(value)) })
}
