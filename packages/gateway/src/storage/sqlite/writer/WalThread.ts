/** A thread with a connection of its own, which moves a write-ahead log into its database. Neither readers nor the writer wait for it. */
import { closeSync, constants, openSync } from "node:fs"
import { Worker } from "node:worker_threads"
import { Data, Effect, type Scope } from "effect"
import type { StoreUnusable } from "../../records/OpenErrors.ts"
import { unusable } from "../file/SqliteErrors.ts"

/** Why the log was not moved. */
export class MoveFailed extends Data.TaggedError("MoveFailed")<{ readonly message: string }> {}

export interface DatabaseFile {
  readonly path: string
  readonly fd: number
}

/**
 * Makes the file where it is missing. To be opened before all connections to it, so that it is closed after them: whoever closes a file takes
 * from its process all locks on it, those of SQLite, too.
 */
export const databaseFile = (path: string): Effect.Effect<DatabaseFile, StoreUnusable, Scope.Scope> =>
  Effect.acquireRelease(
    Effect.try({
      try: () => ({ path, fd: openSync(path, constants.O_RDWR | constants.O_CREAT, 0o600) }),
      catch: (cause) => unusable(path, cause)
    }),
    ({ fd }) => Effect.sync(() => closeSync(fd))
  )

/** All of its own: what runs there is the text of this function. */
const inThread = () => {
  const { parentPort, workerData } = process.getBuiltinModule("node:worker_threads")
  const { DatabaseSync } = process.getBuiltinModule("node:sqlite")
  const { fdatasyncSync } = process.getBuiltinModule("node:fs")
  const { fd, path } = workerData as DatabaseFile
  const db = new DatabaseSync(path)
  parentPort!.on("message", (isMove: boolean) => {
    if (!isMove) {
      db.close()
      return parentPort!.close()
    }
    db.prepare("PRAGMA wal_checkpoint(PASSIVE)").get()
    // SQLite brings the database to the disk when nothing is left in the log, and more has come in the meantime.
    fdatasyncSync(fd)
    parentPort!.postMessage(undefined)
  })
}

/** It has next to nothing to keep. MB. */
const MEMORY = { maxOldGenerationSizeMb: 16, maxYoungGenerationSizeMb: 2 }

/** A thread that ends with the scope: each run moves what is in the log then. */
export const walThread = (
  file: DatabaseFile
): Effect.Effect<Effect.Effect<void, MoveFailed>, MoveFailed, Scope.Scope> =>
  Effect.acquireRelease(
    Effect.try({ try: () => new Thread(file), catch: (cause) => new MoveFailed({ message: String(cause) }) }),
    (thread) => thread.end
  ).pipe(Effect.map((thread) => thread.move))

class Thread {
  private readonly worker: Worker
  private whyEnded: string | undefined
  private settle: (() => void) | undefined

  constructor(file: DatabaseFile) {
    this.worker = new Worker(`(${inThread})()`, {
      eval: true,
      workerData: file,
      execArgv: [],
      env: {},
      resourceLimits: MEMORY,
      trackUnmanagedFds: false
    })
    this.worker.unref()
    this.worker.on("message", () => this.settle?.())
    this.worker.on("error", ({ message }) => this.ended(message))
    this.worker.on("exit", () => this.ended("The thread has ended."))
  }

  readonly move = Effect.callback<void, MoveFailed>((resume) => {
    const settle = () =>
      resume(this.whyEnded === undefined ? Effect.void : Effect.fail(new MoveFailed({ message: this.whyEnded })))
    if (this.whyEnded !== undefined) return settle()
    this.settle = settle
    this.worker.postMessage(true)
  })

  /** With it ends its connection: the writer's is the last one, which tidies up. */
  readonly end = Effect.callback<void>((resume) => {
    if (this.whyEnded !== undefined) return resume(Effect.void)
    this.settle = () => {
      if (this.whyEnded !== undefined) resume(Effect.void)
    }
    this.worker.ref()
    this.worker.postMessage(false)
  })

  private ended(why: string): void {
    this.whyEnded ??= why
    this.settle?.()
  }
}
