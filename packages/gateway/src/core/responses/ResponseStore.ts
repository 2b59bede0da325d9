/** Stored responses, by key, for `previous_response_id`, `item_reference` and `GET /v1/responses/{id}`, until they expire. */
import { Clock, Context, Effect, Layer, Option, Predicate } from "effect"
import {
  InvalidField,
  type NoRoom,
  NotFound,
  PreviousResponseNotFound,
  type StoreUnavailable
} from "../domain/Errors.ts"
import type { JsonObject } from "../domain/Json.ts"
import { type HeldBytes, takeRoom } from "../limits/BytesInFlight.ts"
import { ResponseRepository, type StoredResponse } from "./ResponseRepository.ts"
import { ResponseSettings } from "./ResponseSettings.ts"

/** Milliseconds until an expired response is deleted at the latest. It is not found meanwhile. */
const PRUNE_EVERY = 60_000

export interface NewResponse extends Pick<StoredResponse, "id" | "keyId" | "parent" | "isAgain"> {
  /** The items of its own request, each with an id. */
  readonly input: ReadonlyArray<JsonObject>
  /** As the caller got it. */
  readonly answer: JsonObject
}

/** How much may be read of stored responses for one request. */
export interface ReadLimit {
  /** Of their JSON. What is larger is refused without being read. */
  readonly maxBytes: number
  /** Reserves memory for a response before it is read. */
  readonly held?: HeldBytes
}

export interface ItemPage {
  readonly items: ReadonlyArray<JsonObject>
  readonly hasMore: boolean
}

export interface ItemFilter {
  /** 1 to 100. */
  readonly limit: number
  readonly order: "asc" | "desc"
  /** The last item of the previous page. */
  readonly after: string | undefined
}

export class ResponseStore extends Context.Service<
  ResponseStore,
  {
    /** Whether responses are stored at all. */
    readonly isOn: boolean
    /** True: the response is on disk. False: the quota has no room for it. */
    readonly save: (response: NewResponse) => Effect.Effect<boolean, StoreUnavailable>
    readonly find: (keyId: string, id: string) => Effect.Effect<StoredResponse, NotFound | StoreUnavailable>
    readonly remove: (keyId: string, id: string) => Effect.Effect<void, NotFound | StoreUnavailable>
    /** All items of the conversation up to and including this response, oldest first. */
    readonly conversation: (
      keyId: string,
      id: string,
      limit: ReadLimit
    ) => Effect.Effect<ReadonlyArray<JsonObject>, PreviousResponseNotFound | InvalidField | NoRoom | StoreUnavailable>
    /** The input items of this response: those before it, and those of its own request. */
    readonly inputItems: (
      keyId: string,
      id: string,
      filter: ItemFilter,
      limit: ReadLimit
    ) => Effect.Effect<ItemPage, NotFound | InvalidField | NoRoom | StoreUnavailable>
    /** The items with these ids, as far as they are there. `limit`: of the responses that hold them. */
    readonly items: (
      keyId: string,
      itemIds: ReadonlyArray<string>,
      limit: ReadLimit
    ) => Effect.Effect<ReadonlyMap<string, JsonObject>, InvalidField | NoRoom | StoreUnavailable>
    readonly erase: (keyId: string) => Effect.Effect<void, StoreUnavailable>
  }
>()("gateway/core/ResponseStore") {
  static readonly layer = Layer.effect(
    ResponseStore,
    Effect.gen(function* () {
      const repository = yield* ResponseRepository
      const { isStored, lifetimeMs, quota } = yield* ResponseSettings

      // Without a store nothing is younger than that.
      const cutoff = Effect.map(Clock.currentTimeMillis, (now) => (isStored ? now - lifetimeMs : now + 1))
      // Sleeps as long as nothing can expire. A store in trouble is tried again, and reports its trouble by itself.
      const expiry = Effect.gen(function* () {
        const before = yield* cutoff
        const oldest = yield* repository.prune(before, quota)
        yield* Effect.sleep((oldest === undefined ? lifetimeMs : oldest - before) + PRUNE_EVERY)
      }).pipe(Effect.catch(() => Effect.sleep(PRUNE_EVERY)))
      yield* Effect.forkScoped(Effect.forever(expiry))

      const find = Effect.fn("ResponseStore.find")(function* (keyId: string, id: string) {
        const found = Option.getOrUndefined(yield* repository.find(keyId, id))
        return found !== undefined && found.createdAt >= (yield* cutoff) ? found : yield* noResponse(id)
      })

      const remove = Effect.fn("ResponseStore.remove")(function* (keyId: string, id: string) {
        yield* find(keyId, id)
        if (!(yield* repository.remove(keyId, id))) return yield* noResponse(id)
      })

      /** This response and all before it, oldest first; undefined where one of them is not there. */
      const turns = Effect.fnUntraced(function* (keyId: string, id: string, { held, maxBytes }: ReadLimit) {
        const links = yield* repository.links(keyId, id)
        const before = yield* cutoff
        if (links.at(-1)?.parent !== null || links.some(({ createdAt }) => createdAt < before)) return undefined
        const bytes = links.reduce((sum, link) => sum + link.bytes, 0)
        if (bytes > maxBytes) {
          const message = `the conversation up to ${id} is larger than a request may be: ${bytes} bytes of JSON, where ${maxBytes} are allowed`
          return yield* new InvalidField({ param: "previous_response_id", message })
        }
        yield* takeRoom(held, bytes)
        // Other work gets its turn between two of them: reading JSON takes its time.
        const found = yield* Effect.forEach(links.toReversed(), (link) =>
          Effect.andThen(Effect.yieldNow, Effect.map(repository.find(keyId, link.id), Option.map(said)))
        )
        return Option.getOrUndefined(Option.all(found))
      })

      const conversation = Effect.fn("ResponseStore.conversation")(function* (
        keyId: string,
        id: string,
        limit: ReadLimit
      ) {
        const found = yield* turns(keyId, id, limit)
        return found === undefined ? yield* new PreviousResponseNotFound({ id }) : found.flat()
      })

      const inputItems = Effect.fn("ResponseStore.inputItems")(function* (
        keyId: string,
        id: string,
        filter: ItemFilter,
        limit: ReadLimit
      ) {
        const own = yield* find(keyId, id)
        yield* takeRoom(limit.held, Buffer.byteLength(own.input))
        // If an earlier response was deleted, the response's own items remain.
        const before = own.parent === null ? undefined : yield* turns(keyId, own.parent, limit)
        const items = [...(before ?? []).flat(), ...listIn(own.input)]
        if (filter.order === "desc") items.reverse()
        const from = filter.after === undefined ? 0 : items.findIndex((item) => item["id"] === filter.after) + 1
        if (from === 0 && filter.after !== undefined) {
          const message = `\`after\` names no input item of ${id}: ${filter.after}`
          return yield* new InvalidField({ param: "after", message })
        }
        const page = items.slice(from, from + filter.limit)
        return { items: page, hasMore: from + page.length < items.length }
      })

      const items = Effect.fn("ResponseStore.items")(function* (
        keyId: string,
        itemIds: ReadonlyArray<string>,
        { held, maxBytes: most }: ReadLimit
      ) {
        const before = yield* cutoff
        // Several items of one response are read with it, once.
        const holders = new Map<string, number>()
        const wanted = new Map<string, string>()
        for (const itemId of new Set(itemIds)) {
          const link = Option.getOrUndefined(yield* repository.withItem(keyId, itemId))
          if (link === undefined || link.createdAt < before) continue
          holders.set(link.id, link.bytes)
          wanted.set(itemId, link.id)
        }
        const bytes = Array.from(holders.values()).reduce((sum, one) => sum + one, 0)
        if (bytes > most) {
          const message = `the items that \`input\` refers to are in responses of ${bytes} bytes of JSON, where ${most} are allowed: send the items themselves`
          return yield* new InvalidField({ param: "input", message })
        }
        yield* takeRoom(held, bytes)
        const found = new Map<string, JsonObject>()
        for (const id of holders.keys()) {
          yield* Effect.yieldNow
          const held = Option.match(yield* repository.find(keyId, id), { onNone: () => [], onSome: said })
          for (const item of held) {
            const itemId = item["id"]
            if (typeof itemId === "string" && wanted.get(itemId) === id && !found.has(itemId)) found.set(itemId, item)
          }
        }
        return found
      })

      return {
        isOn: isStored,
        save: Effect.fn("ResponseStore.save")(function* ({ answer, input, ...response }: NewResponse) {
          const createdAt = yield* Clock.currentTimeMillis
          const texts = { input: JSON.stringify(input), body: JSON.stringify(answer) }
          const itemIds = [...input, ...objects(answer["output"])].flatMap((item) => item["id"] ?? [])
          const ids = itemIds.filter((one): one is string => typeof one === "string")
          return yield* repository.save({ ...response, createdAt, ...texts }, ids, quota)
        }),
        find,
        remove,
        conversation,
        inputItems,
        items,
        erase: repository.erase
      }
    })
  )
}

/** For unknown, deleted and expired ones and those of other keys alike. */
const noResponse = (id: string) => new NotFound({ what: "response", id })

/** Items of the request and of the response. */
const said = ({ body, input }: StoredResponse): ReadonlyArray<JsonObject> => [...listIn(input), ...outputOf(body)]

const outputOf = (body: string): ReadonlyArray<JsonObject> => {
  const response: unknown = JSON.parse(body)
  return Predicate.hasProperty(response, "output") ? objects(response.output) : []
}

const listIn = (text: string): ReadonlyArray<JsonObject> => objects(JSON.parse(text))

const objects = (value: unknown): ReadonlyArray<JsonObject> =>
  Array.isArray(value) ? value.filter((one): one is JsonObject => Predicate.isObject(one)) : []
