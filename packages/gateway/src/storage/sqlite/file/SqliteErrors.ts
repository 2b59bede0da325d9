/** What can be wrong with a store: one wording for each error that SQLite reports. */
import { StoreUnavailable } from "../../../core/domain/Errors.ts"
import { StoreUnusable } from "../../records/OpenErrors.ts"

/** By primary result code (https://sqlite.org/rescode.html): faults of the store itself, not of a statement. */
const troubles: { readonly [code: number]: string } = {
  3: "access to the database was denied",
  5: "another program has locked the database",
  6: "another program has locked the database",
  7: "there is not enough memory",
  8: "the database is read-only",
  9: "the operation was interrupted",
  10: "the disk can't be read or written",
  11: "the database is corrupted: restore it from a backup",
  13: "the disk is full",
  14: "the database file can't be opened",
  15: "the database is locked in a way that does not work on this file system",
  22: "files this large are not supported here",
  26: "the file is not a database"
}

/** The primary result code of an error of `node:sqlite`; undefined for any other error. */
export const sqliteCode = (cause: unknown): number | undefined => {
  if (!(cause instanceof Error) || !("errcode" in cause) || typeof cause.errcode !== "number") return undefined
  return cause.errcode & 0xff
}

/** Describes a fault of the store; undefined when the error is about one statement or value. */
export const troubleOf = (cause: unknown): string | undefined => {
  const code = sqliteCode(cause)
  return code === undefined ? undefined : troubles[code]
}

/** The error that callers get while the store is unavailable. */
export const unavailable = (cause: unknown): StoreUnavailable =>
  new StoreUnavailable({
    message: `The store is not available: ${troubleOf(cause) ?? (cause instanceof Error ? cause.message : String(cause))}.`
  })

const fileTroubles: { readonly [code: string]: string } = {
  EACCES: "this user has no permission to write there",
  EPERM: "this user has no permission to write there",
  EROFS: "the file system is read-only",
  ENOTDIR: "a part of its path is a file, not a folder",
  EEXIST: "a part of its path is a file, not a folder",
  ENOSPC: "the disk is full",
  ENAMETOOLONG: "its name is too long",
  ELOOP: "its symbolic links go in a circle"
}

/** Why a store can't be opened, from an error of SQLite or of the file system. */
export const unusable = (filename: string, cause: unknown): StoreUnusable => {
  if (cause instanceof StoreUnusable) return cause
  const { code, message } = cause as NodeJS.ErrnoException
  const reason = troubleOf(cause) ?? fileTroubles[code ?? ""] ?? message
  return new StoreUnusable({ message: `The store ${filename} can't be used: ${reason}.` })
}
