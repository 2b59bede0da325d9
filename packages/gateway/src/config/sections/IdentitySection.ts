/** `identity`: how people sign in, and whose tokens callers may send. */
import { Schema } from "effect"
import type { IdentitySettings, RoleRule } from "../../core/domain/Settings.ts"
import type { Here } from "../Here.ts"
import { longSecret, secret } from "../SecretSettings.ts"
import * as V from "../SettingValues.ts"
import { checkIssuers, issuerAddress, Issuers, ownName } from "./IssuersSection.ts"
import type { Server } from "./ServerSection.ts"

const SHORTEST_SECRET = 32

const Rule = V.group({
  group: Schema.optionalKey(
    V.textThat("the name of a group, with one * at most", (name) => name.split("*").length < 3)
  ),
  role: Schema.optionalKey(V.oneOf("a role in the whole gateway", ["admin", "viewer"])),
  team: Schema.optionalKey(V.text("the name of a team")),
  team_role: V.oneOf("a role in a team", ["admin", "member"]).pipe(V.or("member"))
})

const expected = "a parameter that the gateway does not set itself, such as prompt"
const SET = /^(client_id|code_challenge.*|nonce|redirect_uri|request.*|response_.*|scope|state)$/
const parameter = Schema.String.annotate({ expected }).check(Schema.makeFilter((name) => !SET.test(name), { expected }))

/** Google gives a refresh token to these alone. */
const AT_GOOGLE = Object.entries({ access_type: "offline", prompt: "consent" })

const Provider = V.group({
  label: Schema.optionalKey(V.text("what the button says")),
  issuer: V.required("the issuer, as its discovery document names it", issuerAddress),
  client_id: V.required("the client's id at the provider", V.text("the client's id")),
  client_secret: V.required("the client's secret, as ${NAME}", secret("the client's secret")),
  scopes: V.list("names of scopes", V.text("the name of a scope")).pipe(V.or(["openid", "profile", "email"])),
  authorization: Schema.optionalKey(V.record(parameter, V.text("its value"))),
  groups: V.text("a claim or a JSON pointer").pipe(V.or("groups")),
  require: V.group({ groups: V.list("names of groups", V.text("the name of a group")).pipe(V.or([])) }).pipe(V.orEmpty),
  roles: V.required("at least one line that gives a role", V.list("lines that give roles", Rule))
})

export const Identity = V.group({
  secret: Schema.optionalKey(
    V.oneOrMore("secrets", longSecret("a secret that seals cookies and refresh tokens", SHORTEST_SECRET))
  ),
  session: V.group({
    revalidate: V.duration(10_000).pipe(V.or(300_000)),
    max_stale: V.duration(10_000).pipe(V.or(3_600_000))
  }).pipe(V.orEmpty),
  providers: V.record(ownName, Provider).pipe(V.orEmpty),
  issuers: Issuers.pipe(V.orEmpty)
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
            authorization: one.authorization ?? (one.issuer === "https://accounts.google.com" ? AT_GOOGLE : []),
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
