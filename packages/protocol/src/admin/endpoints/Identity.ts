/** `/admin/me`, `/admin/users`, the members of teams, and `/admin/tokens`. */
import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup, HttpApiSchema, OpenApi } from "effect/http-api"
import {
  CreateServiceToken,
  IssuedServiceToken,
  ListUsersQuery,
  Me,
  PutMember,
  ServiceToken,
  ServiceTokenList,
  UpdateUser,
  User,
  UserList,
  UserPage
} from "../Identity.ts"
import { SessionsEnded } from "../Sessions.ts"
import { TeamName } from "../../Values.ts"
import { administrative, operating, pageLimit, reading } from "./Administrative.ts"

const user = Schema.String.annotate({ description: "The id of the person, `user_…`." })

export const me = HttpApiGroup.make("me")
  .add(
    HttpApiEndpoint.get("getMe", "/admin/me", { success: Me }).annotateMerge(
      administrative({
        access: { ...reading("me.read"), viewer: "own", team_admin: "own" },
        summary: "Who am I",
        description: "The principal of the request, with its roles, whatever the credential."
      })
    )
  )
  .annotateMerge(OpenApi.annotations({ title: "Me", description: "The principal of the request." }))

const { member: _, ...readingPeople } = reading("users.list")

export const users = HttpApiGroup.make("users")
  .add(
    HttpApiEndpoint.get("listUsers", "/admin/users", { query: ListUsersQuery, success: UserPage }).annotateMerge(
      administrative({
        access: readingPeople,
        numbers: { limit: pageLimit("People") },
        summary: "List people",
        description: "Those who have signed in, by id, in pages. A team admin sees the people of the own teams."
      })
    ),
    HttpApiEndpoint.get("getUser", "/admin/users/:user", { params: { user }, success: User }).annotateMerge(
      administrative({
        access: { ...readingPeople, action: "users.read" },
        failures: [404],
        summary: "Inspect a person",
        description: "Roles, and what gave each of them."
      })
    ),
    HttpApiEndpoint.patch("updateUser", "/admin/users/:user", {
      params: { user },
      payload: UpdateUser,
      success: User
    }).annotateMerge(
      administrative({
        access: { ...operating("users.update"), people_only: true },
        failures: [404, 413, 415],
        summary: "Set the global role or status of a person",
        description: "In force with the next request of the person, on every gateway of the store."
      })
    ),
    HttpApiEndpoint.delete("eraseUser", "/admin/users/:user", { params: { user }, success: User }).annotateMerge(
      administrative({
        access: { ...operating("users.erase"), people_only: true },
        failures: [404],
        summary: "Erase the personal data of a person",
        description:
          "Name, e-mail, subject, roles and sessions. The id stays in the audit log. A later sign-in makes a new person. It can't be undone."
      })
    ),
    HttpApiEndpoint.post("signOutUser", "/admin/users/:user/sign-out", {
      params: { user },
      success: SessionsEnded
    }).annotateMerge(
      administrative({
        access: {
          ...operating("users.sign_out"),
          viewer: "own",
          team_admin: "own",
          member: "own",
          people_only: true
        },
        failures: [404],
        summary: "End all sessions of a person",
        description: "In force when the response comes. Everybody may do so for themselves."
      })
    )
  )
  .annotateMerge(OpenApi.annotations({ title: "People", description: "Who signs in, and with which roles." }))

const member = { team: TeamName, user }

export const members = HttpApiGroup.make("members")
  .add(
    HttpApiEndpoint.get("listMembers", "/admin/teams/:team/members", {
      params: { team: TeamName },
      success: UserList
    }).annotateMerge(
      administrative({
        access: { ...readingPeople, action: "members.list" },
        failures: [404],
        summary: "List the members of a team",
        description: "People with a role in it."
      })
    ),
    HttpApiEndpoint.put("putMember", "/admin/teams/:team/members/:user", {
      params: member,
      payload: PutMember,
      success: User
    }).annotateMerge(
      administrative({
        access: { ...operating("members.put"), team_admin: "team" },
        failures: [404, 413, 415],
        summary: "Give a person a role in a team",
        description: "Beside roles that an identity provider gave: the highest counts."
      })
    ),
    HttpApiEndpoint.delete("deleteMember", "/admin/teams/:team/members/:user", {
      params: member,
      success: User
    }).annotateMerge(
      administrative({
        access: { ...operating("members.delete"), team_admin: "team" },
        failures: [404],
        summary: "Take away a role that was given by hand",
        description: "Roles of an identity provider stay: change the groups there."
      })
    )
  )
  .annotateMerge(OpenApi.annotations({ title: "Members", description: "Roles of people in teams." }))

const keepingTokens = { effect: "write", admin: "all", team_admin: "team", people_only: true } as const

export const tokens = HttpApiGroup.make("tokens")
  .add(
    HttpApiEndpoint.get("listTokens", "/admin/tokens", { success: ServiceTokenList }).annotateMerge(
      administrative({
        access: { ...keepingTokens, action: "tokens.list", effect: "read" },
        summary: "List service tokens",
        description: "Without their secrets."
      })
    ),
    HttpApiEndpoint.post("createToken", "/admin/tokens", {
      payload: CreateServiceToken,
      success: IssuedServiceToken.pipe(HttpApiSchema.status(201))
    }).annotateMerge(
      administrative({
        access: { ...keepingTokens, action: "tokens.create" },
        failures: [413, 415],
        summary: "Create a service token",
        description:
          "A credential of a program for `/admin`, with one role. It calls no models. The response contains the secret, this once."
      })
    ),
    HttpApiEndpoint.delete("revokeToken", "/admin/tokens/:token", {
      params: { token: Schema.String.annotate({ description: "The id of the token, `tok_…`." }) },
      success: ServiceToken
    }).annotateMerge(
      administrative({
        access: { ...keepingTokens, action: "tokens.revoke" },
        failures: [404],
        summary: "Revoke a service token",
        description: "In force when the response comes, on every gateway of the store."
      })
    )
  )
  .annotateMerge(OpenApi.annotations({ title: "Service tokens", description: "Credentials of programs for `/admin`." }))
