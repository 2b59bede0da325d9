/** `model-gateway sessions`: administrators who are signed in with a browser. */
import { Console, Effect, Option } from "effect"
import { Argument, Command } from "effect/cli"
import { wrongUsage } from "../Failure.ts"
import { table } from "../output/Table.ts"
import { orNothing, time } from "../output/TextOutput.ts"
import { adminFlags, answer, asking, decodedAndResponse as responseMode } from "./AdminResponse.ts"
import { toggle } from "../Flags.ts"

const list = Command.make(
  "list",
  adminFlags,
  asking(
    (client) => client.sessions.listSessions({ responseMode }),
    ({ data }) =>
      Console.log(
        data.length === 0
          ? "No browser is signed in."
          : table(
              [
                { title: "ID", value: ({ id }) => id },
                { title: "WHO", value: ({ user }) => user ?? "master key" },
                { title: "FROM", value: ({ address }) => orNothing(address) },
                { title: "SINCE (UTC)", value: ({ created_at }) => time(created_at) },
                { title: "LAST USE", value: ({ last_used_at }) => time(last_used_at) },
                { title: "ENDS", value: ({ expires_at }) => time(expires_at) }
              ],
              data
            )
      )
  )
).pipe(
  Command.withDescription("List who is signed in with a browser, newest first."),
  Command.withShortDescription("List who is signed in")
)

const ended = ({ ended: count }: { readonly ended: number }) =>
  Console.log(count === 1 ? "1 session ended." : `${count} sessions ended.`)

const revoke = Command.make(
  "revoke",
  {
    id: Argument.String("id").pipe(Argument.withDescription("the id of a session, sess_…"), Argument.optional),
    all: toggle("all", "end every session"),
    ...adminFlags
  },
  Effect.fn("sessions.revoke")(function* ({ all, id, ...flags }) {
    if (all === Option.isSome(id)) return yield* wrongUsage("name a session, or give --all")
    yield* answer(
      flags,
      (client) =>
        Option.isSome(id)
          ? client.sessions.revokeSession({ params: { id: id.value }, responseMode })
          : client.sessions.closeSessions({ responseMode }),
      ended
    )
  })
).pipe(
  Command.withDescription("End one session or all of them, immediately. The master key keeps working."),
  Command.withShortDescription("End sessions"),
  Command.withExamples([
    { command: "model-gateway sessions revoke sess_5kX2pQ9vLmN4cR8t" },
    { command: "model-gateway sessions revoke --all" }
  ])
)

export const sessions = Command.make("sessions").pipe(
  Command.withDescription("Browser sessions of administrators. A session lasts at most 8 hours."),
  Command.withShortDescription("Browser sessions of administrators"),
  Command.withSubcommands([list, revoke])
)
