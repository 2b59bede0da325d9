/**
 * One process per store, by SQLite's lock on a small file beside the database, which ends with the process. The holder writes
 * its identity into it.
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

/** Holds the lock of the database `filename` until the scope closes. Fails immediately when another process holds it. */
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
    // A holder that closed meanwhile has removed this file: a lock on it would protect nothing.
    if (fs.statSync(path, { throwIfNoEntry: false })?.ino === inode) return db
    db.close()
  }
}

/** The inode of the file, created if missing. Not opened: closing it would drop a lock of this process. */
const inodeOf = (path: string): number => {
  const stat = fs.statSync(path, { throwIfNoEntry: false })
  if (stat !== undefined) return stat.ino
  fs.closeSync(fs.openSync(path, "a"))
  return fs.statSync(path).ino
}

const hold = (db: DatabaseSync, self: Holder): void => {
  // Long enough for another starting process to write its identity.
  db.exec("PRAGMA busy_timeout = 200")
  db.exec("BEGIN IMMEDIATE; CREATE TABLE IF NOT EXISTS holder (pid INTEGER, host TEXT, since TEXT); DELETE FROM holder")
  db.prepare("INSERT INTO holder VALUES (?, ?, ?)").run(self.pid, self.host, self.since)
  // Other processes can read the holder's identity only once it is committed. The lock itself is the next transaction.
  db.exec("COMMIT; BEGIN IMMEDIATE")
}

const readHolder = (db: DatabaseSync): Holder | undefined => {
  try {
    return db.prepare("SELECT pid, host, since FROM holder").get() as Holder | undefined
  } catch {
    // The holder is writing its identity: the lock is taken all the same.
    return undefined
  }
}

const lockedBy = (filename: string, holder: Holder | undefined): StoreLocked => {
  const by = holder === undefined ? "another process" : `process ${holder.pid} on ${holder.host} since ${holder.since}`
  return new StoreLocked({ message: `${filename} is in use by ${by}: stop it or choose another store.` })
}

/** Removes the file while it is still locked, so that no process can lock a removed file unnoticed. */
const release = (path: string, db: DatabaseSync): void => {
  fs.rmSync(path, { force: true })
  db.close()
}
