/** `model-gateway budgets`: how full they are. */
import { Console, Effect, Option } from "effect"
import { Command } from "effect/cli"
import { say } from "../Environment.ts"
import { table } from "../output/Table.ts"
import { money, orNothing, percent, time } from "../output/TextOutput.ts"
import { adminFlags, answer, decodedAndResponse as responseMode } from "./AdminResponse.ts"
import { raise } from "./RaiseCommand.ts"
import { given } from "./FlagValues.ts"
import { optionalParsed, optionalWord } from "../Flags.ts"

const SHARE_ALLOWED = "a share such as 80%"

/** `80%` is 0.8. */
const parseShare = (text: string): Option.Option<number> => {
  const [, digits] = /^(\d{1,4}(?:\.\d+)?)\s*%$/.exec(text) ?? []
  return digits === undefined ? Option.none() : Option.some(Number(digits) / 100)
}

export const budgets = Command.make(
  "budgets",
  {
    minUsed: optionalParsed(
      "min-used",
      "SHARE",
      "only budgets with at least this share spent, such as 80%",
      parseShare,
      SHARE_ALLOWED
    ),
    scope: optionalWord(
      "scope",
      ["key", "team", "end_user"],
      "only budgets of keys, of teams, or of end users with a request in the last ten minutes"
    ),
    ...adminFlags
  },
  Effect.fn("budgets")(function* (flags) {
    const query = given({ min_used: flags.minUsed, scope: flags.scope })
    yield* answer(
      flags,
      (client) => client.budgets.listBudgets({ query, responseMode }),
      ({ data, has_more }) =>
        data.length === 0
          ? say(
              flags.minUsed._tag === "Some" || flags.scope._tag === "Some"
                ? "No budget matches."
                : "No key and no team has a budget: `model-gateway keys create --budget 25/month` makes a key with one."
            )
          : Console.log(
              [
                table(
                  [
                    {
                      title: "OF",
                      value: ({ id, name }) => (name === null ? orNothing(id) : `${id} ${orNothing(name)}`),
                      wraps: true
                    },
                    { title: "WINDOW", value: ({ window }) => window },
                    { title: "USED", value: ({ used }) => percent(used), align: "right" },
                    { title: "SPENT", value: ({ spent_usd }) => money(spent_usd), align: "right" },
                    { title: "LEFT", value: ({ remaining_usd }) => money(remaining_usd), align: "right" },
                    { title: "RUNS OUT", value: ({ runs_out_at }) => time(runs_out_at) },
                    { title: "RESETS", value: ({ resets_at }) => time(resets_at) }
                  ],
                  data
                ),
                ...(has_more ? ["There are more."] : [])
              ].join("\n\n")
            )
    )
  })
).pipe(
  Command.withDescription(
    "List the budgets of keys and teams, or of end users, most used first, with the time when each runs out at the rate of the last hour."
  ),
  Command.withShortDescription("Show how much of each budget is spent"),
  Command.withSubcommands([raise]),
  Command.withExamples([{ command: "model-gateway budgets --min-used 80%" }])
)
