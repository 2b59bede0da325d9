/** People and service tokens of a running gateway, with their credentials. */
import { Effect, Layer, Redacted } from "effect"
import { AdminSessions } from "../../src/core/admin/AdminSessions.ts"
import type { GlobalRole, TeamRole } from "../../src/core/domain/Principal.ts"
import { SessionRepository } from "../../src/core/admin/SessionRepository.ts"
import { demoYaml, masterKey, type RunningGateway } from "./RunningGateway.ts"

export interface GivenRoles {
  readonly role?: GlobalRole
  readonly teams?: { readonly [team: string]: TeamRole }
}

/** A configuration with the provider of these people, which is never called. */
export const peopleYaml = `${demoYaml}
server: { public_url: "http://127.0.0.1:4100" }
identity:
  secret: Vq7ZtR2mXc9LpWd4KsJf8HbNy6GaTe3U
  providers:
    corp: { issuer: "https://login.example.com", client_id: gateway, client_secret: of-the-client, roles: [{ role: viewer }] }
`

/** A person as an identity provider would have made one. */
export const addPerson = (gateway: RunningGateway, name: string, { role, teams = {} }: GivenRoles = {}) =>
  Effect.orDie(
    gateway.identities.save(
      {
        id: `user_${name}`,
        provider: "corp",
        issuer: "https://login.example.com",
        subject: name,
        name: `Person ${name}`,
        email: `${name}@example.com`,
        status: "active",
        createdAt: 0,
        lastSeenAt: 0,
        refreshToken: null,
        revalidatedAt: 0
      },
      "idp:corp",
      [
        ...(role === undefined ? [] : [{ team: "", role }]),
        ...Object.entries(teams).map(([team, its]) => ({ team, role: its }))
      ]
    )
  )

/** The headers of a new session of a person. */
export const sessionOf = (gateway: RunningGateway, name: string) =>
  Effect.gen(function* () {
    const sessions = yield* AdminSessions
    const { cookie, session, token } = yield* sessions.open("", undefined, `user_${name}`)
    return { id: session.id, headers: { cookie: `mgw_session=${cookie}`, "x-gateway-session": token } }
  }).pipe(
    Effect.provide(
      Layer.provide(AdminSessions.layer(Redacted.make(masterKey)), Layer.succeed(SessionRepository, gateway.sessions))
    ),
    Effect.orDie
  )
