/**
 * Syncs the write-ahead log without blocking the event loop. With `synchronous = NORMAL` a commit is only written, and becomes
 * durable here, many commits at a time.
 */
import { closeSync, fdatasync, fdatasyncSync, fsyncSync, openSync } from "node:fs"
import { dirname } from "node:path"
import { Effect, type Scope } from "effect"
import type { StoreUnusable } from "../../records/OpenErrors.ts"
import { unusable } from "../file/SqliteErrors.ts"

export interface WalDisk {
  /** Calls `done` when everything written before is on disk, or with the reason why it is not. */
  readonly sync: (done: (error: Error | null) => void) => void
  /** Syncs and waits. Throws the reason when it fails. */
  readonly syncNow: () => void
}

/** For a database in WAL mode that was written to, so that its log exists. */
export const walSync = (path: string): Effect.Effect<WalDisk, StoreUnusable, Scope.Scope> =>
  Effect.acquireRelease(
    Effect.try({
      try: () => {
        syncFolder(dirname(path))
        return openSync(`${path}-wal`, "r+")
      },
      catch: (cause) => unusable(path, cause)
    }),
    (fd) => Effect.sync(() => closeSync(fd))
  ).pipe(Effect.map((fd) => ({ sync: (done) => fdatasync(fd, done), syncNow: () => fdatasyncSync(fd) })))

/** A new file survives a power cut only when its folder is on disk, too. */
const syncFolder = (folder: string): void => {
  if (process.platform === "win32") return
  const fd = openSync(folder, "r")
  try {
    fsyncSync(fd)
  } finally {
    closeSync(fd)
  }
}
