/** The files of a store around SQLite: creates folders, names faults, and removes what a failed opening created. */
import * as fs from "node:fs"
import * as path from "node:path"
import { StoreUnusable } from "../../records/OpenErrors.ts"

/** The store holds the hashes of all keys. */
const OWNER_ONLY = 0o600

const HEADER = "SQLite format 3\0"

/** The files SQLite keeps beside a database. */
export const companions = ["", "-wal", "-shm", "-journal"]

/** Where a store is, and what to remove if it does not open. */
export interface StorePlace {
  /** Absolute, without symbolic links: one store has one name, and so one lock. */
  readonly path: string
  readonly isNew: boolean
  /** The folders created for it, innermost first. */
  readonly folders: ReadonlyArray<string>
}

/** Creates the folder of a database if it is missing, and checks that files can be written there. Throws. */
export const prepare = (filename: string): StorePlace => {
  const stat = fs.statSync(filename, { throwIfNoEntry: false })
  if (stat?.isDirectory()) throw new StoreUnusable({ message: `${filename} is a folder: name a file in it.` })
  const folder = path.dirname(stat === undefined ? path.resolve(filename) : fs.realpathSync(filename))
  const outermost = fs.mkdirSync(folder, { recursive: true })
  fs.accessSync(folder, fs.constants.W_OK | fs.constants.X_OK)
  if (stat === undefined) {
    const folders = outermost === undefined ? [] : foldersBetween(folder, path.resolve(outermost))
    return { path: path.join(fs.realpathSync(folder), path.basename(filename)), isNew: true, folders }
  }
  fs.accessSync(filename, fs.constants.R_OK | fs.constants.W_OK)
  return { path: fs.realpathSync(filename), isNew: false, folders: [] }
}

/** Only the owner may read a new store and the files that SQLite creates beside it. */
export const keepPrivate = ({ isNew, path }: StorePlace): void => {
  if (isNew) fs.chmodSync(path, OWNER_ONLY)
}

/** Fails for a file that is not a database. Call it only while holding the lock: closing a file drops SQLite's locks. */
export const checkHeader = ({ isNew, path }: StorePlace): void => {
  if (isNew) return
  const file = fs.openSync(path, "r")
  const bytes = Buffer.alloc(HEADER.length)
  const length = fs.readSync(file, bytes, 0, HEADER.length, 0)
  fs.closeSync(file)
  if (length === 0) throw noStore(path, "is empty")
  if (bytes.toString("latin1") === HEADER) return
  throw new StoreUnusable({ message: `${path} is not a SQLite database: choose another file for the store.` })
}

/** The error for an existing file without a store; its data may be in a file beside it. */
export const noStore = (path: string, what: string): StoreUnusable =>
  new StoreUnusable({
    message: `${path} ${what}, so it is no store of the gateway: restore a backup, or remove it to start with a new store.${besideInWords(path)}`
  })

/** Fails for a log without its database, because SQLite would delete the log. Throws. */
export const checkNoLog = ({ isNew, path }: StorePlace): void => {
  if (!isNew || !isFilled(`${path}-wal`)) return
  throw new StoreUnusable({
    message: `${path} is missing, and its write-ahead log is there: put the file back, or move the log away to start with a new store.${besideInWords(path)}`
  })
}

/** SQLite leaves an empty file where it could only read. */
export const isFilled = (file: string): boolean => fs.existsSync(file) && fs.statSync(file).size > 0

const LISTED = 8

/** Names files beside the store (log, copies, backups). Returns "" or a sentence that begins with a space. */
export const besideInWords = (filename: string): string => {
  const folder = path.dirname(filename)
  const own = path.basename(filename)
  const stem = path.parse(own).name
  const found = fs.existsSync(folder)
    ? fs.readdirSync(folder).filter((name) => name.startsWith(stem) && name !== own && !/-(?:lock|shm)$/.test(name))
    : []
  if (found.length === 0) return ""
  const words = found.slice(0, LISTED).map((name) => {
    const stat = fs.statSync(path.join(folder, name), { throwIfNoEntry: false })
    return stat === undefined ? name : `${name} (${stat.size} bytes, changed ${stat.mtime.toISOString()})`
  })
  return ` Beside it: ${words.join(", ")}${found.length > LISTED ? ` and ${found.length - LISTED} more` : ""}.`
}

/** Removes what opening a new store created. Never touches a store that existed before. */
export const undo = ({ folders, isNew, path }: StorePlace): void => {
  if (isNew) for (const suffix of companions) if (fs.existsSync(path + suffix)) fs.rmSync(path + suffix)
  // Another program may have put a file there meanwhile.
  for (const folder of folders) if (fs.readdirSync(folder).length === 0) fs.rmdirSync(folder)
}

const foldersBetween = (inner: string, outer: string): ReadonlyArray<string> => {
  const folders = [inner]
  while (folders.at(-1) !== outer) folders.push(path.dirname(folders.at(-1)!))
  return folders
}
