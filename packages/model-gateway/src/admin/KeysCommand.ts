/** `model-gateway keys`: virtual keys, which callers present. */
import { CreateKey, CreateMyKey, keyStatuses, RotateKey, UpdateKey } from "@model-gateway/protocol"
import { Clock, Console, DateTime, Effect, Option } from "effect"
import { Argument, Command, Flag } from "effect/cli"
import { asCalled } from "../Environment.ts"
import { wrongUsage } from "../Failure.ts"
import { keyDetails, keyTable } from "../output/KeyView.ts"
import { orNothing } from "../output/TextOutput.ts"
import { adminFlags, answer, asking, checked, decodedAndResponse as responseMode } from "./AdminResponse.ts"
import { keyFields, keyFlags, validateKeyFlags } from "./KeyFlags.ts"
import { given, parseSpan, SPAN_ALLOWED } from "./FlagValues.ts"
import { limitFlag, optionalParsed, optionalText, optionalWord, parsedFlag, toggle } from "../Flags.ts"

const id = Argument.String("id").pipe(
  Argument.withDescription("the id of a key, key_…, as `keys list` shows it"),
  // People try its name. It becomes a part of a path, too, where `..` would lead elsewhere.
  Argument.filter(
    (text) => text.startsWith("key_"),
    () => "the id of a key such as key_4f9K2mQ7aZx1 (model-gateway keys list --search NAME finds it)"
  )
)

const create = Command.make(
  "create",
  {
    ...keyFlags,
    personal: toggle("personal", "a key of your own in the team, within what the team allows its members"),
    ...adminFlags
  },
  Effect.fn("keys.create")(function* (flags) {
    const fields = yield* keyFields(flags)
    const show = showSecret("Made")
    if (flags.personal) {
      const { team, ...rest } = fields
      if (typeof team !== "string") return yield* wrongUsage("--personal needs --team, the team that pays for the key")
      const payload = yield* checked(CreateMyKey, { team, ...rest })
      return yield* answer(flags, (client) => client.keys.createMyKey({ payload, responseMode }), show)
    }
    const payload = yield* checked(CreateKey, fields)
    yield* answer(flags, (client) => client.keys.createKey({ payload, responseMode }), show)
  })
).pipe(
  Command.validate((flags) => validateKeyFlags(flags)),
  Command.withDescription(
    "Create a key. The secret is printed to stdout once; it is not stored and can't be shown again. Without a limit or budget, the key is unlimited."
  ),
  Command.withShortDescription("Make a key and show its secret, once"),
  Command.withExamples([
    { command: "model-gateway keys create --name my-app --rpm 60 --budget 10/day" },
    {
      command: "model-gateway keys create --team research --models 'auto,openai/*' --budget 200/month@Europe/Berlin",
      description: "Some models only, and a budget that begins anew with each month in Berlin"
    },
    { command: "KEY=$(model-gateway keys create --expires-in 30d)", description: "In a script" },
    { command: "model-gateway keys create --personal --team research --name laptop", description: "A key of your own" }
  ])
)

/** The secret alone on stdout, so that a script can take it; what people should know beside it. */
const showSecret = (done: string) => (issued: Issued) =>
  Effect.andThen(
    Console.error(
      `${done} ${orNothing(issued.id)}${issued.name === null ? "" : ` (${orNothing(issued.name)})`}. This is its secret. Keep it safe: it is shown only now.`
    ),
    Effect.andThen(Console.log(issued.key), warn(issued))
  )

interface Issued extends Warned {
  readonly id: string
  readonly name: string | null
  readonly key: string
}

interface Warned {
  readonly warnings?: ReadonlyArray<string>
}

const warn = ({ warnings = [] }: Warned) =>
  Effect.forEach(warnings, (warning) => Console.error(`Warning: ${orNothing(warning)}`), { discard: true })

const span = (name: string, description: string) => optionalParsed(name, "SPAN", description, parseSpan, SPAN_ALLOWED)

const list = Command.make(
  "list",
  {
    limit: limitFlag(100),
    after: optionalText("after", "ID", "continue after this key, the last of the previous page"),
    team: optionalText("team", "TEAM", "of this team only"),
    status: optionalWord("status", keyStatuses, "of this status only"),
    search: optionalText("search", "TEXT", "filter by ID or name"),
    mine: toggle("mine", "your personal keys only"),
    owner: optionalText("owner", "USER", "personal keys of this person only, user_…"),
    unused: span("unused", "not used for so long, such as 30d"),
    expiring: span("expiring", "expiring within this time, such as 14d, or expired"),
    ...adminFlags
  },
  Effect.fn("keys.list")(function* (flags) {
    const { after, owner, search: q, status, team } = flags
    const now = yield* Clock.currentTimeMillis
    const at = (seconds: number) => DateTime.formatIso(DateTime.makeUnsafe(now + seconds * 1000))
    const unused_since = Option.map(flags.unused, (seconds) => at(-seconds))
    const expires_before = Option.map(flags.expiring, at)
    const query = { limit: flags.limit, ...given({ after, team, status, owner, unused_since, expires_before, q }) }
    yield* answer(
      flags,
      (client) =>
        flags.mine ? client.keys.listMyKeys({ query, responseMode }) : client.keys.listKeys({ query, responseMode }),
      Effect.fnUntraced(function* ({ data, next }) {
        if (data.length === 0)
          return yield* Console.error(yield* asCalled("No keys; `model-gateway keys create` makes one."))
        yield* Console.log(keyTable(data))
        if (next !== null) yield* Console.error(`There are more: add --after ${orNothing(next)}`)
      })
    )
  })
).pipe(
  Command.withDescription("List keys, newest first, with their tightest budget. Times are UTC."),
  Command.withShortDescription("List keys, newest first"),
  Command.withExamples([
    { command: "model-gateway keys list --team research --status active" },
    { command: "model-gateway keys list --unused 30d", description: "Keys without a request in 30 days" },
    { command: "model-gateway keys list --json", description: "The gateway's JSON, for programs" }
  ])
)

const show = Command.make(
  "show",
  { id, ...adminFlags },
  asking(
    (client, flags) => client.keys.getKey({ params: { id: flags.id }, responseMode }),
    (key) => Console.log(keyDetails(key))
  )
).pipe(
  Command.withDescription("Show a key: its limits, budgets and what is left of them. Never its secret."),
  Command.withShortDescription("Show a key, without its secret"),
  Command.withExamples([{ command: "model-gateway keys show key_4f9K2mQ7aZx1" }])
)

const update = Command.make(
  "update",
  {
    id,
    ...keyFlags,
    disable: toggle("disable", "refuse the key until it is enabled again"),
    enable: toggle("enable", "enable the key"),
    ...adminFlags
  },
  Effect.fn("keys.update")(function* (flags) {
    const switched = flags.enable || flags.disable ? { disabled: flags.disable } : {}
    const change = { ...(yield* keyFields(flags)), ...switched }
    if (Object.keys(change).length === 0) return yield* wrongUsage("nothing to change: name at least one of the flags")
    const payload = yield* checked(UpdateKey, change)
    const params = { id: flags.id }
    yield* answer(
      flags,
      (client) => client.keys.updateKey({ params, payload, responseMode }),
      (key) => Effect.andThen(Console.log(keyDetails(key)), warn(key))
    )
  })
).pipe(
  Command.validate(
    Effect.fnUntraced(function* (flags) {
      if (flags.enable && flags.disable) return yield* wrongUsage("--enable and --disable contradict each other")
      yield* validateKeyFlags(flags)
    })
  ),
  Command.withDescription(
    "Change the named settings of a key; others stay as they are. The list of budgets is replaced as a whole. Changes apply from the next request."
  ),
  Command.withShortDescription("Change limits, budgets and models of a key"),
  Command.withExamples([
    { command: "model-gateway keys update key_4f9K2mQ7aZx1 --rpm 120 --budget 25/day" },
    { command: "model-gateway keys update key_4f9K2mQ7aZx1 --rpm none --models all", description: "Take limits away" },
    { command: "model-gateway keys update key_4f9K2mQ7aZx1 --disable" }
  ])
)

const revoke = Command.make(
  "revoke",
  { id, ...adminFlags },
  asking(
    (client, flags) => client.keys.revokeKey({ params: { id: flags.id }, responseMode }),
    (key) => Console.log(`${orNothing(key.id)} is revoked: no request with it is taken any more.`)
  )
).pipe(
  Command.withDescription(
    "Revoke a key immediately and permanently. Its spend stays in the ledger. Repeating the command is harmless."
  ),
  Command.withShortDescription("Revoke a key immediately and permanently"),
  Command.withExamples([{ command: "model-gateway keys revoke key_4f9K2mQ7aZx1" }])
)

const rotate = Command.make(
  "rotate",
  {
    id,
    grace: parsedFlag(
      "grace",
      "SPAN",
      "how long the old secret works beside the new one, such as 24h (default: not at all)",
      parseSpan,
      SPAN_ALLOWED
    ).pipe(Flag.withDefault(0)),
    ...adminFlags
  },
  Effect.fn("keys.rotate")(function* (flags) {
    const payload = yield* checked(RotateKey, { grace_seconds: flags.grace })
    const params = { id: flags.id }
    yield* answer(
      flags,
      (client) => client.keys.rotateKey({ params, payload, responseMode }),
      showSecret("New secret for")
    )
  })
).pipe(
  Command.withDescription("Give a key a new secret, which goes to stdout, this once. Limits, budgets and spend stay."),
  Command.withShortDescription("Give a key a new secret"),
  Command.withExamples([
    {
      command: "model-gateway keys rotate key_4f9K2mQ7aZx1 --grace 24h",
      description: "Time to bring it to all callers"
    }
  ])
)

export const keys = Command.make("keys").pipe(
  Command.withDescription("Virtual keys: what callers present, with their limits and budgets."),
  Command.withShortDescription("Create, list, change and revoke keys"),
  Command.withSubcommands([create, list, show, update, revoke, rotate]),
  Command.withExamples([{ command: "model-gateway keys create --name my-app --budget 10/day" }])
)
