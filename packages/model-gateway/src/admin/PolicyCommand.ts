/** `model-gateway teams policy`: what the members of a team may do for themselves. */
import { PutPersonalKeys, type TeamPolicy, TeamName } from "@model-gateway/protocol"
import { Console, Effect, Option } from "effect"
import { Argument, Command, Flag } from "effect/cli"
import { amounts, limitsInWords } from "../output/LimitsView.ts"
import { pairs } from "../output/Table.ts"
import { list, orNothing } from "../output/TextOutput.ts"
import { adminFlags, answer, asking, checked, decodedAndResponse as responseMode } from "./AdminResponse.ts"
import { NONE, parseSpan, SPAN_ALLOWED } from "./FlagValues.ts"
import { limitFields, limitFlags, modelsFlag, validateLimitFlags } from "./KeyFlags.ts"
import { optionalParsed, optionalWord } from "../Flags.ts"

const team = Argument.String("team").pipe(Argument.withDescription("the name of a team"), Argument.withSchema(TeamName))

const details = ({ personal_keys: allowed, team: name }: TeamPolicy) =>
  Console.log(
    pairs([
      ["team", orNothing(name)],
      ["personal keys", allowed.enabled ? "allowed" : "not allowed"],
      ["keys", `at most ${allowed.max_keys} per member`],
      ["lifetime", allowed.max_lifetime_seconds === null ? "any" : `at most ${allowed.max_lifetime_seconds / 3600} h`],
      ["models", allowed.models.length === 0 ? "all" : list(allowed.models)],
      ["limits", `${limitsInWords(allowed.limits)} per member`],
      ["budgets", allowed.budgets.length === 0 ? "none" : `${amounts(allowed.budgets)} per member`]
    ])
  )

const show = Command.make(
  "show",
  { team, ...adminFlags },
  asking((client, { team: name }) => client.teams.getTeamPolicy({ params: { team: name }, responseMode }), details)
).pipe(
  Command.withDescription("Show what the members of a team may do for themselves."),
  Command.withShortDescription("Show the policy of a team")
)

const set = Command.make(
  "set",
  {
    team,
    personalKeys: optionalWord(
      "personal-keys",
      ["allow", "deny"],
      "whether members may make keys for themselves; deny also suspends those that there are"
    ),
    maxKeys: Flag.Int("max-keys").pipe(
      Flag.withMetavar("N"),
      Flag.withDescription("keys of one member that are not revoked (default: 5)"),
      Flag.optional
    ),
    maxLifetime: optionalParsed(
      "max-lifetime",
      "SPAN",
      `the longest time from creation to expiry, such as 90d (${NONE}: any)`,
      (text) => (text === NONE ? Option.some(null) : parseSpan(text)),
      `${SPAN_ALLOWED}, or ${NONE}`
    ),
    models: modelsFlag("personal keys"),
    ...limitFlags,
    ...adminFlags
  },
  Effect.fn("teams.policy.set")(function* (flags) {
    const params = { team: flags.team }
    const { budgets, limits } = limitFields(flags)
    yield* answer(
      flags,
      Effect.fnUntraced(function* (client) {
        // The gateway replaces the policy, so fields without a flag are sent unchanged.
        const missing = (error: object) => "status" in error && error.status === 404
        const none = { personal_keys: { enabled: false, limits: {} } }
        const { personal_keys: before } = yield* client.teams
          .getTeamPolicy({ params })
          .pipe(Effect.catchIf(missing, () => Effect.succeed(none)))
        const payload = yield* checked(PutPersonalKeys, {
          ...before,
          enabled: Option.match(flags.personalKeys, {
            onNone: () => before.enabled,
            onSome: (word) => word === "allow"
          }),
          ...Option.match(flags.maxKeys, { onNone: () => ({}), onSome: (max_keys) => ({ max_keys }) }),
          ...Option.match(flags.maxLifetime, {
            onNone: () => ({}),
            onSome: (max_lifetime_seconds) => ({ max_lifetime_seconds })
          }),
          ...Option.match(flags.models, { onNone: () => ({}), onSome: (models) => ({ models }) }),
          limits: { ...before.limits, ...limits },
          ...(budgets === undefined ? {} : { budgets })
        })
        return yield* client.teams.putPersonalKeys({ params, payload, responseMode })
      }),
      details
    )
  })
).pipe(
  Command.validate((flags) => validateLimitFlags(flags)),
  Command.withDescription(
    "Set what personal keys of a team may do: what is named, and nothing else. Limits and budgets are of all keys of one member together."
  ),
  Command.withShortDescription("Set the policy of a team"),
  Command.withExamples([
    { command: "model-gateway teams policy set research --personal-keys allow --max-lifetime 90d --budget 50/month" },
    { command: "model-gateway teams policy set research --personal-keys deny" }
  ])
)

export const policy = Command.make("policy").pipe(
  Command.withDescription("What the members of a team may do for themselves."),
  Command.withShortDescription("Rules for personal keys of a team"),
  Command.withSubcommands([show, set])
)
