/** Responses that are stored on Postgres while its connections break. */
import { assert, describe, it } from "@effect/vitest"
import { Effect, Fiber } from "effect"
import { freshDatabase, isSkipped } from "../../support/postgres/Databases.ts"
import { canStart, ownServer } from "../../support/postgres/Guarded.ts"
import { administer, rowsIn } from "../../support/postgres/Queries.ts"
import { eventually, until } from "../../support/Patience.ts"
import { call } from "../../support/RawHttp.ts"
import { startGateway } from "../../support/RunningGateway.ts"
import { upstream } from "../../support/Upstream.ts"
import { yaml } from "../responses/Speaking.ts"
import { response, responseEvents } from "../responses/Wire.ts"

/** A gateway on the database of a URL, before an upstream that answers when `release` is called. */
const setup = Effect.fnUntraced(function* (url: string) {
  let release = () => {}
  const gate = new Promise<void>((resolve) => (release = resolve))
  const up = yield* upstream(({ body }) => ({
    gate,
    body: body.stream === true ? responseEvents("paid ", "answer") : response("paid answer")
  }))
  const gateway = yield* startGateway({ yaml: yaml([up.baseUrl], `store: { postgres: { url: "${url}", lease: 2s } }`) })
  const { secret } = yield* gateway.createKey()
  const create = (fields: object = {}) =>
    call(gateway.url, { path: "/v1/responses", key: secret, body: { model: "m", input: "Hi", ...fields } })
  const read = (id: string) => call(gateway.url, { method: "GET", path: `/v1/responses/${id}`, key: secret })
  return { create, read, release: () => release(), up }
})

const ofGateway = "application_name = 'model-gateway' AND datname = current_database()"

describe.skipIf(isSkipped)("a response that is stored on Postgres", () => {
  for (const stream of [false, true]) {
    it.live(
      `reaches the caller when its connection is terminated while it is stored${stream ? ", as a stream" : ""}`,
      () =>
        Effect.gen(function* () {
          const url = yield* freshDatabase
          const { create, read, release, up } = yield* setup(url)
          // Inserts wait until the table is free, and the test ends their connection meanwhile.
          yield* administer(
            url,
            `CREATE FUNCTION wait_once() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
            PERFORM pg_advisory_lock(4711); PERFORM pg_advisory_unlock(4711); RETURN new; END $$`,
            "CREATE TRIGGER waits BEFORE INSERT ON model_gateway.responses FOR EACH ROW EXECUTE FUNCTION public.wait_once()"
          )
          const answering = yield* Effect.forkChild(create({ stream }))
          yield* until(() => up.asked.length === 1)
          const lock = yield* Effect.forkChild(administer(url, "SELECT pg_advisory_lock(4711)", "SELECT pg_sleep(60)"))
          const held = rowsIn(url, "SELECT pid FROM pg_locks WHERE locktype = 'advisory' AND objid = 4711 AND granted")
          yield* eventually(held, ({ length }) => length === 1)
          release()
          const waiting = `SELECT pid FROM pg_stat_activity WHERE ${ofGateway} AND wait_event = 'advisory'`
          yield* eventually(rowsIn(url, waiting), ({ length }) => length === 1)
          yield* rowsIn(url, `SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE ${ofGateway}`)
          yield* rowsIn(
            url,
            "SELECT pg_terminate_backend(pid) FROM pg_locks WHERE locktype = 'advisory' AND objid = 4711 AND granted"
          )
          yield* Fiber.interrupt(lock)
          const answered = yield* Fiber.join(answering)
          assert.strictEqual(answered.status, 200, answered.text)
          assert.include(answered.text, "paid answer")
          const [stored, ...others] = yield* rowsIn(url, "SELECT response_id AS id FROM model_gateway.responses")
          assert.strictEqual(others.length, 0)
          assert.include(answered.text, String(stored!["id"]))
          assert.strictEqual((yield* read(String(stored!["id"]))).status, 200)
          const bytes = "(SELECT sum(total)::int FROM model_gateway.response_bytes)"
          const [sums] = yield* rowsIn(url, `SELECT ${bytes} = sum(bytes) AS same FROM model_gateway.responses`)
          assert.strictEqual(sums?.["same"], true)
        })
    )
  }
})

describe.skipIf(!canStart)("a response that is stored on a Postgres that restarts", () => {
  it.live("reaches the caller when the server is back within seconds", () =>
    Effect.gen(function* () {
      const server = yield* ownServer()
      yield* Effect.scoped(
        Effect.gen(function* () {
          const { create, read, release, up } = yield* setup(server.url())
          const answering = yield* Effect.forkChild(create())
          yield* until(() => up.asked.length === 1)
          yield* Effect.promise(() => server.kill())
          release()
          yield* Effect.promise(() => server.start())
          const answered = yield* Fiber.join(answering)
          assert.strictEqual(answered.status, 200, answered.text)
          assert.strictEqual((yield* read(answered.json.id)).status, 200)
        })
      )
    })
  )

  it.live("is a 503 that says why when the server stays away", () =>
    Effect.gen(function* () {
      const server = yield* ownServer()
      yield* Effect.scoped(
        Effect.gen(function* () {
          const { create, release, up } = yield* setup(server.url())
          const answering = yield* Effect.forkChild(create())
          yield* until(() => up.asked.length === 1)
          yield* Effect.promise(() => server.kill())
          release()
          const answered = yield* Fiber.join(answering)
          assert.deepStrictEqual([answered.status, answered.json.error.code], [503, "store_unavailable"])
          yield* Effect.promise(() => server.start())
        })
      )
    })
  )
})
