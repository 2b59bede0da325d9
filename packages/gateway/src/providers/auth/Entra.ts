/**
 * Microsoft Entra ID: a token for a client that has a secret. https://learn.microsoft.com/en-us/azure/foundry/openai/api-version-lifecycle and
 * https://microsoft.github.io/autogen/stable/user-guide/core-user-guide/cookbook/azure-openai-with-aad-auth.html (2026-11-22).
 */
import { Clock, Effect, Predicate, Redacted } from "effect"
import { type Auth, AuthFailed, type ReadyAuth } from "../../core/pool/Auth.ts"
import type { ProviderOptions, VendorSetting } from "../../core/domain/ProviderOptions.ts"
import type { Transport, TransportFailure } from "../../core/pool/Transport.ts"
import { parseJson } from "../json/BoundedJson.ts"
import { heldToken, type Token } from "./AuthTokens.ts"
import { header } from "./Static.ts"

const AUTHORITY = "https://login.microsoftonline.com"
const SCOPE = "https://cognitiveservices.azure.com/.default"

const TIMEOUTS = { connect: 5_000, firstToken: 15_000, idle: 15_000, total: 20_000 }
const LARGEST_ANSWER = 256 * 1024

export const entraSettings: ReadonlyArray<VendorSetting> = [
  { name: "tenant_id", what: "the id of the directory (tenant)", variable: "AZURE_TENANT_ID" },
  { name: "client_id", what: "the id of the application (client)", variable: "AZURE_CLIENT_ID" },
  {
    name: "client_secret",
    what: "the client's secret",
    variable: "AZURE_CLIENT_SECRET",
    isSecret: true,
    replacesKey: true,
    needs: ["tenant_id", "client_id"]
  },
  { name: "authority", what: "where tokens are given out", variable: "AZURE_AUTHORITY_HOST", otherwise: AUTHORITY }
]

/** With a key the header that Azure reads it from, else the token of a client. */
export const azureAuth: Auth = {
  kind: "perProvider",
  make: ({ hasKeys, options, transport }): ReadyAuth => {
    if (hasKeys) return header("api-key")
    const token = heldToken(fetchToken(options, transport))
    return {
      kind: "perRequest",
      headers: () => Effect.map(token, (value) => ({ authorization: `Bearer ${Redacted.value(value)}` }))
    }
  }
}

const fetchToken = Effect.fnUntraced(function* (
  { secret, shown }: ProviderOptions,
  transport: Transport["Service"]
): Effect.fn.Return<Token, AuthFailed> {
  const { authority = AUTHORITY, client_id: client, tenant_id: tenant } = shown
  const clientSecret = secret["client_secret"]
  if (client === undefined || tenant === undefined || clientSecret === undefined) {
    return yield* failed("there is neither an api_key nor a client: set tenant_id, client_id and client_secret")
  }
  const body = new URLSearchParams({
    grant_type: "client_credentials",
    client_id: client,
    client_secret: Redacted.value(clientSecret),
    scope: SCOPE
  })
  const answer = yield* transport
    .whole({
      baseUrl: authority.replace(/\/+$/, ""),
      path: `/${encodeURIComponent(tenant)}/oauth2/v2.0/token`,
      headers: { "content-type": "application/x-www-form-urlencoded", accept: "application/json" },
      body: body.toString(),
      timeouts: TIMEOUTS,
      largestAnswer: LARGEST_ANSWER
    })
    .pipe(Effect.mapError(({ message }: TransportFailure) => new AuthFailed({ message: `no token: ${message}` })))
  const told = parseJson(answer.text)
  if (
    answer.status !== 200 ||
    !Predicate.hasProperty(told, "access_token") ||
    typeof told.access_token !== "string" ||
    told.access_token === ""
  ) {
    return yield* failed(`Entra ID returned no token (${answer.status}${codeIn(told)})`)
  }
  const seconds = Predicate.hasProperty(told, "expires_in") ? Number(told.expires_in) : Number.NaN
  const now = yield* Clock.currentTimeMillis
  const lives = Number.isFinite(seconds) && seconds > 0 ? seconds * 1000 : SHORTEST_LIFE_MS
  return { value: Redacted.make(told.access_token), endsAt: now + lives }
})

/** Of a token that does not say how long it lives. */
const SHORTEST_LIFE_MS = 60_000

const failed = (message: string) => new AuthFailed({ message })

/** The name of the error and its number: descriptions quote ids of the operator's, and may change. */
const codeIn = (told: unknown): string => {
  const said = Predicate.hasProperty(told, "error") && typeof told.error === "string" ? told.error : ""
  const name = /^[\w.-]{1,60}$/.exec(said)?.[0]
  const description = Predicate.hasProperty(told, "error_description") ? String(told.error_description) : ""
  const number = /^(AADSTS\d{3,10})\b/.exec(description)?.[1]
  return [name, number].flatMap((word) => (word === undefined ? [] : [`, ${word}`])).join("")
}
