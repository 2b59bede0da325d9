/** `serve` where the way to Postgres is closed: one sentence on stderr, exit code 1, and where it is open, TLS. */
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { administer, rowsIn } from "../../support/postgres/Queries.ts"
import { certificate } from "../../support/Certificates.ts"
import { canStart, guarded } from "../../support/postgres/Guarded.ts"
import { oldServer } from "../../support/postgres/OldServer.ts"
import { chat, newKey, serveOn } from "../../support/postgres/ServeOn.ts"

/** What it wrote before it ended with exit code 1. */
const refusal = Effect.fnUntraced(function* (url: string, ca?: string) {
  const { start } = yield* serveOn(url, ca === undefined ? {} : { ca })
  const { message } = yield* Effect.flip(start)
  const [head, ...lines] = message.trimEnd().split("\n")
  assert.match(head ?? "", /ended with 1 before it was ready:$/)
  assert.lengthOf(lines, 1, message)
  assert.notInclude(message, "geheim")
  return lines[0] ?? ""
})

describe.skipIf(!canStart)("serve, where the way to Postgres", () => {
  it.live("is closed: says why in one sentence and ends with 1, and nothing was written", () =>
    Effect.gen(function* () {
      const url = (yield* guarded("server")).url()
      yield* administer(url, "CREATE ROLE locked LOGIN PASSWORD 'richtig'")
      assert.match(yield* refusal(url.replace("gateway@", "locked:geheim@")), /the password is wrong/)
      assert.match(yield* refusal(url, certificate("stranger")), /from an authority that is not known here/)
      assert.match(yield* refusal((yield* oldServer).url), /is PostgreSQL 11\.22 .*: version 15 or newer is needed/)
      assert.deepStrictEqual(yield* rowsIn(url, "SELECT 1 FROM pg_namespace WHERE nspname LIKE 'model%'"), [])
    })
  )

  it.live("is encrypted: works over TLS alone", () =>
    Effect.gen(function* () {
      const url = (yield* guarded("server")).url()
      const { start } = yield* serveOn(`${url}?sslmode=verify-full`, { ca: certificate("authority") })
      const gateway = yield* start
      assert.strictEqual((yield* chat(gateway.ready, yield* newKey(gateway.ready))).status, 200)
      const connections = yield* rowsIn(
        url,
        `SELECT count(*)::int AS all, count(*) FILTER (WHERE ssl)::int AS sealed
          FROM pg_stat_ssl JOIN pg_stat_activity USING (pid) WHERE application_name = 'model-gateway'`
      )
      assert.isAbove(Number(connections[0]?.["all"]), 2)
      assert.strictEqual(connections[0]?.["sealed"], connections[0]?.["all"])
      assert.strictEqual(yield* gateway.end("SIGTERM"), 0)
    })
  )
})
