/** The files of a store around SQLite: folders made, mistakes named, and nothing left behind when opening fails. */
import * as fs from "node:fs"
import * as path from "node:path"
import { StoreUnusable } from "../../records/OpenErrors.ts"

/** The store holds the hashes of all keys. */
const OWNER_ONLY = 0o600

const HEADER = "SQLite format 3\0"

/** The files SQLite keeps beside a database. */
const companions = ["", "-wal", "-shm", "-journal"]

/** Where a store is, and what has to go again if it does not open. */
export interface Place {
  /** Absolute, without symbolic links: one store has one name, and so one lock. */
  readonly path: string
  readonly isNew: boolean
  /** Folders made for it, innermost first. */
  readonly folders: ReadonlyArray<string>
}

/** Makes the folder of a database where it is missing, and checks that files can be written there. Throws. */
export const prepare = (filename: string): Place => {
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

/** A new store is its owner's alone, and so are the files that SQLite makes beside it. */
export const keepPrivate = ({ isNew, path }: Place): void => {
  if (isNew) fs.chmodSync(path, OWNER_ONLY)
}

/** Fails for a file that is something else than a database. Only for the holder of the lock: to close a file drops SQLite's locks. */
export const checkHeader = ({ isNew, path }: Place): void => {
  if (isNew) return
  const file = fs.openSync(path, "r")
  const bytes = Buffer.alloc(HEADER.length)
  const length = fs.readSync(file, bytes, 0, HEADER.length, 0)
  fs.closeSync(file)
  // An empty file is an empty database.
  if (length === 0 || bytes.toString("latin1") === HEADER) return
  throw new StoreUnusable({ message: `${path} is not a SQLite database: choose another file for the store.` })
}

/** Removes what opening a new store has made; a store that was there before is never touched. */
export const undo = ({ folders, isNew, path }: Place): void => {
  if (isNew) for (const suffix of companions) if (fs.existsSync(path + suffix)) fs.rmSync(path + suffix)
  // Somebody else may have put a file there in the meantime.
  for (const folder of folders) if (fs.readdirSync(folder).length === 0) fs.rmdirSync(folder)
}

const foldersBetween = (inner: string, outer: string): ReadonlyArray<string> => {
  const folders = [inner]
  while (folders.at(-1) !== outer) folders.push(path.dirname(folders.at(-1)!))
  return folders
}
