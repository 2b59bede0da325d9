/** Keys of people and workloads, policies for personal keys, and sign-ins of machines. The statements are the same in Postgres. */
import { migration } from "./Migration.ts"

export const people = migration([
  "ALTER TABLE keys ADD COLUMN kind TEXT NOT NULL DEFAULT 'service'",
  "ALTER TABLE keys ADD COLUMN owner TEXT",
  "ALTER TABLE keys ADD COLUMN rule TEXT",
  "ALTER TABLE keys ADD COLUMN subject TEXT",
  "ALTER TABLE keys ADD COLUMN created_by TEXT",
  // A JSON array of addresses and networks.
  "ALTER TABLE keys ADD COLUMN allow_from TEXT NOT NULL DEFAULT '[]'",
  "ALTER TABLE keys ADD COLUMN suspended INTEGER NOT NULL DEFAULT 0",
  "CREATE INDEX keys_by_owner ON keys (owner) WHERE owner IS NOT NULL",
  "CREATE INDEX keys_by_rule ON keys (rule) WHERE rule IS NOT NULL",
  // What a team allows its members' personal keys, as JSON.
  "ALTER TABLE teams ADD COLUMN personal_keys TEXT NOT NULL DEFAULT 'null'",
  // A machine that waits for a person's approval. Hashes; a code lives for ten minutes. `person`: '' until somebody decides.
  `CREATE TABLE device_codes (
  hash TEXT PRIMARY KEY,
  user_code TEXT NOT NULL UNIQUE,
  client TEXT NOT NULL,
  address TEXT NOT NULL,
  state TEXT NOT NULL,
  person TEXT NOT NULL,
  created_at BIGINT NOT NULL,
  expires_at BIGINT NOT NULL,
  polled_at BIGINT NOT NULL
)`,
  // One machine on which a person signed in. Hashes; the refresh token before the present one works for a minute.
  `CREATE TABLE sign_ins (
  id TEXT PRIMARY KEY,
  person TEXT NOT NULL,
  client TEXT NOT NULL,
  address TEXT NOT NULL,
  access_hash TEXT NOT NULL,
  access_until BIGINT NOT NULL,
  refresh_hash TEXT NOT NULL,
  previous_hash TEXT NOT NULL,
  previous_until BIGINT NOT NULL,
  created_at BIGINT NOT NULL,
  last_used_at BIGINT NOT NULL
)`,
  "CREATE INDEX sign_ins_by_person ON sign_ins (person)"
])
