/** People who sign in, their roles, and service tokens. */
import { Schema } from "effect"
import { Budget } from "./Limits.ts"
import { PersonalKeysPolicy } from "./Teams.ts"
import { Name, page, rule, TeamName, Timestamp, TimestampInput } from "../Values.ts"

export const globalRoles = ["admin", "viewer"] as const
export const teamRoles = ["admin", "member"] as const

const role = Schema.NullOr(Schema.Literals(globalRoles)).annotate({
  description: "The role in the whole gateway; null: none, only the roles in teams count."
})

const source = Schema.String.annotate({
  description: "What gave the role: `manual`, or `idp:` and the name of the identity provider.",
  examples: ["manual"]
})

const Assigned = Schema.Struct({
  team: Schema.NullOr(Schema.String).annotate({ description: "null: the role holds in the whole gateway." }),
  role: Schema.Literals(["admin", "viewer", "member"]),
  source
})

export const Me = Schema.Struct({
  object: Schema.Literal("me"),
  kind: Schema.Literals(["master_key", "session", "user", "service_token"]).annotate({
    description: "What the request came with. `session`: one that the master key opened."
  }),
  id: Schema.String.annotate({ description: "The id that the audit log has." }),
  name: Schema.NullOr(Schema.String),
  email: Schema.NullOr(Schema.String),
  role,
  teams: Schema.Array(
    Schema.Struct({
      team: Schema.String,
      role: Schema.Literals(teamRoles),
      /** What the team allows its members. Left out: no personal keys. */
      personal_keys: Schema.optionalKey(PersonalKeysPolicy),
      budgets: Schema.optionalKey(Schema.Array(Budget)).annotate({
        description: "Of all personal keys of the person in the team, with what is spent. Left out: no personal keys."
      })
    })
  )
}).annotate({ identifier: "Me", title: "Who the request comes from" })
export type Me = typeof Me.Type

export const User = Schema.Struct({
  object: Schema.Literal("user"),
  id: Schema.String.annotate({ examples: ["user_5kX2pQ9vLmN4cR8t"] }),
  name: Schema.NullOr(Schema.String),
  email: Schema.NullOr(Schema.String).annotate({ description: "As the identity provider says; it identifies nobody." }),
  provider: Schema.String.annotate({ description: "The identity provider, as the configuration names it." }),
  status: Schema.Literals(["active", "disabled", "erased"]),
  role,
  roles: Schema.Array(Assigned).annotate({ description: "Every role, and what gave it. The highest counts." }),
  created_at: Timestamp,
  last_seen_at: Timestamp.annotate({ description: "The last sign-in." })
}).annotate({ identifier: "User", title: "Person who signs in" })
export type User = typeof User.Type

export const UserPage = Schema.Struct({
  ...page(User, "By id.").fields,
  has_more: Schema.Boolean,
  next: Schema.NullOr(Schema.String).annotate({
    description: "What to give as `after` for the next page; null: this was the last."
  })
}).annotate({ identifier: "UserPage", title: "Page of people" })

export type UserPage = typeof UserPage.Type

export const ListUsersQuery = {
  limit: Schema.optionalKey(
    Schema.Int.check(Schema.isBetween({ minimum: 1, maximum: 1000 }, { expected: "a whole number from 1 to 1000" }))
  ),
  after: Schema.optionalKey(Schema.String.annotate({ description: "The `next` of the page before." })),
  team: Schema.optionalKey(Schema.String.annotate({ description: "Only people with a role in this team." })),
  q: Schema.optionalKey(Schema.String.annotate({ description: "Only people whose id, name or e-mail contains this." }))
}

export const UpdateUser = Schema.Struct({
  role: Schema.optionalKey(
    Schema.NullOr(Schema.Literals(globalRoles)).annotate({
      description: "The role given by hand; null takes it away. Roles of an identity provider stay."
    })
  ),
  status: Schema.optionalKey(
    Schema.Literals(["active", "disabled"]).annotate({ description: "A disabled person is refused everywhere." })
  )
}).annotate({
  identifier: "UpdateUser",
  title: "Change of a person",
  description: "What is left out stays as it is.",
  examples: [{ role: "viewer" }, { status: "disabled" }]
})
export type UpdateUser = typeof UpdateUser.Type

export const PutMember = Schema.Struct({
  role: Schema.Literals(teamRoles).annotate({ description: "The role in the team, given by hand." })
}).annotate({ identifier: "PutMember", title: "Role in a team", examples: [{ role: "member" }] })

export const UserList = page(User, "By id.").annotate({ identifier: "UserList", title: "People" })

const token = {
  object: Schema.Literal("service_token"),
  id: Schema.String.annotate({ examples: ["tok_4f9K2mQ7aZx1"] }),
  name: Schema.String,
  role: Schema.Literals(["admin", "viewer", "member"]),
  team: Schema.NullOr(Schema.String).annotate({ description: "null: the role holds in the whole gateway." }),
  created_by: Schema.String.annotate({ description: "The person, `user_…`, or `master_key`." }),
  created_at: Timestamp,
  expires_at: Timestamp,
  last_used_at: Schema.NullOr(Timestamp).annotate({ description: "Exact to a minute; null: never." })
}

export const ServiceToken = Schema.Struct(token).annotate({ identifier: "ServiceToken", title: "Service token" })
export type ServiceToken = typeof ServiceToken.Type

export const IssuedServiceToken = Schema.Struct({
  ...token,
  token: Schema.String.annotate({ description: "The secret, `mgwa_…`. It is shown this once and can't be read again." })
}).annotate({ identifier: "IssuedServiceToken", title: "Service token with its secret" })

export const ServiceTokenList = page(ServiceToken, "By id, expired ones too.").annotate({
  identifier: "ServiceTokenList",
  title: "Service tokens"
})

interface TokenRole {
  readonly role: "admin" | "viewer" | "member"
  readonly team?: string | null
}

export const CreateServiceToken = Schema.Struct({
  name: Name,
  role: Schema.Literals(["admin", "viewer", "member"]).annotate({
    description: "With `team`: admin or member of it. Without: admin or viewer of the whole gateway."
  }),
  team: Schema.optionalKey(Schema.NullOr(TeamName)),
  expires_at: TimestampInput.annotate({ description: "From when on it is refused: a year from now at the latest." })
})
  .check(
    rule(
      ({ role, team }: TokenRole) =>
        role !== ((team ?? null) === null ? "member" : "viewer") || {
          path: ["role"],
          issue:
            role === "member"
              ? "The role `member` needs a `team`; without one a token is `admin` or `viewer`."
              : "In a team a token is `admin` or `member`; leave out `team` for a `viewer` of the whole gateway."
        },
      "a role that fits `team`"
    )
  )
  .annotate({
    identifier: "CreateServiceToken",
    title: "New service token",
    examples: [{ name: "terraform", role: "admin", team: "research", expires_at: "2027-06-30T00:00:00Z" }]
  })
