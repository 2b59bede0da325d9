/** Callers' tokens, checked with `jose`, and the keys of their issuers, which are fetched with limits and kept. */
import { Metrics } from "@model-gateway/protocol"
import { Clock, Effect, Layer } from "effect"
import type { JWTVerifyGetKey, LocalJWKSet } from "jose"
import { TokenRefused, Unauthorized } from "../../core/domain/Errors.ts"
import type { TokenIssuer } from "../../core/domain/Settings.ts"
import { Telemetry } from "../../core/domain/Telemetry.ts"
import { TokenVerifier, type VerifiedToken } from "../../core/keys/CallerTokens.ts"
import { makeIdentityFetch } from "../transport/IdentityFetch.ts"
import { internet, type Network } from "../transport/PublicFetch.ts"

/** Never `none`, and nothing with a secret that is shared, as HS256. */
const algorithms = ["RS", "PS", "ES"].flatMap((kind) => [256, 384, 512].map((bits) => `${kind}${bits}`))
const TYPES = ["jwt", "at+jwt", "application/at+jwt"]
const LONGEST_TOKEN = 12 * 1024

/** Seconds by which clocks may differ, and for which a token counts from `iat` on, whatever its `exp`. */
const SKEW = 60
const MAX_AGE = 24 * 3600

/** The keys are fetched again after so long, and hold for `STALE_MS` while that fails. */
const REFRESH_MS = 600_000
const STALE_MS = 3_600_000
/** Keys that are missing make no more than one fetch in this time. */
const PAUSE_MS = 30_000
/** Tokens of one issuer that are verified at once. Each takes a thread for some tenths of a millisecond. */
const MOST_AT_ONCE = 64

interface KeySet {
  current: { readonly keys: LocalJWKSet; readonly text: string; readonly fetchedAt: number } | undefined
  triedAt: number
  fetching: Promise<void> | undefined
  verifying: number
}

/** `issuers`: those in force, which a reload changes. */
export const layer = (issuers: () => ReadonlyArray<TokenIssuer>, network: Network = internet) =>
  Layer.effect(
    TokenVerifier,
    Effect.gen(function* () {
      const clock = yield* Clock.Clock
      const telemetry = yield* Telemetry
      const runLog = Effect.runForkWith(yield* Effect.context<never>())
      const fetchKeys = makeFetchKeys(network)
      /** A reload keeps the keys of an issuer that it does not change. */
      const sets = new Map<string, KeySet>()

      const setOf = ({ issuer, jwksUrl, name }: TokenIssuer): KeySet => {
        const id = `${issuer} ${jwksUrl}`
        const known = sets.get(id)
        if (known !== undefined) return known
        const made: KeySet = { current: undefined, triedAt: -PAUSE_MS, fetching: undefined, verifying: 0 }
        sets.set(id, made)
        const since = () => made.current?.fetchedAt ?? made.triedAt
        telemetry.gauge(Metrics.jwksAge, { issuer: name }, () => (clock.currentTimeMillisUnsafe() - since()) / 1000)
        return made
      }

      const refresh = (issuer: TokenIssuer, set: KeySet, now: number): Promise<void> => {
        if (set.fetching !== undefined) return set.fetching
        if (Math.abs(now - set.triedAt) < PAUSE_MS) return Promise.resolve()
        set.triedAt = now
        const failed = (error: unknown) =>
          void runLog(Effect.logWarning(`the keys of issuer ${issuer.name} can't be fetched: ${reasonOf(error)}`))
        set.fetching = fetchKeys(issuer)
          .then(({ keys, text }) => {
            set.current = { keys: set.current?.text === text ? set.current.keys : keys, text, fetchedAt: now }
          })
          .catch(failed)
          .finally(() => (set.fetching = undefined))
        return set.fetching
      }

      /** The keys that hold at `now`; undefined: there are none, or only old ones. */
      const keysAt = (issuer: TokenIssuer, set: KeySet, now: number): LocalJWKSet | undefined => {
        const age = set.current === undefined ? STALE_MS : Math.abs(now - set.current.fetchedAt)
        if (age >= REFRESH_MS) void refresh(issuer, set, now)
        return age < STALE_MS ? set.current?.keys : undefined
      }

      const verified = async (token: string): Promise<VerifiedToken> => {
        const now = clock.currentTimeMillisUnsafe()
        const all = issuers()
        const jose = await import("jose")
        const { header, iss } = opened(jose, token)
        const issuer = all.find((one) => one.issuer === iss)
        if (issuer === undefined) throw new Unauthorized({ code: "unknown_issuer" })
        const refused = (code: "invalid_token" | "expired_token", detail = "") =>
          new Unauthorized({ code, issuer: issuer.name, detail })
        if (!TYPES.includes((header.typ ?? "JWT").toLowerCase())) throw refused("invalid_token", "its typ is not JWT.")
        const set = setOf(issuer)
        if (keysAt(issuer, set, now) === undefined) await refresh(issuer, set, now)
        let keys = keysAt(issuer, set, now)
        if (keys === undefined || set.verifying >= MOST_AT_ONCE) {
          throw new TokenRefused({ code: "issuer_unavailable", issuer: issuer.name })
        }
        const keyFor: JWTVerifyGetKey = async (protectedHeader, input) => {
          try {
            return await keys!(protectedHeader, input)
          } catch {
            await refresh(issuer, set, now)
            keys = keysAt(issuer, set, now) ?? keys
            return keys!(protectedHeader, input)
          }
        }
        set.verifying++
        try {
          const { payload } = await jose.jwtVerify(token, keyFor, {
            issuer: issuer.issuer,
            audience: [...issuer.audience],
            algorithms: [...algorithms, "EdDSA", "Ed25519"],
            clockTolerance: SKEW,
            maxTokenAge: MAX_AGE,
            requiredClaims: ["exp"],
            currentDate: new Date(now)
          })
          const { exp = 0, iat = 0 } = payload
          const until = (Math.min(exp, iat + MAX_AGE) + SKEW) * 1000
          const holds = (at: number) => at < until && issuers() === all && keysAt(issuer, set, at) === keys
          return { issuer, claims: payload, holds }
        } catch (error) {
          if (error instanceof jose.errors.JWTExpired) throw refused("expired_token")
          throw error instanceof jose.errors.JOSEError ? refused("invalid_token", wordsFor(error)) : error
        } finally {
          set.verifying--
        }
      }

      const verify = (token: string) =>
        Effect.catchIf(
          Effect.tryPromise({ try: () => verified(token), catch: (error) => error as Unauthorized | TokenRefused }),
          (error) => !(error instanceof Unauthorized || error instanceof TokenRefused),
          Effect.die
        )
      return { verify }
    })
  )

const opened = (jose: typeof import("jose"), token: string) => {
  try {
    if (token.length > LONGEST_TOKEN) throw new Error("too long")
    return { header: jose.decodeProtectedHeader(token), iss: jose.decodeJwt(token).iss }
  } catch {
    throw new Unauthorized({ code: "invalid_token", detail: "it is no signed JWT of at most 12 KB." })
  }
}

const words: { readonly [code: string]: string } = {
  ERR_JWS_SIGNATURE_VERIFICATION_FAILED: "its signature is wrong.",
  ERR_JOSE_ALG_NOT_ALLOWED: "its alg is not allowed.",
  ERR_JWKS_NO_MATCHING_KEY: "its issuer has no such key (kid and alg).",
  ERR_JWKS_MULTIPLE_MATCHING_KEYS: "it names no key (kid), and its issuer has several."
}

/** Which check failed, with nothing of the token. */
const wordsFor = (error: { readonly code: string; readonly claim?: unknown }): string =>
  error.claim === undefined
    ? (words[error.code] ?? "it can't be read.")
    : `the check of its claim ${String(error.claim)} failed.`

export const makeFetchKeys = (network: Network = internet) => {
  const fetch = makeIdentityFetch(network)
  const read = async (url: string): Promise<string> => {
    const response = await fetch(url, { headers: { accept: "application/json" } })
    if (response.status !== 200) throw new Error(`${url} responds with status ${response.status}`)
    return response.text()
  }
  return async ({ issuer, jwksUrl }: TokenIssuer) => {
    const { createLocalJWKSet } = await import("jose")
    const text = await read(jwksUrl ?? (await discovered(issuer, read)))
    return { keys: createLocalJWKSet(JSON.parse(text)), text }
  }
}

const discovered = async (issuer: string, read: (url: string) => Promise<string>): Promise<string> => {
  const found = JSON.parse(await read(`${issuer.replace(/\/$/, "")}/.well-known/openid-configuration`))
  if (found?.issuer !== issuer) {
    throw new Error(`discovery names issuer "${found?.issuer}"; the configuration says "${issuer}"`)
  }
  const { origin, protocol } = new URL(found.jwks_uri)
  if (protocol === "https:" || origin === new URL(issuer).origin) return found.jwks_uri
  throw new Error("discovery names a jwks_uri that is not https")
}

export const reasonOf = (error: unknown): string => {
  const cause = error instanceof Error ? (error.cause ?? error) : error
  return cause instanceof Error ? cause.message : String(cause)
}
