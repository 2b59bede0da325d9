/** How much of stored responses and of answers to requests with an `Idempotency-Key` is kept, and whose go first. */
import { DatabaseSync } from "node:sqlite"
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { type Answered, call } from "../support/RawHttp.ts"
import { startGateway, temporaryStore } from "../support/RunningGateway.ts"
import { completion, completionEvents, upstream } from "../support/Upstream.ts"

const KB = 1024

/** A gateway of which the disk has `free` bytes left. Each answer of its provider is 200 KB. */
const world = Effect.fnUntraced(function* (yaml = "") {
  const disk = { free: Number.MAX_SAFE_INTEGER }
  const { asked, baseUrl } = yield* upstream(({ body }, number) => {
    const text = `${number} `.padEnd(200 * KB, "x")
    return { body: body.stream === true ? completionEvents(text) : completion(text) }
  })
  const store = yield* temporaryStore
  const gateway = yield* startGateway({
    store,
    freeBytes: () => disk.free,
    yaml: `
providers: { up: { protocol: openai-chat, base_url: "${baseUrl}", api_key: none } }
deployments: [{ provider: up, model: m, price: { input: 1, output: 2 } }]
${yaml}`
  })
  const respond = (key: string, fields: object = {}) =>
    call(gateway.url, { path: "/v1/responses", key, body: { model: "up/m", input: "Hi", ...fields } })
  const retrieve = (key: string, id: string) =>
    Effect.map(call(gateway.url, { method: "GET", path: `/v1/responses/${id}`, key }), ({ status }) => status)
  const chat = (key: string, repeats: string, fields: object = {}) =>
    call(gateway.url, {
      path: "/v1/chat/completions",
      key,
      headers: { "idempotency-key": repeats },
      body: { model: "up/m", messages: [{ role: "user", content: "Hi" }], ...fields }
    })
  const rows = (query: string) =>
    Effect.sync(() => {
      const db = new DatabaseSync(store, { readOnly: true })
      try {
        return db.prepare(query).all()
      } finally {
        db.close()
      }
    })
  return { ...gateway, asked, chat, disk, respond, retrieve, rows }
})

/** The last event of a stream. */
const lastOf = (text: string) => JSON.parse(text.slice(text.lastIndexOf("data: ") + "data: ".length))

const isReplayed = ({ headers }: Answered) => headers["x-gateway-replayed"] === "1"

describe("a stored response that is deleted", () => {
  for (const stream of [false, true]) {
    it.live(`is deleted as kept answer, too: ${stream ? "a stream" : "a complete response"}`, () =>
      Effect.gen(function* () {
        const { createKey, retrieve, rows, url } = yield* world()
        const { secret: key } = yield* createKey()
        const ask = (repeats: string) =>
          call(url, {
            path: "/v1/responses",
            key,
            headers: { "idempotency-key": repeats },
            body: { model: "up/m", input: "Hi", stream }
          })
        const idOf = ({ json, text }: Answered): string => (stream ? lastOf(text).response.id : json.id)
        const id = idOf(yield* ask("a"))
        const other = idOf(yield* ask("b"))
        const again = yield* ask("a")
        assert.isTrue(isReplayed(again))
        assert.notProperty(again.headers, "x-gateway-response-id")
        assert.strictEqual((yield* call(url, { method: "DELETE", path: `/v1/responses/${id}`, key })).status, 200)
        assert.strictEqual((yield* rows("SELECT id FROM kept_answers")).length, 1)
        const anew = yield* ask("a")
        assert.isFalse(isReplayed(anew))
        assert.notStrictEqual(idOf(anew), id)
        assert.strictEqual(idOf(yield* ask("b")), other)
        assert.strictEqual(yield* retrieve(key, other), 200)
      })
    )
  }
})

describe("what is kept of a key", () => {
  it.live("never takes the room of other keys: responses", () =>
    Effect.gen(function* () {
      const { createKey, respond, retrieve } = yield* world("responses: { max_mb: 1, max_mb_per_key: 1 }")
      const [greedy, modest] = [yield* createKey(), yield* createKey()]
      const theirs = (yield* respond(modest.secret)).json.id
      const ids: Array<string> = []
      for (let count = 0; count < 8; count++) ids.push((yield* respond(greedy.secret)).json.id)
      assert.strictEqual(yield* retrieve(modest.secret, theirs), 200)
      const found = yield* Effect.forEach(ids, (id) => retrieve(greedy.secret, id))
      assert.deepStrictEqual(found, [404, 404, 404, 404, 200, 200, 200, 200])
    })
  )

  it.live("never takes the room of other keys: answers to repeated requests", () =>
    Effect.gen(function* () {
      const { chat, createKey } = yield* world("idempotency: { max_mb: 1, max_mb_per_key: 1 }")
      const [greedy, modest] = [yield* createKey(), yield* createKey()]
      yield* chat(modest.secret, "theirs")
      for (let count = 0; count < 8; count++)
        assert.isUndefined((yield* chat(greedy.secret, `${count}`)).headers["x-gateway-kept"])
      assert.isTrue(isReplayed(yield* chat(modest.secret, "theirs")))
      assert.isTrue(isReplayed(yield* chat(greedy.secret, "7")))
      assert.isFalse(isReplayed(yield* chat(greedy.secret, "0")))
    })
  )

  it.live("is gone with the key, also what ends after it was revoked", () =>
    Effect.gen(function* () {
      const { admin, chat, createKey, respond, rows } = yield* world()
      const [revoked, other] = [yield* createKey(), yield* createKey()]
      for (const { secret } of [revoked, other]) {
        yield* chat(secret, "a")
        yield* respond(secret)
      }
      assert.strictEqual((yield* admin("DELETE", `/admin/keys/${revoked.id}`)).status, 200)
      const keys = yield* rows("SELECT key_id FROM kept_answers UNION ALL SELECT key_id FROM responses")
      assert.deepStrictEqual(
        keys.map(({ key_id }) => key_id),
        [other.id, other.id]
      )
      assert.deepStrictEqual(yield* rows(`SELECT * FROM holdings WHERE key_id = '${revoked.id}'`), [])
    })
  )
})

describe("a disk with no more than its reserve", () => {
  it.live("counts what waits in the write-ahead log as room that the database takes, too", () =>
    Effect.gen(function* () {
      const { chat, createKey, disk } = yield* world("store: { disk_reserve_mb: 100 }")
      const { secret } = yield* createKey()
      // As if the log's own bytes were not taken from it: what is missing is what the database still needs.
      disk.free = 102 * KB * KB
      const told: Array<unknown> = []
      for (let number = 0; number < 12; number++)
        told.push((yield* chat(secret, `${number}`)).headers["x-gateway-kept"])
      assert.isUndefined(told[0])
      assert.strictEqual(told.at(-1), "0")
    })
  )

  for (const stream of [false, true]) {
    it.live(`serves and books on, stores no response, and says so${stream ? ": streams" : ""}`, () =>
      Effect.gen(function* () {
        const { createKey, disk, ledger, respond, retrieve } = yield* world("store: { disk_reserve_mb: 100 }")
        const { secret } = yield* createKey()
        const ask = Effect.map(respond(secret, { stream }), (answered) =>
          stream ? lastOf(answered.text).response : answered.json
        )
        disk.free = 100 * KB * KB
        const unstored = yield* ask
        assert.strictEqual(unstored.status, "completed")
        assert.isFalse(unstored.store)
        assert.strictEqual(yield* retrieve(secret, unstored.id), 404)
        assert.deepStrictEqual(
          (yield* ledger).map(({ status }) => status),
          ["settled"]
        )
        disk.free = 102 * KB * KB
        const stored = yield* ask
        assert.isTrue(stored.store)
        assert.strictEqual(yield* retrieve(secret, stored.id), 200)
      })
    )

    it.live(`keeps no answer for a repeated request, and says so${stream ? ": streams" : ""}`, () =>
      Effect.gen(function* () {
        const { asked, chat, createKey, disk } = yield* world()
        const { secret } = yield* createKey()
        const told = ({ headers, trailers }: Answered) => (stream ? trailers : headers)["x-gateway-kept"]
        disk.free = 0
        const first = yield* chat(secret, "a", { stream })
        assert.strictEqual(first.status, 200)
        assert.strictEqual(told(first), "0")
        disk.free = Number.MAX_SAFE_INTEGER
        const again = yield* chat(secret, "a", { stream })
        assert.isFalse(isReplayed(again))
        assert.isUndefined(told(again))
        assert.isTrue(isReplayed(yield* chat(secret, "a", { stream })))
        assert.lengthOf(asked, 2)
      })
    )
  }
})
