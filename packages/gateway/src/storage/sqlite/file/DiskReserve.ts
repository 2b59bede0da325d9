/** The part of the disk reserved for the ledger and administration. Below it, responses are no longer written. */
import { realpathSync, statfsSync, statSync } from "node:fs"
import { dirname } from "node:path"
import { Context } from "effect"

/** Bytes that this process may use on the disk of a folder. */
export const FreeBytes = Context.Reference<(folder: string) => number>("gateway/storage/FreeBytes", {
  defaultValue: () => (folder) => {
    const { bavail, bsize } = statfsSync(folder)
    return bavail * bsize
  }
})

/** Whether this many bytes may be written: twice, into the log and into the database, beside the current log. */
export const DiskReserve = Context.Reference<(bytes: number) => boolean>("gateway/storage/DiskReserve", {
  defaultValue: () => () => true
})

export const reserveOf =
  (free: (folder: string) => number, filename: string, reserve: number): ((bytes: number) => boolean) =>
  (bytes) => {
    const path = realpathSync(filename)
    const log = statSync(`${path}-wal`, { throwIfNoEntry: false })?.size ?? 0
    return free(dirname(path)) - log - 2 * bytes >= reserve
  }
