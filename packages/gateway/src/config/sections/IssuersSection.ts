/** `identity.issuers`: whose JWTs callers of `/v1` may send in place of a virtual key. */
import { Schema } from "effect"
import { windows } from "../../core/domain/Budget.ts"
import { usdToNano } from "../../core/domain/Money.ts"
import type { TokenIssuer } from "../../core/domain/Settings.ts"
import { refuse } from "../Decode.ts"
import type { Here } from "../Here.ts"
import * as V from "../SettingValues.ts"
import { isLoopback } from "./ServerSection.ts"

const ISSUER = "the issuer's address, such as https://login.example.com/realms/corp"

export const issuerAddress = V.textThat(ISSUER, (value) => {
  const url = URL.parse(value)
  return url !== null && (url.protocol === "https:" || (url.protocol === "http:" && isLoopback(url.hostname)))
})

const NAME = "a name of lower-case letters, digits, - and _"

export const ownName = Schema.String.annotate({ expected: NAME }).check(
  refuse((name) =>
    /^[a-z0-9][a-z0-9_-]{0,31}$/.test(name)
      ? undefined
      : ({ shown }) => ({ message: `${shown} is no name of lower-case letters, digits, - and _`, allowed: NAME })
  )
)

const claim = V.text("the name of a claim, or a JSON pointer such as /google/compute_engine/project_id")
const limit = Schema.optionalKey(V.integer({ from: 1, to: 1_000_000_000 }))
const tag = V.textThat("a tag without comma and space", (value) => /^[\x21-\x2b\x2d-\x7e]{1,64}$/.test(value))

const Budget = V.group({
  usd: V.required("an amount in USD", V.positive(9_000_000)),
  window: V.oneOf("a window", windows).pipe(V.or("total"))
})

const Key = V.group({
  per: claim.pipe(V.or("sub")),
  models: V.list("names or globs of models", V.text("the name of a model")).pipe(V.or([])),
  tags: V.list("tags", tag).pipe(V.or([])),
  limits: V.group({ rpm: limit, tpm: limit, max_parallel: limit }).pipe(V.orEmpty),
  budgets: V.list("budgets", Budget).pipe(V.or([]))
})

const Rule = V.group({
  name: V.required("a name of your own that never changes: keys and spend belong to it", ownName),
  match: V.required(
    "the claims that a token must have, with their values",
    V.record(Schema.String, V.oneOrMore("values", V.text("a value of the claim; * takes no / and no :")))
  ),
  team: Schema.optionalKey(V.text("the name of a team")),
  end_user: Schema.optionalKey(claim),
  max_subjects: V.integer({ from: 1, to: 1_000_000 }).pipe(V.or(10_000)),
  key: Key.pipe(V.orEmpty)
})

const Issuer = V.group({
  issuer: V.required("the issuer, as its tokens name it in iss", issuerAddress),
  audience: V.required(
    "what aud must be, such as the address of this gateway",
    V.oneOrMore("audiences", V.text("aud"))
  ),
  jwks_url: Schema.optionalKey(issuerAddress),
  rules: V.required("at least one rule", V.someOf("rules", Rule))
})

export const Issuers = V.record(ownName, Issuer)

/** Issuers of whom anybody can get a token, and the claims that say whose it is. */
const shared: ReadonlyArray<readonly [issuer: RegExp, claims: ReadonlyArray<string>]> = [
  [/^https:\/\/token\.actions\.githubusercontent\.com\b|\/_services\/token$/, ["repository_id", "repository_owner_id"]],
  [/^https:\/\/gitlab\.com$/, ["project_id", "namespace_id"]],
  [/^https:\/\/accounts\.google\.com$/, ["sub", "email"]]
]

export const checkIssuers = (issuers: Here | undefined, clientIds: ReadonlyArray<string>): void => {
  const all = issuers?.entries ?? []
  unique(all.flatMap(({ here }) => here.field("issuer") ?? []))
  for (const { here } of all) {
    for (const audience of textsIn(here.field("audience"))) {
      if (!clientIds.includes(audience.text ?? "")) continue
      const message = "this is the client_id of an identity provider: an ID token of the dashboard is no caller's token"
      audience.problem(message, "an audience of its own")
    }
    const needed = shared.find(([issuer]) => issuer.test(here.field("issuer")?.text ?? ""))?.[1]
    const rules = here.field("rules")?.items ?? []
    unique(rules.flatMap((rule) => rule.field("name") ?? []))
    for (const match of rules.flatMap((rule) => rule.field("match") ?? [])) {
      const exact = match.entries.filter((one) => textsIn(one.here).every(({ text }) => text?.includes("*") === false))
      if (match.entries.length === 0) match.problem("this matches every token: name at least one claim", "a claim")
      else if (needed !== undefined && !exact.some(({ key }) => needed.includes(key))) {
        const words = needed.join(" or ")
        match.problem(`anybody can get a token of this issuer: match ${words}, without *`, words)
      }
    }
  }
}

const unique = (fields: ReadonlyArray<Here>): void => {
  const texts = fields.map(({ text }) => text)
  for (const [index, field] of fields.entries()) {
    if (texts.indexOf(field.text) < index) field.problem(`${field.shown} is there twice`, "another one")
  }
}

const textsIn = (here: Here | undefined): ReadonlyArray<Here> =>
  here === undefined ? [] : here.text === undefined ? here.items : [here]

export const issuerSettings = (issuers: typeof Issuers.Type = []): ReadonlyArray<TokenIssuer> =>
  issuers.map(([name, { audience, issuer, jwks_url: jwksUrl, rules }]) => ({
    name,
    issuer,
    audience,
    jwksUrl,
    rules: rules.map(({ end_user: endUser, key, match, max_subjects: maxSubjects, name: rule, team = null }) => ({
      name: `${name}/${rule}`,
      match,
      per: key.per,
      endUser,
      maxSubjects,
      key: {
        team,
        models: key.models,
        tags: key.tags,
        limits: { rpm: key.limits.rpm, tpm: key.limits.tpm, maxParallel: key.limits.max_parallel },
        budgets: key.budgets.map(({ usd, window }) => ({ limit: usdToNano(usd), window, timeZone: "UTC" }))
      }
    }))
  }))
