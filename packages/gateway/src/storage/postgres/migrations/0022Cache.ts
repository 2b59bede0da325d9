/** Cached responses, without a log. After a crash of the server the table is empty. */
import { migration } from "../../migrations/Migration.ts"

const text = `text COLLATE "C" NOT NULL`

export const cache = migration([
  `CREATE UNLOGGED TABLE cached_responses (
  id ${text} PRIMARY KEY,
  request ${text},
  kept_at bigint NOT NULL,
  kind ${text},
  headers ${text},
  key_id ${text},
  bytes bigint NOT NULL,
  body bytea NOT NULL
)`,
  "CREATE INDEX cached_responses_by_age ON cached_responses (kept_at)",
  "CREATE INDEX cached_responses_by_key ON cached_responses (key_id, kept_at) INCLUDE (bytes)",
  `CREATE VIEW cached_holdings AS SELECT 'cached' AS kind, key_id, sum(bytes)::bigint AS bytes
  FROM cached_responses GROUP BY key_id`
])
