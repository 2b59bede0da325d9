/** `model-gateway teams members`: roles of people in a team. */
import { teamRoles, TeamName } from "@model-gateway/protocol"
import { Console } from "effect"
import { Argument, Command } from "effect/cli"
import { table } from "../output/Table.ts"
import { adminFlags, asking, decodedAndResponse as responseMode } from "./AdminResponse.ts"
import { showUser, userColumns } from "./IdentityCommands.ts"
import { wordFlag } from "../Flags.ts"

const team = Argument.String("team").pipe(Argument.withDescription("the name of a team"), Argument.withSchema(TeamName))
const user = Argument.String("user").pipe(Argument.withDescription("the id of a person, user_…"))

const list = Command.make(
  "list",
  { team, ...adminFlags },
  asking(
    (client, { team: name }) => client.members.listMembers({ params: { team: name }, responseMode }),
    ({ data }) => Console.log(data.length === 0 ? "Nobody has a role in this team." : table(userColumns, data))
  )
).pipe(Command.withDescription("List the people with a role in a team."), Command.withShortDescription("List members"))

const set = Command.make(
  "set",
  {
    team,
    user,
    role: wordFlag("role", teamRoles, "the role in the team, given by hand"),
    ...adminFlags
  },
  asking(
    (client, { role, team: name, user: id }) =>
      client.members.putMember({ params: { team: name, user: id }, payload: { role }, responseMode }),
    showUser
  )
).pipe(
  Command.withDescription("Give a person a role in a team, beside those of the identity provider."),
  Command.withShortDescription("Give a role in a team"),
  Command.withExamples([{ command: "model-gateway teams members set research user_5kX2pQ9vLmN4cR8t --role admin" }])
)

const remove = Command.make(
  "remove",
  { team, user, ...adminFlags },
  asking(
    (client, { team: name, user: id }) =>
      client.members.deleteMember({ params: { team: name, user: id }, responseMode }),
    showUser
  )
).pipe(
  Command.withDescription("Take away a role that was given by hand. Roles of an identity provider change there."),
  Command.withShortDescription("Take away a role in a team")
)

export const members = Command.make("members").pipe(
  Command.withDescription("Roles of people in a team."),
  Command.withShortDescription("Roles of people in a team"),
  Command.withSubcommands([list, set, remove])
)
