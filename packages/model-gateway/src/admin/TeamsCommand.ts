/** `model-gateway teams`: limits and budgets that several keys share. */
import { PutTeam, TeamName } from "@model-gateway/protocol"
import { Console, Effect } from "effect"
import { Argument, Command } from "effect/cli"
import { say } from "../Environment.ts"
import { wrongUsage } from "../Failure.ts"
import { budgetInShort, limitsInWords } from "../output/LimitsView.ts"
import { table } from "../output/Table.ts"
import { count, orNothing } from "../output/TextOutput.ts"
import { given, sameBudget } from "./FlagValues.ts"
import { teamDetails } from "../output/KeyView.ts"
import { adminFlags, answer, asking, checked, decodedAndResponse as responseMode } from "./AdminResponse.ts"
import { members } from "./MembersCommand.ts"
import { policy } from "./PolicyCommand.ts"
import { limitFields, limitFlags, validateLimitFlags } from "./KeyFlags.ts"
import { optionalText, toggle } from "../Flags.ts"

const team = Argument.String("team").pipe(
  Argument.withDescription("the name of the team, as in `keys create --team`"),
  Argument.withSchema(TeamName)
)

const show = Command.make(
  "show",
  { team, ...adminFlags },
  asking(
    (client, flags) => client.teams.getTeam({ params: { team: flags.team }, responseMode }),
    (found) => Console.log(teamDetails(found))
  )
).pipe(
  Command.withDescription("Show the limits and budgets of a team, and what is left of them."),
  Command.withShortDescription("Show limits and budgets of a team"),
  Command.withExamples([{ command: "model-gateway teams show research" }])
)

const list = Command.make(
  "list",
  {
    search: optionalText("search", "TEXT", "filter by team name"),
    ...adminFlags
  },
  Effect.fn("teams.list")(function* (flags) {
    const query = given({ q: flags.search })
    yield* answer(
      flags,
      (client) => client.teams.listTeams({ query, responseMode }),
      ({ data, has_more }) =>
        data.length === 0
          ? say(
              flags.search._tag === "Some"
                ? "No team matches."
                : "No team yet: `model-gateway teams set NAME --budget 500/month` makes one."
            )
          : Console.log(
              [
                table(
                  [
                    { title: "TEAM", value: ({ team: name }) => orNothing(name), wraps: true },
                    { title: "KEYS", value: ({ keys }) => count(keys), align: "right" },
                    { title: "LIMITS", value: ({ limits }) => limitsInWords(limits), wraps: true },
                    { title: "BUDGETS", value: ({ budgets }) => budgetInShort(budgets), wraps: true }
                  ],
                  data
                ),
                ...(has_more ? ["There are more: name a part of a team with --search."] : [])
              ].join("\n\n")
            )
    )
  })
).pipe(
  Command.withDescription("List the teams that have limits or budgets, by name."),
  Command.withShortDescription("List teams")
)

const remove = Command.make(
  "delete",
  {
    team,
    force: toggle("force", "delete it though keys name it: they go on without its limits and budgets"),
    ...adminFlags
  },
  asking(
    (client, flags) =>
      client.teams.deleteTeam({
        params: { team: flags.team },
        query: flags.force ? { force: "true" as const } : {},
        responseMode
      }),
    (gone) => Console.log(`${orNothing(gone.team)} is deleted. Its spend stays in the ledger.`)
  )
).pipe(
  Command.withDescription(
    "Delete the limits and budgets of a team. Refused while keys name it, unless --force is given."
  ),
  Command.withShortDescription("Delete a team"),
  Command.withExamples([{ command: "model-gateway teams delete research" }])
)

const set = Command.make(
  "set",
  { team, ...limitFlags, ...adminFlags },
  Effect.fn("teams.set")(function* (flags) {
    const change = limitFields(flags)
    if (Object.keys(change).length === 0) return yield* wrongUsage("nothing to set: name at least one of the flags")
    yield* checked(PutTeam, change)
    const params = { team: flags.team }
    yield* answer(
      flags,
      Effect.fnUntraced(function* (client) {
        // The gateway replaces the whole team, so fields without a flag are sent unchanged.
        const before = yield* client.teams.getTeam({ params }).pipe(
          Effect.catchIf(
            (error) => error._tag === "CommandFailed" && error.status === 404,
            () => Effect.succeed({ limits: {}, budgets: [] })
          )
        )
        const payload = {
          limits: { ...before.limits, ...change.limits },
          budgets: change.budgets ?? before.budgets.map(sameBudget)
        }
        return yield* client.teams.putTeam({ params, payload, responseMode })
      }),
      (found) => Console.log(teamDetails(found))
    )
  })
).pipe(
  Command.validate((flags) => validateLimitFlags(flags)),
  Command.withDescription(
    "Set the named limits and budgets of a team; others stay as they are. The list of budgets is replaced as a whole."
  ),
  Command.withShortDescription("Set limits and budgets of a team"),
  Command.withExamples([
    { command: "model-gateway teams set research --rpm 600 --budget 500/month" },
    { command: "model-gateway teams set research --budget none" }
  ])
)

export const teams = Command.make("teams").pipe(
  Command.withDescription(
    "Teams: limits and budgets that several keys share. A request counts for its key and its team."
  ),
  Command.withShortDescription("Limits and budgets that keys share"),
  Command.withSubcommands([list, show, set, remove, members, policy]),
  Command.withExamples([{ command: "model-gateway teams set research --budget 500/month" }])
)
