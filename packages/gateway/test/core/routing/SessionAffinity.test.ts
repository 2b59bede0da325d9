import { assert, describe, it } from "@effect/vitest"
import { SessionAffinity, type Visit } from "../../../src/core/routing/SessionAffinity.ts"
import { sessionOf } from "../../../src/core/operations/Session.ts"
import { standings } from "./Pool.ts"
import { chatRequest, deployment } from "../call/Support.ts"

const a = deployment("x/a")
const b = deployment("x/b")
const c = deployment("x/c")
const fleet = [a, b, c]
const HOUR = 3_600_000

const visit = (fields: Partial<Visit> = {}): Visit => ({
  keyId: "key_1",
  route: "fast",
  request: chatRequest(),
  sessionId: "s",
  ...fields
})

const ids = (list: ReadonlyArray<{ readonly id: string }>) => list.map(({ id }) => id)

describe("Affinity", () => {
  const pool = standings({})
  const keyOf = (fields: Partial<Visit> = {}) => new SessionAffinity().keyOf(visit(fields), "weight", 3)!

  it("puts the session's deployment first, and the others as they were", () => {
    const affinity = new SessionAffinity()
    const affinityKey = keyOf()
    assert.deepStrictEqual(ids(affinity.arrange(fleet, affinityKey, pool, 0)), ["x/a", "x/b", "x/c"])
    affinity.keep(affinityKey, "x/c", 0)
    assert.deepStrictEqual(ids(affinity.arrange(fleet, affinityKey, pool, 1)), ["x/c", "x/a", "x/b"])
    affinity.keep(affinityKey, "x/b", 2)
    assert.deepStrictEqual(ids(affinity.arrange(fleet, affinityKey, pool, 3)), ["x/b", "x/a", "x/c"])
  })

  it("leaves it where it is not ready or does not serve the request", () => {
    const affinity = new SessionAffinity()
    affinity.keep(keyOf(), "x/c", 0)
    const busy = standings({ "x/c": { isReady: false } })
    assert.deepStrictEqual(ids(affinity.arrange(fleet, keyOf(), busy, 0)), ["x/a", "x/b", "x/c"])
    assert.deepStrictEqual(ids(affinity.arrange([a, b], keyOf(), pool, 0)), ["x/a", "x/b"])
  })

  it("keeps keys, models and sessions apart, whatever they are called", () => {
    const keys = [
      keyOf(),
      keyOf({ keyId: "key_2" }),
      keyOf({ route: "slow" }),
      keyOf({ sessionId: "t" }),
      keyOf({ sessionId: undefined, request: chatRequest({ prompt_cache_key: "s" }) }),
      keyOf({ sessionId: undefined })
    ]
    assert.strictEqual(new Set(keys).size, keys.length)
  })

  it("has no affinityKey where there is nothing to choose", () => {
    assert.isUndefined(new SessionAffinity().keyOf(visit(), "weight", 1))
  })

  it("follows a named session in every order, a conversation only where it would wander", () => {
    const affinity = new SessionAffinity()
    for (const order of ["listed", "weight", "least_busy", "latency", "cost", "priority"] as const) {
      assert.isDefined(affinity.keyOf(visit(), order, 2), order)
      const wanders = order === "weight" || order === "least_busy" || order === "latency"
      assert.strictEqual(affinity.keyOf(visit({ sessionId: undefined }), order, 2) !== undefined, wanders, order)
    }
  })

  it("forgets a session an hour after its last use", () => {
    const affinity = new SessionAffinity()
    affinity.keep("s", "x/c", 0)
    affinity.keep("s", "x/c", HOUR - 1)
    assert.strictEqual(affinity.arrange(fleet, "s", pool, 2 * HOUR - 2)[0], c)
    assert.strictEqual(affinity.arrange(fleet, "s", pool, 2 * HOUR)[0], a)
  })

  it("remembers so many sessions and no more: the longest unused goes", () => {
    const affinity = new SessionAffinity(100)
    for (let i = 0; i < 100; i++) affinity.keep(`s${i}`, "x/c", i)
    affinity.keep("s0", "x/c", 120_000)
    for (let i = 100; i < 150; i++) affinity.keep(`s${i}`, "x/c", 120_000 + i)
    assert.strictEqual(affinity.size, 100)
    assert.strictEqual(affinity.arrange(fleet, "s0", pool, 130_000)[0], c)
    assert.strictEqual(affinity.arrange(fleet, "s50", pool, 130_000)[0], a)
    assert.strictEqual(affinity.arrange(fleet, "s51", pool, 130_000)[0], c)
  })

  it("lets go of what is too old while new sessions come", () => {
    const affinity = new SessionAffinity()
    for (let i = 0; i < 1_000; i++) affinity.keep(`old${i}`, "x/c", i)
    for (let i = 0; i < 1_000; i++) affinity.keep(`new${i}`, "x/c", 2 * HOUR + i)
    assert.strictEqual(affinity.size, 1_000)
  })
})

describe("sessionOf", () => {
  const messages = (...list: ReadonlyArray<readonly [string, unknown]>) =>
    chatRequest({ messages: list.map(([role, content]) => ({ role, content })) })
  const recognised = (request: ReturnType<typeof chatRequest>) => sessionOf(request, undefined, true)
  const opening = [
    ["system", "You are kind."],
    ["user", "Hello"]
  ] as const

  it("is what the header says, else the cache key, else how the conversation begins", () => {
    const request = chatRequest({ prompt_cache_key: "cache" })
    assert.strictEqual(sessionOf(request, "mine", true), "id mine")
    assert.strictEqual(sessionOf(request, undefined, true), "key cache")
    assert.isDefined(recognised(chatRequest()))
    assert.isUndefined(sessionOf(chatRequest(), undefined, false))
    for (const nothing of ["", null, 7]) {
      assert.match(recognised(chatRequest({ prompt_cache_key: nothing })) ?? "", /^hash/)
    }
  })

  it("is the same at every turn of a conversation", () => {
    const first = recognised(messages(...opening))
    const later = recognised(messages(...opening, ["assistant", "Hi"], ["user", "How are you?"]))
    assert.strictEqual(later, first)
    const parts = [{ type: "text", text: "Hello" }]
    assert.strictEqual(recognised(messages(opening[0], ["user", parts])), first)
  })

  it("differs with the system prompt and with the first message, wherever in them", () => {
    const long = "x".repeat(5_000)
    const seen = [
      messages(...opening),
      messages(["system", "You are rude."], ["user", "Hello"]),
      messages(["user", "Hello"]),
      messages(["user", "Hello there"]),
      messages(["user", `${long}a`]),
      messages(["user", `${long}b`]),
      messages(["user", `a${long}`]),
      messages(["user", `x${long}x`])
    ].map(recognised)
    assert.strictEqual(new Set(seen).size, seen.length)
  })

  it("is short however long its key is, and none without a user", () => {
    const key = (end: string) => chatRequest({ prompt_cache_key: "k".repeat(1e6) + end })
    assert.isBelow(recognised(key("a"))!.length, 40)
    assert.notStrictEqual(recognised(key("a")), recognised(key("b")))
    assert.isUndefined(recognised(messages(["system", "Hello"])))
  })
})
