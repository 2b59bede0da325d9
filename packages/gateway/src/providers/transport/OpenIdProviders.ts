/** Identity providers, called with `openid-client`: it checks state, issuer, nonce, signature, audience and times. */
import { Effect, Layer, Redacted } from "effect"
import type { Configuration, TokenEndpointResponse, TokenEndpointResponseHelpers } from "openid-client"
import { IdentityProviders, SignInFailed } from "../../core/admin/IdentityProviders.ts"
import type { IdentityProviderSettings } from "../../core/domain/Settings.ts"
import { makeIdentityFetch, TIMEOUT_MS } from "./IdentityFetch.ts"
import { internet, type Network } from "./PublicFetch.ts"

type TokenResponse = TokenEndpointResponse & TokenEndpointResponseHelpers

export const layer = (providers: ReadonlyArray<IdentityProviderSettings>, network: Network = internet) =>
  Layer.effect(
    IdentityProviders,
    Effect.gen(function* () {
      const client = yield* Effect.promise(() => import("openid-client"))
      const known = new Map<string, Configuration>()

      const fetch = makeIdentityFetch(network)

      const configurationOf = async (settings: IdentityProviderSettings): Promise<Configuration> => {
        const found = known.get(settings.name)
        if (found !== undefined) return found
        const issuer = new URL(settings.issuer)
        const made = await client.discovery(
          issuer,
          settings.clientId,
          undefined,
          client.ClientSecretBasic(Redacted.value(settings.clientSecret)),
          {
            [client.customFetch]: fetch,
            timeout: TIMEOUT_MS / 1000,
            execute: issuer.protocol === "http:" ? [client.allowInsecureRequests] : []
          }
        )
        made[client.customFetch] = fetch
        known.set(settings.name, made)
        return made
      }

      const using = <A>(
        name: string,
        call: (configuration: Configuration, settings: IdentityProviderSettings) => Promise<A>
      ): Effect.Effect<A, SignInFailed> => {
        const settings = providers.find((one) => one.name === name)
        if (settings === undefined) {
          return Effect.fail(new SignInFailed({ why: "refused", message: `There is no identity provider "${name}".` }))
        }
        return Effect.tryPromise({
          try: async () => call(await configurationOf(settings), settings),
          catch: (error) => failureOf(settings, error, client)
        })
      }

      /** The ID token wins; what it lacks is read from `userinfo`, whose subject must be the same. */
      const signedIn = async (
        configuration: Configuration,
        settings: IdentityProviderSettings,
        tokens: TokenResponse,
        known?: string
      ) => {
        const claims = tokens.claims()
        const subject = claims?.sub ?? known
        if (subject === undefined) throw new Error("it sent no ID token")
        const [first = ""] = settings.groups.replace(/^\//, "").split("/")
        const isComplete = claims !== undefined && Object.hasOwn(claims, first)
        const more =
          isComplete || configuration.serverMetadata().userinfo_endpoint === undefined
            ? {}
            : await client.fetchUserInfo(configuration, tokens.access_token, subject)
        return {
          issuer: configuration.serverMetadata().issuer,
          subject,
          claims: { ...more, ...claims },
          refreshToken: tokens.refresh_token
        }
      }

      return {
        begin: (name, redirectUri) =>
          using(name, async (configuration, settings) => {
            const state = client.randomState()
            const nonce = client.randomNonce()
            const verifier = client.randomPKCECodeVerifier()
            const url = client.buildAuthorizationUrl(configuration, {
              ...Object.fromEntries(settings.authorization),
              redirect_uri: redirectUri,
              scope: settings.scopes.join(" "),
              code_challenge: await client.calculatePKCECodeChallenge(verifier),
              code_challenge_method: "S256",
              state,
              nonce
            })
            return { url: url.href, state: { state, nonce, verifier } }
          }),
        finish: (name, callback, { nonce, state, verifier }) =>
          using(name, async (configuration, settings) => {
            const checks = {
              expectedState: state,
              expectedNonce: nonce,
              pkceCodeVerifier: verifier,
              idTokenExpected: true
            }
            const tokens = await client.authorizationCodeGrant(configuration, new URL(callback), checks)
            return signedIn(configuration, settings, tokens)
          }),
        refresh: (name, refreshToken, subject) =>
          using(name, async (configuration, settings) => {
            const tokens = await client.refreshTokenGrant(configuration, refreshToken)
            const now = await signedIn(configuration, settings, tokens, subject)
            if (now.subject !== subject) throw new Error("it answered for another person")
            return { ...now, refreshToken: now.refreshToken ?? refreshToken }
          })
      }
    })
  )

/** What people read. Texts of the provider are shown as it sent them, without tokens. */
const failureOf = (
  { issuer, name }: IdentityProviderSettings,
  error: unknown,
  client: typeof import("openid-client")
) => {
  const failed = (why: SignInFailed["why"], message: string) =>
    new SignInFailed({ why, message: `${name}: ${message}` })
  if (error instanceof client.ResponseBodyError || error instanceof client.AuthorizationResponseError) {
    const said = error.error_description ?? error.error
    if (error.error === "invalid_grant") return failed("revoked", `the sign-in is over at the provider (${said}).`)
    if (error instanceof client.ResponseBodyError && error.status >= 500) return failed("unreachable", said)
    return failed("refused", `the provider refused the sign-in: ${said}.`)
  }
  const cause = error instanceof Error ? (error.cause ?? error) : error
  const text = cause instanceof Error ? cause.message : String(cause)
  const issuerSaid = issuerIn(cause)
  if (issuerSaid !== undefined) {
    return failed(
      "refused",
      `discovery names issuer "${issuerSaid}"; the configuration says "${issuer}". Use the exact value, including case and trailing slash.`
    )
  }
  const isCheck =
    error instanceof client.ClientError &&
    error.code !== "OAUTH_TIMEOUT" &&
    /OAUTH_(INVALID|JWT|JSON)/.test(error.code ?? "")
  return isCheck
    ? failed("refused", `the response was refused: ${text}.`)
    : failed("unreachable", `it can't be reached at ${issuer}: ${text}.`)
}

/** The issuer that a discovery document names, where it is another one. */
const issuerIn = (cause: unknown): string | undefined => {
  if (typeof cause !== "object" || cause === null) return undefined
  const detail = "cause" in cause ? cause.cause : cause
  if (typeof detail !== "object" || detail === null || !("attribute" in detail) || detail.attribute !== "issuer")
    return undefined
  const body = "body" in detail ? detail.body : undefined
  return typeof body === "object" && body !== null && "issuer" in body ? String(body.issuer) : undefined
}
