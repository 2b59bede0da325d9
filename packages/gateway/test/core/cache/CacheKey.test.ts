/** The id of an entry: equal for equal requests, another one for any other request, caller or configuration. */
import { assert, describe, it } from "@effect/vitest"
import { Clock, Effect } from "effect"
import type { Deployment } from "../../../src/core/domain/Deployment.ts"
import { type CachedRequest, cacheId } from "../../../src/core/cache/CacheKey.ts"
import { defaultCache } from "../../../src/core/domain/Cache.ts"
import type { JsonObject } from "../../../src/core/domain/Json.ts"
import { ResponseCache, cacheUse } from "../../../src/core/cache/ResponseCache.ts"
import type { CacheEntry } from "../../../src/core/cache/CacheEntry.ts"
import type { Caller } from "../../../src/core/keys/Caller.ts"
import { CachedResponses } from "../../../src/core/kept/KeptResponses.ts"
import { freshKey } from "../../../src/core/keys/NewKey.ts"
import { noUsage } from "../../../src/core/domain/Usage.ts"
import { Chance } from "../../support/Mutate.ts"
import * as SqliteStore from "../../../src/storage/sqlite/file/SqliteStore.ts"

const secret = "0".repeat(64)
const deployment = { provider: "up", model: "m", baseUrl: "https://a.example", id: "up/m" } as Deployment

const requestOf = (body: JsonObject, more: Partial<CachedRequest> = {}, stream = false): CachedRequest => ({
  owner: "key_a",
  operation: "chat",
  deployment,
  request: { body, stream } as CachedRequest["request"],
  forward: undefined,
  strict: false,
  policy: "",
  versions: "1 2",
  ...more
})

const idOf = (body: JsonObject, more?: Partial<CachedRequest>, stream?: boolean) =>
  cacheId(requestOf(body, more, stream), secret)

const body: JsonObject = {
  model: "up/m",
  messages: [{ role: "user", content: "Hi" }],
  temperature: 0.5,
  tools: [{ type: "function", function: { name: "f", parameters: { type: "object" } } }]
}

/** The same value with its members in another order. */
const shuffled = (value: unknown): unknown =>
  Array.isArray(value)
    ? value.map(shuffled)
    : typeof value === "object" && value !== null
      ? Object.fromEntries(
          Object.entries(value)
            .reverse()
            .map(([name, member]) => [name, shuffled(member)])
        )
      : value

describe("the id of a cached request", () => {
  it("is that of the same body in any order, and of any other body another one", () => {
    const chance = new Chance(43)
    const valueOf = (depth: number): unknown => {
      const kind = chance.below(depth === 0 ? 5 : 7)
      if (kind === 5) return Array.from({ length: chance.below(4) }, () => valueOf(depth - 1))
      if (kind === 6) {
        return Object.fromEntries(
          Array.from({ length: chance.below(4) }, () => [chance.pick(["a", "b", "é", '"', ""]), valueOf(depth - 1)])
        )
      }
      return [null, chance.is(0.5), chance.below(3), chance.pick(["", "a", "1", "null", "[]", "\u0000"]), 1.5][kind]
    }
    const ids = new Map<string, string>()
    for (let round = 0; round < 20_000; round++) {
      const value = valueOf(3)
      const id = idOf({ ...body, seed: value as never })!
      assert.strictEqual(idOf(shuffled({ ...body, seed: value }) as JsonObject), id)
      const text = JSON.stringify(sorted(value))
      assert.strictEqual(ids.get(id) ?? text, text)
      ids.set(id, text)
    }
    assert.strictEqual(new Set(ids.values()).size, ids.size)
    assert.isAbove(ids.size, 1_000)
  })

  it("is another one for each part that a response depends on", () => {
    const parts: ReadonlyArray<string | undefined> = [
      idOf(body),
      idOf({ ...body, temperature: 0.6 }),
      idOf({ ...body, temperature: "0.5" }),
      idOf({ ...body, messages: [{ role: "user", content: "Hi " }] }),
      idOf({ ...body, messages: [{ role: "user", content: "Hi", name: "x" }] }),
      idOf({ ...body, messages: [...(body["messages"] as Array<JsonObject>), { role: "user", content: "" }] }),
      idOf({ ...body, tools: [] }),
      idOf({ ...body, n: 1 }),
      idOf(body, {}, true),
      idOf(body, { owner: "key_b" }),
      idOf(body, { owner: "team:key_a" }),
      idOf(body, { operation: "messages" }),
      idOf(body, { deployment: { ...deployment, model: "n" } }),
      idOf(body, { deployment: { ...deployment, provider: "other" } }),
      idOf(body, { deployment: { ...deployment, baseUrl: "https://b.example" } }),
      idOf(body, { strict: true }),
      idOf(body, { policy: "p" }),
      idOf(body, { versions: "1 3" }),
      idOf(body, { forward: { "anthropic-beta": "x" } }),
      idOf(body, { forward: { "anthropic-version": "x" } }),
      cacheId(requestOf(body), "1".repeat(64))
    ]
    assert.strictEqual(new Set(parts).size, parts.length)
  })

  it("does not depend on what changes no response, unless the response repeats it", () => {
    const other = { ...body, model: "auto", user: "u", metadata: { a: "b" }, store: true, prompt_cache_key: "k" }
    assert.strictEqual(idOf(body), idOf(other))
    const responses = { operation: "responses" }
    assert.strictEqual(idOf(body, responses), idOf({ ...body, model: "auto" }, responses))
    assert.notStrictEqual(idOf(body, responses), idOf({ ...body, metadata: { a: "b" } }, responses))
  })
})

const sorted = (value: unknown): unknown =>
  Array.isArray(value)
    ? value.map(sorted)
    : typeof value === "object" && value !== null
      ? Object.entries(value)
          .map(([name, member]) => [name, sorted(member)] as const)
          .sort(([a], [b]) => (a < b ? -1 : 1))
          .reduce((members, [name, member]) => ({ ...members, [`.${name}`]: member }), {})
      : value

describe("two keys", () => {
  it.effect("of 10,000 random pairs never see each other's entry, unless their team shares", () =>
    Effect.gen(function* () {
      const cache = new ResponseCache(yield* CachedResponses, yield* Clock.Clock)
      const entry = (requestId: string): CacheEntry => ({
        at: 0,
        cost: 1,
        requestId,
        dropped: [],
        usage: noUsage,
        content: { events: [] },
        ids: []
      })
      const caller = (number: number): Caller => {
        const team = number % 3 === 0 ? null : `t${number % 7}`
        return { key: freshKey(`key_${number}`, 0, { team }), team: undefined }
      }
      const useOf = (caller: Caller, namespace: "key" | "team") =>
        cacheUse({ ...defaultCache, mode: "on", namespace }, caller, "chat", undefined)!
      const chance = new Chance(7)
      let hits = 0
      for (let pair = 0; pair < 10_000; pair++) {
        const [a, b, text] = [chance.below(400), chance.below(400), chance.below(4)]
        const namespace = chance.is(0.5) ? "team" : "key"
        const find = Effect.fnUntraced(function* (number: number) {
          const one = caller(number)
          const use = useOf(one, namespace)
          const id = idOf({ messages: [{ role: "user", content: `${text}` }] }, { owner: use.owner })!
          const found = yield* Effect.scoped(cache.find(id, use))
          if ("entry" in found) return found.entry.requestId
          const place = { keyId: one.key.id, model: "up/m", responseId: undefined }
          yield* cache.keep(found, entry(use.owner), use, place)
          return undefined
        })
        yield* find(a)
        const other = yield* find(b)
        if (other === undefined) continue
        hits++
        // What it sees was stored by the same owner.
        assert.strictEqual(other, useOf(caller(b), namespace).owner)
      }
      assert.isAbove(hits, 1_000)
    }).pipe(Effect.provide(SqliteStore.layerMemory))
  )
})
