/** `model-gateway import litellm-keys`: the keys of LiteLLM's database, from an export of their table. */
import { Clock, Console, DateTime, Effect, FileSystem, Option, Result } from "effect"
import { Argument, Command, Flag } from "effect/cli"
import { nanoToDecimal } from "../../../core/domain/Money.ts"
import * as SqliteStore from "../../../storage/sqlite/file/SqliteStore.ts"
import { asCalled } from "../../Environment.ts"
import { CommandFailed, wrongUsage } from "../../Failure.ts"
import { findStore, storeFlags } from "../../ledger/StoreFlags.ts"
import { commit, prepare, secretsAsCsv } from "./Import.ts"
import { type Figures, problemsAsText, reportAsJson, reportAsText } from "./Report.ts"
import { readTable, type Table } from "./Read.ts"
import { textOf } from "./Text.ts"

const OWNER_ONLY = 0o600

const flag = (name: string, description: string) =>
  Flag.Boolean(name).pipe(Flag.withDescription(description), Flag.withoutNegation, Flag.withDefault(false))

export const litellmKeys = Command.make(
  "litellm-keys",
  {
    file: Argument.String("file").pipe(
      Argument.withDescription("the table LiteLLM_VerificationToken as CSV, with a first line of column names"),
      Argument.optional
    ),
    ...storeFlags,
    apply: flag("apply", "write the keys; without it nothing is written, and the report says what would be"),
    keepSecrets: flag("keep-secrets", "callers go on with the keys that they have (sk-…)"),
    newSecrets: Flag.String("new-secrets").pipe(
      Flag.withMetavar("FILE"),
      Flag.withDescription("every key gets a secret of this gateway; they are written to this file, once"),
      Flag.optional
    ),
    allowLooser: flag("allow-looser", "keys that could do more here than there are made active all the same"),
    timeZone: Flag.String("time-zone").pipe(
      Flag.withDescription("where budgets' days, weeks and months begin: LiteLLM's timezone setting (default: UTC)"),
      Flag.filter(
        (name) => Option.isSome(DateTime.zoneMakeNamed(name)),
        () => "the IANA name of a time zone, such as Europe/Berlin"
      ),
      Flag.withDefault("UTC")
    ),
    report: Flag.Literals("report", ["text", "json"]).pipe(
      Flag.withDescription("text tells what is not as it was; json has a line for every value (default: text)"),
      Flag.withDefault("text" as const)
    ),
    databaseUrl: Flag.String("database-url").pipe(
      Flag.withMetavar("URL"),
      Flag.withDescription("not yet: LiteLLM's database itself"),
      Flag.optional
    )
  },
  Effect.fn("import.litellmKeys")(function* (flags) {
    if (Option.isSome(flags.databaseUrl)) return yield* wrongUsage(NO_DATABASE)
    if (Option.isNone(flags.file))
      return yield* wrongUsage("Which file? Give the export of LiteLLM's table of keys, such as keys.csv.")
    const { apply, keepSecrets, newSecrets } = flags
    if (apply && keepSecrets === Option.isSome(newSecrets)) return yield* wrongUsage(WHICH_SECRETS)
    const now = yield* Clock.currentTimeMillis
    const table = yield* tableIn(flags.file.value, { timeZone: flags.timeZone, now, allowLooser: flags.allowLooser })
    const figures = figuresOf(table)
    if (!apply) {
      const told =
        flags.report === "json"
          ? reportAsJson(table, figures, { applied: false })
          : `${reportAsText(table, figures)}\n\n${HOW_TO_APPLY}`
      return yield* Console.log(yield* asCalled(told))
    }
    const filename = yield* storeOf(flags)
    const imported = yield* write(table, now, newSecrets).pipe(
      Effect.provide(SqliteStore.layerForImport({ filename })),
      Effect.mapError((error) =>
        error instanceof CommandFailed ? error : new CommandFailed({ message: `Nothing is imported: ${error.message}` })
      )
    )
    const before = table.candidates.length - imported
    const done = [
      `Imported ${imported} ${imported === 1 ? "key" : "keys"} into ${filename}.`,
      ...(before === 0
        ? []
        : [
            `${before} ${before === 1 ? "was" : "were"} there already and ${before === 1 ? "stays as it is" : "stay as they are"}.`
          ]),
      ...(Option.isSome(newSecrets) && imported > 0
        ? [`The new secrets are in ${newSecrets.value}, and nowhere else: hand them out, then delete it.`]
        : [])
    ]
    yield* Console.log(
      flags.report === "json"
        ? reportAsJson(table, figures, { applied: true, imported, already_there: before })
        : yield* asCalled([reportAsText(table, figures), "", ...done].join("\n"))
    )
  })
).pipe(
  Command.withDescription(
    "Read an export of LiteLLM's table of keys, and make the same keys here: names, limits, budgets with what is spent of them, models, expiry, tags. Without --apply it only says what would be. Every value is carried over, or reported with its line and the reason. A key comes once, however often this is run; all of the file, or nothing. The gateway must not run: its store belongs to one process."
  ),
  Command.withShortDescription("Bring LiteLLM's keys along"),
  Command.withExamples([
    { command: "model-gateway import litellm-keys keys.csv", description: "Only look at it" },
    {
      command: "model-gateway import litellm-keys keys.csv --apply --keep-secrets",
      description: "Callers change nothing"
    },
    { command: "model-gateway import litellm-keys keys.csv --apply --new-secrets new-keys.csv" }
  ])
)

/** Its path. A store in Postgres takes none: what is asked for must not end in a file that nobody reads. */
const storeOf = Effect.fnUntraced(function* (flags: Parameters<typeof findStore>[0]) {
  const found = yield* findStore(flags)
  if ("file" in found) return found.file
  return yield* new CommandFailed({
    message: `Nothing is imported: keys can only be brought to a store in a file yet, and this one is in Postgres (${found.name}).`
  })
})

const tableIn = Effect.fnUntraced(function* (file: string, options: Parameters<typeof readTable>[1]) {
  const fileSystem = yield* FileSystem.FileSystem
  const bytes = yield* fileSystem.readFile(file).pipe(
    Effect.mapError(
      ({ reason }) =>
        new CommandFailed({
          message: `${file} can't be read: ${reason._tag === "NotFound" ? "no such file" : reason.message}`
        })
    )
  )
  const text = textOf(bytes)
  if (Result.isFailure(text)) return yield* new CommandFailed({ message: `${file} can't be read: ${text.failure}.` })
  const table = readTable(text.success, options)
  if (Result.isFailure(table)) return yield* new CommandFailed({ message: problemsAsText(file, table.failure) })
  return table.success
})

/** How many were added. New secrets are on the disk before their keys are, and go again if those can't be written. */
const write = Effect.fnUntraced(function* ({ candidates }: Table, now: number, newSecrets: Option.Option<string>) {
  const fileSystem = yield* FileSystem.FileSystem
  const prepared = yield* prepare(candidates, Option.isNone(newSecrets))
  if (prepared.length === 0) return 0
  if (Option.isNone(newSecrets)) return (yield* commit(prepared, now)).size
  const out = newSecrets.value
  yield* fileSystem.writeFileString(out, secretsAsCsv(prepared), { flag: "wx", mode: OWNER_ONLY }).pipe(
    Effect.mapError(
      ({ reason }) =>
        new CommandFailed({
          message:
            reason._tag === "AlreadyExists"
              ? `Nothing is imported: ${out} is there already; name another file.`
              : `Nothing is imported: ${out} can't be written: ${reason.message}`
        })
    )
  )
  const added = yield* commit(prepared, now).pipe(Effect.tapError(() => Effect.ignore(fileSystem.remove(out))))
  return added.size
})

const figuresOf = ({ candidates }: Table): Figures => ({
  keys: candidates.length,
  disabled: candidates.filter(({ isDisabled }) => isDisabled).length,
  looser: candidates.filter(({ isDisabled, isLooser }) => isLooser && isDisabled).length,
  spent: nanoToDecimal(candidates.reduce((sum, { spent }) => sum + spent, 0))
})

const NO_DATABASE = `LiteLLM's database can't be read here yet (--database-url). Export the table: psql "$DATABASE_URL" -c '\\copy (SELECT * FROM "LiteLLM_VerificationToken") TO keys.csv CSV HEADER'`

const WHICH_SECRETS =
  "Say what callers present from now on: --keep-secrets (what they have) or --new-secrets FILE (a secret of this gateway for each key)."

const HOW_TO_APPLY = "Nothing is written. With --apply and --keep-secrets, or --new-secrets FILE, it is."
