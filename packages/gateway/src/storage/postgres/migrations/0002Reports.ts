/** What gateways report of themselves. `heard_at` is by the server's clock. */
import { Effect } from "effect"
import { SqlClient } from "effect/sql"

export const reports = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  yield* sql`ALTER TABLE nodes
    ADD COLUMN version text COLLATE "C" NOT NULL DEFAULT '',
    ADD COLUMN lag_ms bigint NOT NULL DEFAULT 0,
    ADD COLUMN shares int NOT NULL DEFAULT 0,
    ADD COLUMN is_refusing boolean NOT NULL DEFAULT false,
    ADD COLUMN heard_at timestamptz NOT NULL DEFAULT now()`
})
