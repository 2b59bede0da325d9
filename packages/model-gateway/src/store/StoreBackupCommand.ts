/** `model-gateway store backup` and `store restore`: a store in a file, and a copy of it. */
import { Console, Effect } from "effect"
import { Argument, Command } from "effect/cli"
import { CommandFailed } from "../Failure.ts"
import { findStore, type FoundStore, storeFlags } from "../ledger/StoreFlags.ts"
import { count } from "../output/TextOutput.ts"

const file = (description: string) =>
  Argument.String("file").pipe(Argument.withMetavar("FILE"), Argument.withDescription(description))

const failed = ({ message }: { readonly message: string }) => new CommandFailed({ message })

/** A database has tools of its own, which know its roles and tablespaces. */
const onPostgres = (store: FoundStore & { readonly postgres: object }, tool: string) =>
  new CommandFailed({
    message: `The store ${store.name} is on Postgres: use ${tool}, as docs/backup.md shows.`
  })

export const backup = Command.make(
  "backup",
  { ...storeFlags, file: file("the backup to write; it must not exist") },
  Effect.fn("store.backup")(function* ({ file, ...flags }) {
    const store = yield* findStore(flags)
    if ("postgres" in store) return yield* onPostgres(store, "pg_dump")
    const { backupStore } = yield* Effect.promise(() => import("./reading/Backup.ts"))
    const { bytes } = yield* Effect.mapError(backupStore(store.file, file), failed)
    yield* Console.log(`Backed up ${store.name} to ${file}: ${count(bytes)} bytes.`)
  })
).pipe(
  Command.withDescription(
    "Copy the store to one file, as a consistent snapshot. A gateway can be running. The copy contains the hashes of all keys: protect it like the store."
  ),
  Command.withShortDescription("Back up the store"),
  Command.withExamples([
    { command: "model-gateway store backup gateway-backup.db", description: "The store of gateway.yaml" },
    { command: "model-gateway store backup --store .model-gateway/gateway.db gateway-backup.db" }
  ])
)

export const restore = Command.make(
  "restore",
  { ...storeFlags, file: file("the backup; it stays as it is") },
  Effect.fn("store.restore")(function* ({ file, ...flags }) {
    const store = yield* findStore(flags)
    if ("postgres" in store) return yield* onPostgres(store, "pg_restore")
    const { restoreStore } = yield* Effect.promise(() => import("./reading/Backup.ts"))
    const { bytes } = yield* Effect.mapError(restoreStore(file, store.file), failed)
    yield* Console.log(`Restored ${store.name} from ${file}: ${count(bytes)} bytes.`)
  })
).pipe(
  Command.withDescription(
    "Create the store from a backup. Stop the gateway first, and move an existing store away together with its -wal file."
  ),
  Command.withShortDescription("Restore the store from a backup"),
  Command.withExamples([{ command: "model-gateway store restore gateway-backup.db" }])
)
