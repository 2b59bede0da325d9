/** What administrators did, and which alerts were sent. */
import { migration } from "./Migration.ts"

export const audit = migration([
  // `before` and `after`: JSON. Entries stay as they are.
  `CREATE TABLE audit (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  at INTEGER NOT NULL,
  actor_kind TEXT NOT NULL,
  actor TEXT NOT NULL,
  address TEXT NOT NULL,
  action TEXT NOT NULL,
  target TEXT NOT NULL,
  before TEXT NOT NULL,
  after TEXT NOT NULL
) STRICT`,
  `CREATE TRIGGER audit_stays_as_it_is BEFORE UPDATE ON audit BEGIN
    SELECT RAISE(ABORT, 'the audit log is never changed');
  END`,
  `CREATE TRIGGER audit_stays_whole BEFORE DELETE ON audit BEGIN
    SELECT RAISE(ABORT, 'the audit log is never changed');
  END`,

  // One row for each alert of each window. `done_at`: when it was delivered or given up.
  `CREATE TABLE alert_marks (
  id TEXT PRIMARY KEY,
  raised_at INTEGER NOT NULL,
  done_at INTEGER,
  url TEXT NOT NULL,
  body TEXT NOT NULL
) STRICT, WITHOUT ROWID`
])
