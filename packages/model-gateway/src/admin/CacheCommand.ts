/** `model-gateway cache`: what the response cache holds, and deleting it. */
import { type CacheList, PurgeCacheQuery } from "@model-gateway/protocol"
import { Console, Effect, Option } from "effect"
import { Command, Flag } from "effect/cli"
import { say } from "../Environment.ts"
import { wrongUsage } from "../Failure.ts"
import { table } from "../output/Table.ts"
import { orNothing } from "../output/TextOutput.ts"
import { adminFlags, answer, asking, decodedAndResponse as responseMode } from "./AdminResponse.ts"
import { given } from "./FlagValues.ts"
import { optionalText, textFlag, toggle } from "../Flags.ts"

const shown = ({ data }: CacheList) =>
  data.length === 0
    ? say("The cache holds nothing.")
    : Console.log(
        table(
          [
            { title: "OWNER", value: ({ owner }) => orNothing(owner), wraps: true },
            { title: "ENTRIES", value: ({ entries }) => String(entries) },
            { title: "KB", value: ({ bytes }) => String(Math.ceil(bytes / 1024)) }
          ],
          data
        )
      )

const stats = Command.make(
  "stats",
  adminFlags,
  asking((client) => client.cache.listCache({ responseMode }), shown)
).pipe(
  Command.withDescription("Show how many responses the cache holds, by owner. Hits and savings: model-gateway spend."),
  Command.withShortDescription("Show what the cache holds")
)

const purge = Command.make(
  "purge",
  {
    key: optionalText("key", "ID", "what requests of this key stored"),
    team: optionalText("team", "TEAM", "what the keys of this team share"),
    model: textFlag("model", "GLOB", "responses of this provider/model; * matches any characters").pipe(
      Flag.withSchema(PurgeCacheQuery.model.schema),
      Flag.optional
    ),
    all: toggle("all", "everything"),
    ...adminFlags
  },
  Effect.fn("cache.purge")(function* (flags) {
    const all = flags.all ? Option.some("true" as const) : Option.none()
    const query = given({ key: flags.key, team: flags.team, model: flags.model, all })
    yield* answer(flags, (client) => client.cache.purgeCache({ query, responseMode }), shown)
  })
).pipe(
  Command.validate(({ all, key, model, team }) => {
    const isNone = !all && [key, team, model].every(Option.isNone)
    if (isNone) return Effect.fail(wrongUsage("name what to delete: --key, --team, --model or --all"))
    return Option.isSome(key) && Option.isSome(team)
      ? Effect.fail(wrongUsage("--key and --team exclude each other: purge one after the other"))
      : Effect.void
  }),
  Command.withDescription("Delete cached responses, on every gateway of the store. Shows what is left."),
  Command.withShortDescription("Delete cached responses"),
  Command.withExamples([
    { command: "model-gateway cache purge --key key_4f9K2mQ7aZx1" },
    { command: "model-gateway cache purge --model 'openai/*'" }
  ])
)

export const cache = Command.make("cache").pipe(
  Command.withDescription("The response cache: what it holds, and deleting it."),
  Command.withShortDescription("The response cache"),
  Command.withSubcommands([stats, purge]),
  Command.withExamples([{ command: "model-gateway cache stats" }])
)
