/** Traffic over time. Nothing of it is written by requests. */
import { migration } from "./Migration.ts"

export const traffic = migration([
  // `start`: epoch ms. `key_id` and `team` are among the dimensions as well, and stand here to be found by. `sums` as `TrafficSums` has them.
  `CREATE TABLE traffic (
  cut TEXT NOT NULL,
  grain TEXT NOT NULL,
  start INTEGER NOT NULL,
  key_id TEXT NOT NULL,
  team TEXT NOT NULL,
  dimensions TEXT NOT NULL,
  sums TEXT NOT NULL,
  PRIMARY KEY (cut, grain, start, dimensions)
) STRICT, WITHOUT ROWID`,
  `CREATE INDEX traffic_by_key ON traffic (key_id, grain, start) WHERE key_id <> ''`,
  `CREATE INDEX traffic_by_team ON traffic (team, grain, start) WHERE team <> ''`
])
