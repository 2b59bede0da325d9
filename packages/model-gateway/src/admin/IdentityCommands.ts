/** `model-gateway whoami`, `users` and `tokens`: who may administer the gateway. */
import { CreateServiceToken, type ServiceToken, type User } from "@model-gateway/protocol"
import { Console, DateTime, Effect, Option } from "effect"
import { Argument, Command, Flag } from "effect/cli"
import { say } from "../Environment.ts"
import { wrongUsage } from "../Failure.ts"
import { budgetLines } from "../output/LimitsView.ts"
import { type Column, table } from "../output/Table.ts"
import { orNothing, time } from "../output/TextOutput.ts"
import { adminFlags, answer, asking, checked, decodedAndResponse as responseMode } from "./AdminResponse.ts"
import { given, NONE, parseSpan, SPAN_ALLOWED } from "./FlagValues.ts"
import { optionalParsed, wordFlag } from "../Flags.ts"

const user = Argument.String("user").pipe(Argument.withDescription("the id of a person, user_…"))

export const whoami = Command.make(
  "whoami",
  adminFlags,
  asking(
    (client) => client.me.getMe({ responseMode }),
    ({ email, id, name, role, teams }) =>
      Console.log(
        [
          `${name ?? id}${email === null ? "" : ` <${email}>`}${name === null ? "" : ` (${id})`}`,
          `role: ${orNothing(role)}`,
          ...teams.flatMap(({ budgets = [], personal_keys, role: its, team }) => [
            `team ${team}: ${its}${personal_keys === undefined ? "" : ", personal keys allowed"}`,
            ...budgetLines(budgets).map((line) => `  ${line}`)
          ])
        ].join("\n")
      )
  )
).pipe(
  Command.withDescription("Show as whom the commands of this program call the gateway, with which roles."),
  Command.withShortDescription("Show your roles at the gateway")
)

const rolesOf = ({ roles }: User): string =>
  roles.map(({ role, source, team }) => `${role}${team === null ? "" : ` in ${team}`} (${source})`).join(", ")

/** Of people, here and in `teams members`. */
export const userColumns: ReadonlyArray<Column<User>> = [
  { title: "ID", value: ({ id }) => id },
  { title: "NAME", value: ({ name }) => orNothing(name), wraps: true },
  { title: "E-MAIL", value: ({ email }) => orNothing(email), wraps: true },
  { title: "STATUS", value: ({ status }) => status },
  { title: "ROLES", value: (one) => orNothing(rolesOf(one)), wraps: true },
  { title: "LAST SIGN-IN", value: ({ last_seen_at }) => time(last_seen_at) }
]

export const showUser = (one: User) => Console.log(table(userColumns, [one]))

const listUsers = Command.make(
  "list",
  {
    team: Flag.String("team").pipe(Flag.withDescription("only people with a role in this team"), Flag.optional),
    q: Flag.String("search").pipe(Flag.withDescription("filter by ID, name or e-mail"), Flag.optional),
    after: Flag.String("after").pipe(Flag.withDescription("continue after this person"), Flag.optional),
    ...adminFlags
  },
  asking(
    (client, { after, q, team }) => client.users.listUsers({ query: given({ after, q, team }), responseMode }),
    ({ data, next }) =>
      Console.log(data.length === 0 ? "Nobody has signed in." : table(userColumns, data)).pipe(
        Effect.andThen(next === null ? Effect.void : say(`\nThere is more: --after ${next}`))
      )
  )
).pipe(Command.withDescription("List the people who have signed in."), Command.withShortDescription("List people"))

const showOne = Command.make(
  "show",
  { user, ...adminFlags },
  asking((client, { user: id }) => client.users.getUser({ params: { user: id }, responseMode }), showUser)
).pipe(
  Command.withDescription("Show one person, and what gave each role."),
  Command.withShortDescription("Show a person")
)

const set = Command.make(
  "set",
  {
    user,
    role: wordFlag(
      "role",
      ["admin", "viewer", NONE],
      `the role in the whole gateway, given by hand; ${NONE} takes it away`
    ),
    ...adminFlags
  },
  asking(
    (client, { role, user: id }) =>
      client.users.updateUser({ params: { user: id }, payload: { role: role === NONE ? null : role }, responseMode }),
    showUser
  )
).pipe(
  Command.withDescription("Give a person a role in the whole gateway, beside those of the identity provider."),
  Command.withShortDescription("Set a global role"),
  Command.withExamples([{ command: "model-gateway users set user_5kX2pQ9vLmN4cR8t --role viewer" }])
)

const withStatus = (name: "disable" | "enable", description: string) =>
  Command.make(
    name,
    { user, ...adminFlags },
    asking((client, { user: id }) => {
      const payload = { status: name === "disable" ? "disabled" : "active" } as const
      return client.users.updateUser({ params: { user: id }, payload, responseMode })
    }, showUser)
  ).pipe(Command.withDescription(description), Command.withShortDescription(description.split(",")[0]!))

const erase = Command.make(
  "erase",
  { user, ...adminFlags },
  asking((client, { user: id }) => client.users.eraseUser({ params: { user: id }, responseMode }), showUser)
).pipe(
  Command.withDescription(
    "Erase name, e-mail, roles and sessions of a person. The ID stays in the audit log. It can't be undone."
  ),
  Command.withShortDescription("Erase personal data")
)

const signOut = Command.make(
  "sign-out",
  { user, ...adminFlags },
  asking(
    (client, { user: id }) => client.users.signOutUser({ params: { user: id }, responseMode }),
    ({ ended }) => Console.log(ended === 1 ? "1 session ended." : `${ended} sessions ended.`)
  )
).pipe(
  Command.withDescription("End all sessions of a person, immediately."),
  Command.withShortDescription("End all sessions of a person")
)

export const users = Command.make("users").pipe(
  Command.withDescription("People who sign in, and their roles."),
  Command.withShortDescription("People and their roles"),
  Command.withSubcommands([
    listUsers,
    showOne,
    set,
    withStatus("disable", "Refuse a person everywhere, until enabled again."),
    withStatus("enable", "Let a disabled person in again, with the same roles."),
    erase,
    signOut
  ])
)

const tokenColumns: ReadonlyArray<Column<ServiceToken>> = [
  { title: "ID", value: ({ id }) => id },
  { title: "NAME", value: ({ name }) => name, wraps: true },
  { title: "ROLE", value: ({ role, team }) => `${role}${team === null ? "" : ` in ${team}`}` },
  { title: "BY", value: ({ created_by }) => created_by },
  { title: "EXPIRES", value: ({ expires_at }) => time(expires_at) },
  { title: "LAST USE", value: ({ last_used_at }) => orNothing(last_used_at && time(last_used_at)) }
]

const createToken = Command.make(
  "create",
  {
    name: Flag.String("name").pipe(Flag.withDescription("what people call it")),
    role: wordFlag(
      "role",
      ["admin", "viewer", "member"],
      "admin or viewer of the whole gateway; with --team: admin or member"
    ),
    team: Flag.String("team").pipe(Flag.withDescription("the role holds in this team only"), Flag.optional),
    expires: optionalParsed(
      "expires-in",
      "SPAN",
      "how long it works, at most 365d (default: 90d)",
      parseSpan,
      SPAN_ALLOWED
    ),
    ...adminFlags
  },
  Effect.fn("tokens.create")(function* ({ expires, name, role, team, ...flags }) {
    const seconds = Option.getOrElse(expires, () => 90 * 86_400)
    if (seconds > 365 * 86_400) return yield* wrongUsage("--expires-in: at most 365d")
    const at = DateTime.add(yield* DateTime.now, { seconds })
    const body = { name, role, team: Option.getOrNull(team), expires_at: DateTime.formatIso(at) }
    const payload = yield* checked(CreateServiceToken, body)
    yield* answer(
      flags,
      (client) => client.tokens.createToken({ payload, responseMode }),
      ({ token, ...made }) =>
        // The token alone on stdout, so that a script can take it.
        Console.log(token).pipe(
          Effect.andThen(
            Console.error(
              `${table(tokenColumns, [made])}\nThe token is shown this once. Set GATEWAY_ADMIN_TOKEN to it.`
            )
          )
        )
    )
  })
).pipe(
  Command.withDescription("Create a credential of a program for administration, with one role. It calls no models."),
  Command.withShortDescription("Create a service token"),
  Command.withExamples([
    { command: "model-gateway tokens create --name dashboards --role viewer" },
    { command: "model-gateway tokens create --name terraform --role admin --team research --expires-in 30d" }
  ])
)

const listTokens = Command.make(
  "list",
  adminFlags,
  asking(
    (client) => client.tokens.listTokens({ responseMode }),
    ({ data }) => Console.log(data.length === 0 ? "There are no service tokens." : table(tokenColumns, data))
  )
).pipe(
  Command.withDescription("List service tokens, without their secrets."),
  Command.withShortDescription("List service tokens")
)

const revokeToken = Command.make(
  "revoke",
  { token: Argument.String("id").pipe(Argument.withDescription("the id of a token, tok_…")), ...adminFlags },
  asking(
    (client, { token }) => client.tokens.revokeToken({ params: { token }, responseMode }),
    ({ id }) => Console.log(`${id} is revoked.`)
  )
).pipe(
  Command.withDescription("Revoke a service token, immediately."),
  Command.withShortDescription("Revoke a service token")
)

export const tokens = Command.make("tokens").pipe(
  Command.withDescription("Service tokens: credentials of programs for administration."),
  Command.withShortDescription("Service tokens for programs"),
  Command.withSubcommands([createToken, listTokens, revokeToken])
)
