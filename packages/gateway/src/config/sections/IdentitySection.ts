/** `identity`: how people sign in, and whose tokens callers may send. */
import { Schema } from "effect"
import type { IdentitySettings, RoleRule } from "../../core/domain/Settings.ts"
import type { Here } from "../Here.ts"
import { longSecret, secret } from "../SecretSettings.ts"
import {
  duration,
  group,
  list,
  oneOf,
  oneOrMore,
  or,
  orEmpty,
  record,
  required,
  text,
  textThat
} from "../SettingValues.ts"
import { checkIssuers, issuerAddress, Issuers, ownName } from "./IssuersSection.ts"
import type { Server } from "./ServerSection.ts"

const SHORTEST_SECRET = 32

const Rule = group({
  group: Schema.optionalKey(textThat("the name of a group, with one * at most", (name) => name.split("*").length < 3)),
  role: Schema.optionalKey(oneOf("a role in the whole gateway", ["admin", "viewer"])),
  team: Schema.optionalKey(text("the name of a team")),
  team_role: oneOf("a role in a team", ["admin", "member"]).pipe(or("member"))
})

const Provider = group({
  label: Schema.optionalKey(text("what the button says")),
  issuer: required("the issuer, as its discovery document names it", issuerAddress),
  client_id: required("the client's id at the provider", text("the client's id")),
  client_secret: required("the client's secret, as ${NAME}", secret("the client's secret")),
  scopes: list("names of scopes", text("the name of a scope")).pipe(or(["openid", "profile", "email"])),
  groups: text("a claim or a JSON pointer").pipe(or("groups")),
  require: group({ groups: list("names of groups", text("the name of a group")).pipe(or([])) }).pipe(orEmpty),
  roles: required("at least one line that gives a role", list("lines that give roles", Rule))
})

export const Identity = group({
  secret: Schema.optionalKey(
    oneOrMore("secrets", longSecret("a secret that seals cookies and refresh tokens", SHORTEST_SECRET))
  ),
  session: group({
    revalidate: duration(10_000).pipe(or(300_000)),
    max_stale: duration(10_000).pipe(or(3_600_000))
  }).pipe(orEmpty),
  providers: record(ownName, Provider).pipe(orEmpty),
  issuers: Issuers.pipe(orEmpty)
})

export const checkIdentity = (root: Here, { public_path, public_url }: typeof Server.Type): void => {
  const identity = root.field("identity")
  if (identity === undefined) return
  const providers = identity.field("providers")?.entries ?? []
  const issuers = identity.field("issuers")
  checkIssuers(
    issuers,
    providers.flatMap(({ here }) => here.field("client_id")?.text ?? [])
  )
  if (providers.length === 0) {
    if (issuers === undefined) identity.missing("providers", "at least one provider by a name of your own, or issuers")
    return
  }
  if (!identity.has("secret")) identity.missing("secret", `at least ${SHORTEST_SECRET} random characters, as \${NAME}`)
  const server = root.field("server")
  if (public_url === undefined) {
    const needs = "the address in the browser's address bar, since identity is set"
    return (server ?? root).missing(server === undefined ? "server" : "public_url", needs, { allowed: "an address" })
  }
  const pathOf = (path: string) => path.replace(/\/+$/, "")
  if (pathOf(new URL(public_url).pathname) !== pathOf(public_path)) {
    server?.field("public_url")?.problem(`its path must be public_path, which is ${public_path}`, "the same path")
  }
  for (const { here: provider } of providers) {
    for (const rule of provider.field("roles")?.items ?? []) {
      const group = rule.field("group")?.text ?? ""
      if (!rule.has("role") && !rule.has("team"))
        rule.problem("this line gives no role: add role or team", "role or team")
      if (rule.has("role") && group.includes("*")) {
        rule.field("group")?.problem("a role in the whole gateway needs the exact name of a group", "a name without *")
      }
      if (rule.field("team")?.text?.includes("*") === true && !group.includes("*")) {
        rule.field("team")?.problem("* stands for what * in group takes, and group has none", "the name of a team")
      }
    }
  }
}

export const identitySettings = (
  identity: typeof Identity.Type | undefined,
  { public_url = "" }: typeof Server.Type
): { readonly identity?: IdentitySettings } =>
  identity === undefined || identity.providers.length === 0
    ? {}
    : {
        identity: {
          secrets: identity.secret ?? [],
          publicUrl: public_url.replace(/\/+$/, ""),
          revalidateMs: identity.session.revalidate,
          maxStaleMs: Math.max(identity.session.max_stale, identity.session.revalidate),
          providers: identity.providers.map(([name, one]) => ({
            name,
            label: one.label ?? name,
            issuer: one.issuer,
            clientId: one.client_id,
            clientSecret: one.client_secret,
            scopes: one.scopes,
            groups: one.groups,
            require: one.require.groups,
            rules: one.roles.map(({ group: from, role, team, team_role }): RoleRule => ({
              group: from,
              role,
              team,
              teamRole: team_role
            }))
          }))
        }
      }
