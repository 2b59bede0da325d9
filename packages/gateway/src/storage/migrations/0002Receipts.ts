/** Receipts: what happened to each request, beside the money in the ledger. */
import { migration } from "./Migration.ts"

export const receipts = migration([
  // A row is a page: the receipts that were written together, in the order in which their requests ended, as `ReceiptPages` has
  // them. `ended_at` is the end of the newest. A row and an index entry for each receipt would cost three times as much.
  `CREATE TABLE receipts (
  id INTEGER PRIMARY KEY,
  first_request TEXT NOT NULL,
  last_request TEXT NOT NULL,
  ended_at INTEGER NOT NULL,
  body TEXT NOT NULL
) STRICT`,
  // Ids of requests begin with their time, so the least and the greatest id of a page say which few pages an id may be on.
  `CREATE INDEX receipts_by_request ON receipts (last_request, first_request)`
])
