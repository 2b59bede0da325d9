/** The way to Postgres: passwords, TLS, rights, and what is no Postgres at all. One sentence says why it fails, and nothing was written. */
import type { Socket } from "node:net"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Layer, Redacted } from "effect"
import type { PostgresOptions } from "../../../src/storage/postgres/connection/PostgresOptions.ts"
import * as PostgresStore from "../../../src/storage/postgres/connection/PostgresStore.ts"
import { administer, rowsIn } from "../../support/postgres/Queries.ts"
import { certificate } from "../../support/Certificates.ts"
import { canStart, guarded } from "../../support/postgres/Guarded.ts"
import { listenTo } from "../../support/postgres/Listener.ts"
import { oldServer } from "../../support/postgres/OldServer.ts"

const open = (url: string, options: Partial<PostgresOptions> = {}) =>
  Effect.scoped(Layer.build(Layer.fresh(PostgresStore.layer({ url: Redacted.make(url), leaseMs: 1_000, ...options }))))

/** The end of the one sentence. */
const refusal = Effect.fnUntraced(function* (url: string, options: Partial<PostgresOptions> = {}) {
  const { _tag, message } = yield* Effect.flip(open(url, options))
  assert.strictEqual(_tag, "StoreUnusable")
  for (const word of ["geheim", "richtig"]) assert.notInclude(message, word)
  const { host, pathname } = new URL(url)
  return message.replace(`The store ${host}${pathname} can't be used: `, "")
})

const as = (url: string, user: string, password = "", more = "") => {
  const changed = new URL(url)
  changed.username = user
  changed.password = password
  return `${changed.toString()}${more}`
}

const schemas = (url: string) =>
  Effect.map(rowsIn(url, "SELECT nspname AS name FROM pg_namespace WHERE nspname LIKE 'model%'"), (rows) => rows.length)

/** What listens there, for whatever it does with who connects. */
const listener = (serve: (socket: Socket) => void) =>
  Effect.map(listenTo(serve), ({ port }) => `postgres://gateway:geheim@127.0.0.1:${port}/books`)

describe.skipIf(!canStart)("the way to a store on Postgres", () => {
  it.live("says what is wrong with user and password", () =>
    Effect.gen(function* () {
      const url = (yield* guarded("nobody")).url()
      yield* administer(url, "CREATE ROLE locked LOGIN PASSWORD 'richtig'", "CREATE ROLE closed NOLOGIN")
      assert.strictEqual(
        yield* refusal(as(url, "locked", "geheim")),
        "the password is wrong; correct it in store.postgres.url."
      )
      assert.strictEqual(
        yield* refusal(as(url, "locked")),
        "Postgres requires a password; add it to store.postgres.url."
      )
      assert.match(yield* refusal(as(url, "closed")), /^Postgres refuses the user \(role "closed" is not permitted/)
      assert.strictEqual(yield* schemas(url), 0)
      yield* administer(url, "GRANT CREATE ON DATABASE postgres TO locked")
      yield* open(as(url, "locked", "richtig"))
      assert.strictEqual(yield* schemas(url), 1)
    })
  )

  it.live("is encrypted where a certificate's authority is named, and says why where it can't be", () =>
    Effect.gen(function* () {
      const url = (yield* guarded("server")).url()
      yield* administer(url, "CREATE ROLE sealed LOGIN", "GRANT CREATE ON DATABASE postgres TO sealed")
      assert.match(
        yield* refusal(as(url, "sealed")),
        /^Postgres refuses the user \(.* no encryption\); where it wants TLS, add \?sslmode=require to store\.postgres\.url\.$/
      )
      const unknown =
        "its certificate is from an authority that is not known here; name that authority in store.postgres.ca."
      for (const mode of ["require", "verify-full", "prefer"]) {
        assert.strictEqual(yield* refusal(as(url, "sealed", "", `?sslmode=${mode}`)), unknown)
      }
      assert.strictEqual(yield* refusal(as(url, "sealed"), { ca: certificate("stranger") }), unknown)
      assert.match(
        yield* refusal(as(url, "sealed", "", "?sslmode=verify")),
        /^Unrecognized sslmode in URL: "verify"; correct store\.postgres\.url\.$/
      )
      assert.strictEqual(yield* schemas(url), 0)
      const ca = certificate("authority")
      yield* open(as(url, "sealed"), { ca })
      yield* open(as(url, "sealed", "", "?sslmode=verify-full").replace("127.0.0.1", "localhost"), { ca })
      assert.strictEqual(yield* schemas(url), 1)
    })
  )

  it.live("refuses a certificate for another host, and a server that offers none", () =>
    Effect.gen(function* () {
      const ca = certificate("authority")
      assert.match(
        yield* refusal((yield* guarded("elsewhere")).url(), { ca }),
        /^its certificate is for another host; correct the host in store\.postgres\.url/
      )
      const plain = (yield* guarded("nobody")).url()
      for (const [url, options] of [
        [plain, { ca }],
        [`${plain}?sslmode=require`, {}]
      ] as const) {
        assert.match(
          yield* refusal(url, options),
          /^the server offers no TLS, which sslmode or store\.postgres\.ca requires;/
        )
      }
      yield* open(`${plain}?sslmode=prefer`)
    })
  )

  it.live("says which role would do where another one's schema is named", () =>
    Effect.gen(function* () {
      const url = (yield* guarded("nobody")).url()
      yield* administer(
        url,
        "CREATE ROLE theirs LOGIN",
        "CREATE ROLE ours LOGIN",
        "GRANT CREATE ON DATABASE postgres TO theirs"
      )
      yield* open(as(url, "theirs"))
      const columns = "SELECT count(*)::int AS n FROM information_schema.columns WHERE table_schema = 'model_gateway'"
      const before = yield* rowsIn(url, columns)
      assert.strictEqual(
        yield* refusal(as(url, "ours")),
        "the role ours may not use the schema model_gateway, which belongs to the role theirs. Name that role in store.postgres.url, or another store.postgres.schema."
      )
      yield* administer(
        url,
        "GRANT ALL ON SCHEMA model_gateway TO ours",
        "GRANT ALL ON ALL TABLES IN SCHEMA model_gateway TO ours"
      )
      assert.match(
        yield* refusal(as(url, "ours")),
        /belongs to the role theirs, and the role ours may not make and change tables in it\. .* GRANT "theirs" TO "ours"\.$/
      )
      assert.deepStrictEqual(yield* rowsIn(url, columns), before)
      assert.deepStrictEqual(yield* rowsIn(url, "SELECT id FROM model_gateway.nodes"), [])
      yield* administer(url, "GRANT theirs TO ours")
      yield* open(as(url, "ours"))
    })
  )

  it.live("refuses a Postgres that is older than supported, and writes nothing", () =>
    Effect.gen(function* () {
      const { statements, url } = yield* oldServer
      const { message } = yield* Effect.flip(open(url))
      assert.strictEqual(
        message,
        `The store ${new URL(url).host}/books is PostgreSQL 11.22 (Debian 11.22-0+deb10u2): version 15 or newer is needed.`
      )
      assert.deepStrictEqual(
        statements.map((statement) => statement.split(" ")[0]),
        ["BEGIN", "SELECT", "ROLLBACK"]
      )
    })
  )

  it.live("says so where a pooler refuses the settings of a connection, as PgBouncer does", () =>
    Effect.gen(function* () {
      const words = "unsupported startup parameter: search_path"
      const fields = Buffer.from(`SFATAL\0C08P01\0M${words}\0\0`)
      const refused = Buffer.concat([Buffer.from("E"), Buffer.alloc(4), fields])
      refused.writeInt32BE(4 + fields.length, 1)
      assert.strictEqual(
        yield* refusal(yield* listener((socket) => socket.once("data", () => socket.end(refused)))),
        `a pooler is in between (${words}); name Postgres itself in store.postgres.url.`
      )
    })
  )

  it.live("says so where no Postgres is what answers, or nothing does", () =>
    Effect.gen(function* () {
      const none = "the server at this address is not Postgres; correct host and port in store.postgres.url."
      const http = yield* listener((socket) => socket.end("HTTP/1.1 400 Bad Request\r\n\r\n"))
      assert.strictEqual(yield* refusal(http), none)
      assert.strictEqual(yield* refusal(`${http}?sslmode=require`), none)
      assert.strictEqual(yield* refusal(yield* listener((socket) => socket.end())), none)
      const mute = yield* listener(() => {})
      assert.match(yield* refusal(`${mute}?connect_timeout=1`), /^there was no response in time; correct host and port/)
    })
  )
})
