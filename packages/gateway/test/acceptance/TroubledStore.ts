/** Ways to spoil a store under a running gateway, and to mend it. Where the machine does not permit one, a test is skipped. */
import { spawnSync } from "node:child_process"
import { closeSync, fstatSync, mkdtempSync, openSync, rmSync, writeSync } from "node:fs"
import { tmpdir } from "node:os"
import { dirname, join } from "node:path"
import { DatabaseSync } from "node:sqlite"
import { Effect } from "effect"
import { temporaryStore } from "../support/RunningGateway.ts"

export interface Troubled {
  readonly store: string
  readonly spoil: () => void
  readonly mend: () => void
}

const succeeds = (command: string, ...args: ReadonlyArray<string>) =>
  spawnSync(command, args, { stdio: "ignore" }).status === 0

/** A file system of its own, of so many KiB, until the scope closes; undefined where mounting is not permitted. */
export const smallDisk = (kib: number, options = "") =>
  Effect.acquireRelease(
    Effect.sync(() => {
      const folder = mkdtempSync(join(tmpdir(), "model-gateway-disk-"))
      if (succeeds("mount", "-t", "tmpfs", "-o", `size=${kib}k${options}`, "tmpfs", folder)) return folder
      rmSync(folder, { recursive: true })
      return undefined
    }),
    (folder) =>
      Effect.sync(() => {
        if (folder === undefined) return
        succeeds("umount", folder)
        rmSync(folder, { recursive: true, force: true })
      })
  )

/** Somebody else's file takes all the room that is left. */
const fullDisk = Effect.map(smallDisk(2048), (folder): Troubled | undefined => {
  if (folder === undefined) return undefined
  const filler = join(folder, "filler")
  const spoil = () => {
    const file = openSync(filler, "w")
    const block = Buffer.alloc(4096, "x")
    try {
      for (;;) writeSync(file, block)
    } catch {
      closeSync(file)
    }
  }
  return { store: join(folder, "gateway.db"), spoil, mend: () => rmSync(filler) }
})

/** Files that the kernel keeps as they are, for root too. */
const frozenFiles = Effect.gen(function* () {
  const store = yield* temporaryStore
  const files = [store, `${store}-wal`]
  const permitted = succeeds("chattr", "+i", dirname(store))
  const mend = () => void succeeds("chattr", "-i", dirname(store), ...files)
  mend()
  yield* Effect.addFinalizer(() => Effect.sync(mend))
  const troubled: Troubled = { store, spoil: () => void succeeds("chattr", "+i", ...files), mend }
  return permitted ? troubled : undefined
})

/** Another program that holds the database for itself. */
const foreignLock = Effect.map(temporaryStore, (store): Troubled | undefined => {
  let intruder: DatabaseSync
  return {
    store,
    spoil: () => {
      intruder = new DatabaseSync(store)
      intruder.exec("BEGIN EXCLUSIVE")
    },
    mend: () => {
      intruder.exec("ROLLBACK")
      intruder.close()
    }
  }
})

export const troubles = {
  "a full disk": fullDisk,
  "files that can't be written": frozenFiles,
  "a foreign lock": foreignLock
}

/** Overwrites all pages of a database but the first. */
export const scribble = (store: string): void => {
  const file = openSync(store, "r+")
  const { size } = fstatSync(file)
  writeSync(file, Buffer.alloc(size - 4096, 0xa5), 0, size - 4096, 4096)
  closeSync(file)
}
