/**
 * Shares of limits among gateways, see `core/grants`. A row is what one gateway alone gives out of a limit: only that gateway writes it, and
 * always says how much it is, so that saying it twice changes nothing. What grows is decided in the database, one after the other for each limit.
 * The functions come with 0004 and 0007, which replace those that this migration once made.
 */
import { migration } from "../../migrations/Migration.ts"

const text = `text COLLATE "C"`

export const shares = migration([
  // `moved` numbers what a gateway says of its shares, so that what was said before never comes later. `engine`: the start of the server that
  // it has told what it holds; another one may lack what was granted last. `alone`: no other may work beside it.
  `ALTER TABLE nodes ADD COLUMN moved bigint NOT NULL DEFAULT 0, ADD COLUMN alone boolean NOT NULL DEFAULT true,
  ADD COLUMN engine timestamptz NOT NULL DEFAULT pg_postmaster_start_time()`,
  // As `ShareName`: `start` is 0 of a rate. `free_at`: of a gateway that is gone, whose requests count until then.
  `CREATE TABLE shares (
  scope ${text} NOT NULL,
  kind ${text} NOT NULL,
  start bigint NOT NULL,
  node int NOT NULL,
  amount bigint NOT NULL,
  free_at timestamptz,
  PRIMARY KEY (scope, kind, start, node)
) WITH (fillfactor = 50, autovacuum_vacuum_scale_factor = 0.01)`,
  "CREATE INDEX shares_by_node ON shares (node)"
])
