/**
 * One process for each store. The lock is SQLite's own lock on a small file beside the database, which the operating system takes
 * away when the holder dies, however it dies. The holder writes into that file who it is, so that others can say so.
 */
import * as fs from "node:fs"
import { hostname } from "node:os"
import { DatabaseSync } from "node:sqlite"
import { Clock, Effect } from "effect"
import { StoreLocked, type StoreUnusable } from "../../records/OpenErrors.ts"
import { sqliteCode, unusable } from "./SqliteErrors.ts"

interface Holder {
  readonly pid: number
  readonly host: string
  /** RFC 3339. */
  readonly since: string
}

const BUSY = 5

/** Holds the lock of the database `filename` for the scope; fails at once when another process does. */
export const lock = (filename: string) =>
  Effect.acquireRelease(
    Effect.flatMap(Clock.currentTimeMillis, (now) =>
      Effect.try({
        try: () => acquire(filename, { pid: process.pid, host: hostname(), since: new Date(now).toISOString() }),
        catch: (cause): StoreLocked | StoreUnusable =>
          cause instanceof StoreLocked ? cause : unusable(filename, cause)
      })
    ),
    (db) => Effect.sync(() => release(`${filename}-lock`, db))
  )

const acquire = (filename: string, self: Holder): DatabaseSync => {
  const path = `${filename}-lock`
  for (;;) {
    const inode = inodeOf(path)
    const db = new DatabaseSync(path)
    try {
      hold(db, self)
    } catch (cause) {
      const failure = sqliteCode(cause) === BUSY ? lockedBy(filename, readHolder(db)) : cause
      db.close()
      throw failure
    }
    // A holder that went away meanwhile has removed the file: a lock on that one would guard nothing.
    if (fs.statSync(path, { throwIfNoEntry: false })?.ino === inode) return db
    db.close()
  }
}

/**
 * The inode, which tells this file from a later one of the same name; the file is made if it is missing. One that exists is not
 * opened: closing it again would drop a lock that this very process holds on it.
 */
const inodeOf = (path: string): number => {
  const stat = fs.statSync(path, { throwIfNoEntry: false })
  if (stat !== undefined) return stat.ino
  fs.closeSync(fs.openSync(path, "a"))
  return fs.statSync(path).ino
}

const hold = (db: DatabaseSync, self: Holder): void => {
  // Only long enough to sit out another starter that is writing its own name.
  db.exec("PRAGMA busy_timeout = 200")
  db.exec("BEGIN IMMEDIATE; CREATE TABLE IF NOT EXISTS holder (pid INTEGER, host TEXT, since TEXT); DELETE FROM holder")
  db.prepare("INSERT INTO holder VALUES (?, ?, ?)").run(self.pid, self.host, self.since)
  // Others can read who holds the lock only once it is committed: the lock itself is the transaction after it.
  db.exec("COMMIT; BEGIN IMMEDIATE")
}

const readHolder = (db: DatabaseSync): Holder | undefined => {
  try {
    return db.prepare("SELECT pid, host, since FROM holder").get() as Holder | undefined
  } catch {
    // It is just being written: the lock is taken all the same.
    return undefined
  }
}

const lockedBy = (filename: string, holder: Holder | undefined): StoreLocked => {
  const by = holder === undefined ? "another process" : `process ${holder.pid} on ${holder.host} since ${holder.since}`
  return new StoreLocked({ message: `${filename} is in use by ${by}: stop it or choose another store.` })
}

/** Removed while it is still held, so that nobody can hold a file that has just gone without noticing. */
const release = (path: string, db: DatabaseSync): void => {
  fs.rmSync(path, { force: true })
  db.close()
}
