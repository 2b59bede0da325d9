/** `model-gateway import litellm-keys`: the keys of LiteLLM's database, from an export of their table or from the database itself. */
import { Clock, Console, DateTime, Effect, Option } from "effect"
import { Argument, Command, Flag } from "effect/cli"
import { nanoToDecimal } from "@model-gateway/gateway/internal/core/domain/Money"
import { asCalled } from "../Environment.ts"
import { wrongUsage } from "../Failure.ts"
import { findStore, storeFlags } from "../ledger/StoreFlags.ts"
import { apply } from "./LitellmKeysApply.ts"
import type { Imports } from "@model-gateway/import-litellm/keys/ReadKeys"
import { type Figures, reportAsJson, reportAsText } from "@model-gateway/import-litellm/keys/Report"
import { importsFrom, modelsIn } from "./LitellmKeysSource.ts"
import { optionalText, toggle, wordFlag } from "../Flags.ts"

export const litellmKeys = Command.make(
  "litellm-keys",
  {
    file: Argument.String("file").pipe(
      Argument.withDescription("the table LiteLLM_VerificationToken as CSV, with a first line of column names"),
      Argument.optional
    ),
    databaseUrl: optionalText(
      "database-url",
      "URL",
      "LiteLLM's database (postgresql://…) instead: its keys, teams, users, budgets and end users; it is only read"
    ),
    databaseUrlEnv: optionalText(
      "database-url-env",
      "NAME",
      "the variable that has that URL, such as DATABASE_URL: others on this machine see what a command is given"
    ),
    ...storeFlags,
    apply: toggle("apply", "write the keys; without it nothing is written, and the report says what would be"),
    keepSecrets: toggle("keep-secrets", "callers go on with the keys that they have (sk-…)"),
    newSecrets: optionalText(
      "new-secrets",
      "FILE",
      "every key gets a secret of this gateway; they are written to this file, once"
    ),
    allowLooser: toggle("allow-looser", "keys that could do more here than there are made active all the same"),
    endUserBudget: optionalText(
      "end-user-budget",
      "ID",
      "what each end user has: the budget that litellm_settings.max_end_user_budget_id of LiteLLM's config.yaml names"
    ),
    timeZone: Flag.String("time-zone").pipe(
      Flag.withDescription("where budgets' days, weeks and months begin: LiteLLM's timezone setting (default: UTC)"),
      Flag.filter(
        (name) => Option.isSome(DateTime.zoneMakeNamed(name)),
        () => "the IANA name of a time zone, such as Europe/Berlin"
      ),
      Flag.withDefault("UTC")
    ),
    report: wordFlag(
      "report",
      ["text", "json"],
      "text lists what changed or was left out; json has a line for every value (default: text)"
    ).pipe(Flag.withDefault("text" as const))
  },
  Effect.fn("import.litellmKeys")(function* (flags) {
    const { allowLooser, keepSecrets, newSecrets, report, timeZone } = flags
    if (flags.apply && keepSecrets === Option.isSome(newSecrets)) return yield* wrongUsage(WHICH_SECRETS)
    const now = yield* Clock.currentTimeMillis
    const endUserBudget = Option.getOrUndefined(flags.endUserBudget)
    if (endUserBudget !== undefined && Option.isSome(flags.file)) return yield* wrongUsage(NO_BUDGETS)
    const modelsOf = yield* modelsIn(flags)
    const imports = yield* importsFrom(flags, { timeZone, now, allowLooser, endUserBudget, modelsOf })
    const figures = figuresOf(imports)
    if (!flags.apply) {
      const told =
        report === "json"
          ? reportAsJson(imports, figures, { applied: false })
          : `${reportAsText(imports, figures)}\n\n${HOW_TO_APPLY}`
      return yield* Console.log(yield* asCalled(told))
    }
    const store = yield* findStore(flags)
    const added = yield* apply(imports, store, now, newSecrets)
    const before = { keys: imports.candidates.length - added.keys, teams: imports.teams.length - added.teams }
    const done = [
      `Imported ${counted(added.keys, "key")}${imports.teams.length === 0 ? "" : ` and ${counted(added.teams, "team")}`} into ${store.name}.`,
      ...(imports.endUsers.length === 0
        ? []
        : [`Added ${counted(added.endUsers, "record")} of end users, each for its team or key.`]),
      ...wereThere(before.keys, "key"),
      ...wereThere(before.teams, "team"),
      ...(Option.isSome(newSecrets) && added.keys > 0
        ? [`The new secrets are in ${newSecrets.value}, and nowhere else: hand them out, then delete it.`]
        : [])
    ]
    yield* Console.log(
      report === "json"
        ? reportAsJson(imports, figures, {
            applied: true,
            imported: added.keys,
            already_there: before.keys,
            imported_teams: added.teams,
            teams_already_there: before.teams,
            imported_end_users: added.endUsers
          })
        : yield* asCalled([reportAsText(imports, figures), "", ...done].join("\n"))
    )
  })
).pipe(
  Command.withDescription(
    "Import LiteLLM's keys from an export of their table or from its database. Names, limits, budgets and their spend, models, expiry and tags are kept; from the database, teams and end users too. Without --apply nothing is written. Every value is carried over, or reported with its row and the reason. A repeated run adds no key twice; either all keys are imported or none. Stop the gateway first: its store belongs to one process."
  ),
  Command.withShortDescription("Import LiteLLM's keys"),
  Command.withExamples([
    { command: "model-gateway import litellm-keys keys.csv", description: "Only look at it" },
    {
      command: "model-gateway import litellm-keys --database-url-env DATABASE_URL --apply --keep-secrets",
      description: "Callers change nothing"
    },
    { command: "model-gateway import litellm-keys keys.csv --apply --new-secrets new-keys.csv" }
  ])
)

const counted = (count: number, what: string): string => `${count} ${what}${count === 1 ? "" : "s"}`

const wereThere = (count: number, what: string): ReadonlyArray<string> =>
  count === 0
    ? []
    : [
        `${counted(count, what)} ${count === 1 ? "was" : "were"} there already and ${count === 1 ? "stays as it is" : "stay as they are"}.`
      ]

const figuresOf = ({ candidates, endUsers, teams }: Imports): Figures => ({
  keys: candidates.length,
  teams: teams.length,
  end_users: endUsers.length,
  disabled: candidates.filter(({ isDisabled }) => isDisabled).length,
  looser: candidates.filter(({ isDisabled, isLooser }) => isLooser && isDisabled).length,
  spent: nanoToDecimal([...candidates, ...teams, ...endUsers].reduce((sum, { spent }) => sum + spent, 0))
})

const WHICH_SECRETS =
  "Say what callers present from now on: --keep-secrets (what they have) or --new-secrets FILE (a secret of this gateway for each key)."

const NO_BUDGETS =
  "--end-user-budget names a row of LiteLLM's budgets, which an export of its keys does not have: give --database-url or --database-url-env."

const HOW_TO_APPLY = "Nothing is written. With --apply and --keep-secrets, or --new-secrets FILE, it is."
