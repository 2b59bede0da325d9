/** A thread with its own connection that moves a write-ahead log into its database. Neither readers nor the writer wait for it. */
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

/** Creates the file. Open it before all connections: closing a descriptor drops all locks of this process on the file. */
export const databaseFile = (path: string): Effect.Effect<DatabaseFile, StoreUnusable, Scope.Scope> =>
  Effect.acquireRelease(
    Effect.try({
      try: () => ({ path, fd: openSync(path, constants.O_RDWR | constants.O_CREAT, 0o600) }),
      catch: (cause) => unusable(path, cause)
    }),
    ({ fd }) => Effect.sync(() => closeSync(fd))
  )

/** The thread runs the text of this function, so it may use nothing from outside. */
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
    // SQLite syncs the database only when the log is empty, and more was written meanwhile.
    fdatasyncSync(fd)
    parentPort!.postMessage(undefined)
  })
}

/** Megabytes. The thread keeps almost nothing in memory. */
const MEMORY = { maxOldGenerationSizeMb: 16, maxYoungGenerationSizeMb: 2 }

/** A thread that ends with the scope. Each run moves what the log holds at that time. */
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

  /** Closes the thread's connection, too; the writer's closes last and removes the log. */
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
