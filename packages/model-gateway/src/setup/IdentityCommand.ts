/** `model-gateway identity`: whether identity providers and issuers can be reached, and what their claims give. */
import { readFile } from "node:fs/promises"
import { Console, Effect, Layer, Option, Result } from "effect"
import { Command } from "effect/cli"
import { loadSettings } from "@model-gateway/gateway/internal/config/LoadSettings"
import { IdentityProviders } from "@model-gateway/gateway/internal/core/admin/IdentityProviders"
import { mapRoles } from "@model-gateway/gateway/internal/core/admin/RoleMapping"
import type { Claims } from "@model-gateway/gateway/internal/core/domain/Claims"
import type { IdentityProviderSettings, TokenIssuer } from "@model-gateway/gateway/internal/core/domain/Settings"
import { Telemetry } from "@model-gateway/gateway/internal/core/domain/Telemetry"
import { TokenVerifier } from "@model-gateway/gateway/internal/core/keys/CallerTokens"
import { ruledBy, unmetBy } from "@model-gateway/gateway/internal/core/keys/TokenRules"
import { wireError } from "@model-gateway/gateway/internal/http/errors/WireError"
import * as IssuerKeys from "@model-gateway/gateway/internal/providers/auth/IssuerKeys"
import * as OpenIdProviders from "@model-gateway/gateway/internal/providers/transport/OpenIdProviders"
import { knownVendors } from "@model-gateway/gateway/internal/providers/vendors/Vendors"
import { fileToRead } from "../ConfigurationFile.ts"
import { Environment } from "../Environment.ts"
import { CommandFailed, wrongUsage } from "../Failure.ts"
import { optionalText } from "../Flags.ts"

const settingsIn = Effect.fnUntraced(function* (config: string) {
  const environment = yield* Environment
  const { identity, issuers = [] } = yield* loadSettings({ file: config, vendors: knownVendors, environment })
  if (identity === undefined && issuers.length === 0) {
    return yield* new CommandFailed({
      message: `${config} has no \`identity\`: docs/sign-in.md and docs/workloads.md show how to write it`
    })
  }
  return { publicUrl: identity?.publicUrl ?? "", providers: identity?.providers ?? [], issuers }
})

const check = Command.make(
  "check",
  { config: fileToRead() },
  Effect.fn("identity.check")(function* ({ config }) {
    const { issuers, providers, publicUrl } = yield* settingsIn(config)
    const fetchKeys = IssuerKeys.makeFetchKeys()
    const checks = [
      ...providers.map(({ name }) => {
        const redirectUri = `${publicUrl}/admin/sign-in/${name}/callback`
        return Effect.flatMap(IdentityProviders, ({ begin }) => begin(name, redirectUri)).pipe(
          Effect.map(() => `${name}: reachable; the redirect URI to register is ${redirectUri}`),
          Effect.mapError(({ message }) => message)
        )
      }),
      ...issuers.map((issuer) =>
        Effect.tryPromise({
          try: async () => {
            const { length } = (await fetchKeys(issuer)).keys.jwks().keys
            return `${issuer.name}: ${length} ${length === 1 ? "key" : "keys"}`
          },
          catch: (error) => `${issuer.name}: its keys can't be fetched: ${IssuerKeys.reasonOf(error)}`
        })
      )
    ]
    const results = yield* Effect.forEach(checks, Effect.result, { concurrency: 8 }).pipe(
      Effect.provide(OpenIdProviders.layer(providers))
    )
    yield* Effect.forEach(results, (one) => Console.log(Result.merge(one)))
    const failed = results.filter(Result.isFailure).length
    if (failed > 0) return yield* new CommandFailed({ message: `${failed} of ${results.length} can't be used` })
  })
).pipe(
  Command.withDescription("Call every identity provider and issuer of the configuration, and say what is wrong."),
  Command.withShortDescription("Call every identity provider and issuer"),
  Command.withExamples([{ command: "model-gateway identity check --config prod.yaml" }])
)

const file = (name: string, what: string) => optionalText(name, "FILE", what)

const test = Command.make(
  "test",
  {
    token: file("token-file", "a file with a token: it is verified, and its claims are shown"),
    claims: file("claims", "a JSON file with claims, among them iss; nothing is verified"),
    config: fileToRead()
  },
  Effect.fn("identity.test")(function* ({ claims: claimsFile, config, token: tokenFile }) {
    if (Option.isSome(claimsFile) === Option.isSome(tokenFile)) {
      return yield* wrongUsage("Give --token-file or --claims, one of them.")
    }
    const { issuers, providers } = yield* settingsIn(config)
    const path = Option.getOrElse(tokenFile, () => Option.getOrElse(claimsFile, () => ""))
    const read = yield* Effect.tryPromise({
      try: async () => {
        const text = (await readFile(path, "utf8")).trim()
        const [, payload = ""] = text.split(".")
        const json = Option.isSome(tokenFile) ? Buffer.from(payload, "base64url").toString() : text
        return { text, claims: JSON.parse(json) as Claims }
      },
      catch: () =>
        new CommandFailed({ message: `${path} can't be read, or is no ${Option.isSome(tokenFile) ? "JWT" : "JSON"}` })
    })
    const issuer = issuers.find((one) => one.issuer === read.claims["iss"])
    const provider = providers.find((one) => one.issuer === read.claims["iss"])
    if (issuer === undefined && provider === undefined) {
      const known = [...issuers, ...providers].map((one) => `"${one.issuer}"`).join(", ")
      const message = `iss is "${String(read.claims["iss"])}", and ${config} has ${known}: it must be one of them exactly`
      return yield* new CommandFailed({ message })
    }
    const names = Object.keys(read.claims).map((name) => `  ${name}: ${JSON.stringify(read.claims[name])}`)
    yield* Console.log(["claims", ...names].join("\n"))
    if (provider !== undefined) yield* Console.log(rolesIn(provider, read.claims))
    if (issuer === undefined) return
    yield* Console.log(rulesIn(issuer, read.claims))
    if (Option.isNone(tokenFile)) return
    yield* Effect.flatMap(TokenVerifier, ({ verify }) => verify(read.text)).pipe(
      Effect.provide(
        Layer.provide(
          IssuerKeys.layer(() => issuers),
          noTelemetry
        )
      ),
      Effect.mapError((error) => new CommandFailed({ message: wireError(error, 0).body.error.message }))
    )
    yield* Console.log("The token is valid.")
  })
).pipe(
  Command.withDescription(
    "Say which rule of an issuer, and which roles of an identity provider, a token or its claims get. The program calls the issuer itself, not the gateway."
  ),
  Command.withShortDescription("Say what a token or its claims get"),
  Command.withExamples([
    { command: "model-gateway identity test --token-file /tmp/token" },
    { command: "model-gateway identity test --claims claims.json" }
  ])
)

const noTelemetry = Layer.succeed(Telemetry, { count: () => {}, gauge: () => {}, prometheus: () => "" })

const rolesIn = (provider: IdentityProviderSettings, claims: Claims): string => {
  const mapped = mapRoles(provider.name, provider, claims)
  if (mapped.refusal !== undefined) return mapped.refusal
  const roles = mapped.assignments.map(({ role, team }) => (team === "" ? role : `${role} in ${team}`))
  return `${provider.name}: ${roles.join(", ")}`
}

const rulesIn = ({ rules }: TokenIssuer, claims: Claims): string => {
  const ruled = ruledBy(rules, claims)
  const told = rules.map((rule) => {
    const unmet = unmetBy(rule, claims)
    if (unmet !== undefined) return `${rule.name}: ${unmet} does not match`
    if (ruled?.rule !== rule) return `${rule.name}: matches, but an earlier rule does, too`
    if ("lacking" in ruled) return `${rule.name}: matches, but needs one text of at most 256 bytes in ${ruled.lacking}`
    const { endUser, subject } = ruled
    return `${rule.name}: matches: the key of ${subject}${endUser === undefined ? "" : `, for the end user ${endUser}`}`
  })
  return (ruled === undefined ? [...told, "No rule matches."] : told).join("\n")
}

export const identity = Command.make("identity").pipe(
  Command.withDescription("Identity providers of people, and issuers of tokens for callers."),
  Command.withShortDescription("Check identity providers, issuers and their rules"),
  Command.withExamples([{ command: "model-gateway identity check" }]),
  Command.withSubcommands([check, test])
)
