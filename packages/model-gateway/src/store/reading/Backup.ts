/**
 * Copies of a store in a file: whole at one moment, log included, also of one that a gateway runs on. Nothing that exists is ever
 * overwritten, and a copy has its name only once it is complete and on disk.
 */
import * as fs from "node:fs"
import * as path from "node:path"
import { backup, DatabaseSync } from "node:sqlite"
import { Effect } from "effect"
import { StoreUnusable } from "@model-gateway/gateway/internal/storage/records/OpenErrors"
import { attempt } from "@model-gateway/gateway/internal/storage/sqlite/file/SqliteDatabase"
import { unusable } from "@model-gateway/gateway/internal/storage/sqlite/file/SqliteErrors"
import { companions, isFilled, prepare } from "@model-gateway/gateway/internal/storage/sqlite/file/Files"
import { lock } from "@model-gateway/gateway/internal/storage/sqlite/file/Lock"
import { openReadable } from "./SqliteReadOnly.ts"

/** Pages in one step: all of them, as a step after a write of the gateway would begin anew. */
const ALL_PAGES = 2 ** 31 - 1

/** Copies the store `source` to `target`, which must not exist, beside a gateway or not. */
export const backupStore = Effect.fn("Store.backup")(
  function* (source: string, target: string) {
    const { db, schema } = yield* openReadable(source)
    const place = yield* attempt(target, () => free(target))
    return { bytes: yield* copy(db, place), schema }
  },
  Effect.scoped,
  Effect.uninterruptible
)

/** Makes `target`, on which no gateway may run and which must not exist, what the backup `source` is. */
export const restoreStore = Effect.fn("Store.restore")(
  function* (source: string, target: string) {
    const { db, schema } = yield* openReadable(source)
    const { path: file } = yield* attempt(target, () => prepare(target))
    yield* lock(file)
    const place = yield* attempt(target, () => free(file))
    return { bytes: yield* copy(db, place), schema }
  },
  Effect.scoped,
  Effect.uninterruptible
)

/** The absolute path of a name that nothing has, nor a log that would be taken for its own. Throws. */
const free = (filename: string): string => {
  const wanted = path.resolve(filename)
  if (!fs.existsSync(path.dirname(wanted))) {
    throw new StoreUnusable({ message: `${filename} can't be written: there is no folder ${path.dirname(wanted)}.` })
  }
  if (fs.statSync(wanted, { throwIfNoEntry: false })?.isDirectory() === true) {
    throw new StoreUnusable({
      message: `${filename} is a folder: name the file to write, such as ${path.join(filename, "gateway.db")}.`
    })
  }
  const logs = companions.filter((suffix) => suffix !== "-shm" && isFilled(wanted + suffix))
  const [found] = fs.existsSync(wanted) ? [""] : logs
  if (found === undefined) return wanted
  throw new StoreUnusable({
    message:
      found === ""
        ? `${filename} exists and is not overwritten: move it away, with the ${filename}-wal beside it, or choose another name.`
        : `${filename}${found} is left over from an earlier ${filename} and may hold what that lacks: move it away, or choose another name.`
  })
}

const copy = (db: DatabaseSync, target: string): Effect.Effect<number, StoreUnusable> => {
  const partial = `${target}.${process.pid}.partial`
  const remove = () => {
    for (const suffix of companions) fs.rmSync(partial + suffix, { force: true })
  }
  return Effect.tryPromise({
    try: async () => {
      // The store holds the hashes of all keys: its copy is its owner's alone.
      fs.closeSync(fs.openSync(partial, "w", 0o600))
      try {
        await backup(db, partial, { rate: ALL_PAGES })
        check(partial)
        return publish(partial, target)
      } finally {
        remove()
      }
    },
    catch: (cause) => notWritten(target, cause)
  })
}

/** One file that can be read anywhere: without a log. Throws where it is damaged, as the store was, then. */
const check = (file: string): void => {
  const db = new DatabaseSync(file)
  try {
    db.exec("PRAGMA journal_mode = DELETE")
    const [found] = Object.values(db.prepare("PRAGMA quick_check(1)").get() ?? {})
    if (found !== "ok") throw new StoreUnusable({ message: `The store is damaged, so it was not copied: ${found}.` })
  } finally {
    db.close()
  }
}

/** Gives the complete file its name, unless something else has it by now. */
const publish = (partial: string, target: string): number => {
  const file = fs.openSync(partial, "r+")
  try {
    fs.fsyncSync(file)
    try {
      fs.linkSync(partial, target)
    } catch (cause) {
      // Some file systems have no links.
      if (fs.existsSync(target)) throw cause
      fs.renameSync(partial, target)
    }
    return fs.fstatSync(file).size
  } finally {
    fs.closeSync(file)
  }
}

const notWritten = (target: string, cause: unknown): StoreUnusable => {
  if (cause instanceof StoreUnusable) return cause
  const { message } = unusable(target, cause)
  return new StoreUnusable({ message: message.replace(/^The store (.*) can't be used: /, "$1 can't be written: ") })
}
