/** Callers' tokens, checked with `jose`, and the keys of their issuers, which are fetched with limits and kept. */
import { readFile } from "node:fs/promises"
import { Metrics } from "@model-gateway/protocol"
import { Clock, Effect, Layer } from "effect"
import type { JWTVerifyResult, LocalJWKSet } from "jose"
import { TokenVerifier, type VerifiedToken } from "../../core/keys/CallerTokens.ts"
import { TokenRefused, Unauthorized } from "../../core/domain/Errors.ts"
import type { TokenIssuer } from "../../core/domain/Settings.ts"
import { Telemetry } from "../../core/domain/Telemetry.ts"
import { makeIdentityFetch } from "../transport/IdentityFetch.ts"
import { internet, type Network } from "../transport/PublicFetch.ts"

/** Never `none`, and no secret that the issuer shares (HS256). */
const algorithms = ["RS", "PS", "ES"].flatMap((kind) => [256, 384, 512].map((bits) => `${kind}${bits}`))
const ALLOWED = [...algorithms, "EdDSA", "Ed25519"]
const TYPES = ["jwt", "at+jwt", "application/at+jwt"]

const LONGEST_TOKEN = 12 * 1024
const LONGEST_KID = 256
/** Seconds by which clocks may differ. */
const SKEW = 60
/** A token counts for so many seconds from `iat`, whatever its `exp`. */
const MAX_AGE = 24 * 3600

/** The keys are fetched again after so long, and hold for `STALE_MS` while that fails. */
const REFRESH_MS = 600_000
const STALE_MS = 3_600_000
/** A key that is missing makes no more than one fetch in this time. */
const PAUSE_MS = 30_000
/** Tokens that are verified at once. Each takes a thread for a tenth of a millisecond. */
const MOST_AT_ONCE = 64

interface KeySet {
  current: { readonly keys: LocalJWKSet; readonly text: string; readonly fetchedAt: number } | undefined
  triedAt: number
  fetching: Promise<void> | undefined
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
      const sets = new Map<string, KeySet>()
      let verifying = 0

      /** A reload keeps the keys of an issuer that it does not change. */
      const setOf = ({ issuer, jwks, name }: TokenIssuer): KeySet => {
        const id = JSON.stringify([issuer, jwks])
        const known = sets.get(id)
        if (known !== undefined) return known
        const made: KeySet = { current: undefined, triedAt: -PAUSE_MS, fetching: undefined }
        sets.set(id, made)
        const age = () => (clock.currentTimeMillisUnsafe() - (made.current?.fetchedAt ?? made.triedAt)) / 1000
        telemetry.gauge(Metrics.jwksAge, { issuer: name }, age)
        return made
      }

      const refresh = (issuer: TokenIssuer, set: KeySet, now: number): Promise<void> => {
        if (set.fetching !== undefined) return set.fetching
        if (Math.abs(now - set.triedAt) < PAUSE_MS) return Promise.resolve()
        set.triedAt = now
        const failed = (error: unknown) =>
          void runLog(Effect.logWarning(`the keys of issuer ${issuer.name} can't be fetched: ${reasonOf(error)}`))
        const took = ({ keys, text }: Awaited<ReturnType<typeof fetchKeys>>) => {
          const same = set.current?.text === text ? set.current.keys : keys
          set.current = { keys: same, text, fetchedAt: now }
        }
        set.fetching = fetchKeys(issuer)
          .then(took)
          .catch(failed)
          .finally(() => (set.fetching = undefined))
        return set.fetching
      }

      /** The keys that hold at `now`; undefined: there are none, or only old ones. */
      const keysAt = (issuer: TokenIssuer, set: KeySet, now: number): LocalJWKSet | undefined => {
        const age = set.current === undefined ? Number.POSITIVE_INFINITY : Math.abs(now - set.current.fetchedAt)
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
        const invalid = (detail: string) => new Unauthorized({ code: "invalid_token", issuer: issuer.name, detail })
        if (header.typ !== undefined && !TYPES.includes(header.typ.toLowerCase())) throw invalid("its typ is not JWT.")
        if (header.crit !== undefined) throw invalid("it has crit, which the gateway does not know.")
        if ((header.kid?.length ?? 0) > LONGEST_KID) throw invalid(`its kid has more than ${LONGEST_KID} characters.`)
        const unavailable = new TokenRefused({ code: "issuer_unavailable", issuer: issuer.name })
        const options = {
          issuer: issuer.issuer,
          audience: [...issuer.audience],
          algorithms: ALLOWED,
          clockTolerance: SKEW,
          maxTokenAge: MAX_AGE,
          requiredClaims: ["exp"],
          currentDate: new Date(now)
        }
        const set = setOf(issuer)
        if (keysAt(issuer, set, now) === undefined) await refresh(issuer, set, now)
        const check = async (again: boolean): Promise<JWTVerifyResult & { readonly keys: LocalJWKSet }> => {
          const keys = keysAt(issuer, set, now)
          if (keys === undefined) throw unavailable
          if (verifying >= MOST_AT_ONCE) throw unavailable
          verifying++
          try {
            return { ...(await jose.jwtVerify(token, keys, options)), keys }
          } catch (error) {
            if (!(error instanceof jose.errors.JWKSNoMatchingKey) || again) throw error
          } finally {
            verifying--
          }
          await refresh(issuer, set, now)
          return check(true)
        }
        const { keys, payload } = await check(false).catch((error: unknown): never => {
          if (error instanceof jose.errors.JWTExpired) {
            throw new Unauthorized({ code: "expired_token", issuer: issuer.name })
          }
          throw error instanceof jose.errors.JOSEError ? invalid(wordsFor(error)) : error
        })
        const { exp = 0, iat = 0 } = payload
        const until = (Math.min(exp, iat + MAX_AGE) + SKEW) * 1000
        return {
          issuer,
          claims: payload,
          holds: (at) => at < until && issuers() === all && keysAt(issuer, set, at) === keys
        }
      }

      const verify = (token: string) =>
        Effect.catch(Effect.tryPromise({ try: () => verified(token), catch: (error) => error }), (error) =>
          error instanceof Unauthorized || error instanceof TokenRefused ? Effect.fail(error) : Effect.die(error)
        )
      return { verify }
    })
  )

/** Header and `iss` of a token that nobody has verified. */
const opened = (jose: typeof import("jose"), token: string) => {
  const unreadable = new Unauthorized({ code: "invalid_token", detail: "it is no signed JWT of at most 12 KB." })
  if (token.length > LONGEST_TOKEN) throw unreadable
  try {
    return { header: jose.decodeProtectedHeader(token), iss: jose.decodeJwt(token).iss }
  } catch {
    throw unreadable
  }
}

/** Which check failed, with nothing of the token. */
const wordsFor = (error: { readonly code: string; readonly claim?: unknown }): string => {
  switch (error.code) {
    case "ERR_JWT_CLAIM_VALIDATION_FAILED":
      return `the check of its claim ${String(error.claim)} failed.`
    case "ERR_JWS_SIGNATURE_VERIFICATION_FAILED":
      return "its signature is wrong."
    case "ERR_JOSE_ALG_NOT_ALLOWED":
      return "its alg is not allowed."
    case "ERR_JWKS_NO_MATCHING_KEY":
    case "ERR_JWKS_MULTIPLE_MATCHING_KEYS":
      return "its issuer has no such key (kid and alg)."
    default:
      return "it can't be read."
  }
}

/** The keys of an issuer, as its discovery document or the configuration says. */
export const makeFetchKeys = (network: Network = internet) => {
  const fetch = makeIdentityFetch(network)
  return async ({ issuer, jwks }: TokenIssuer) => {
    const { createLocalJWKSet } = await import("jose")
    const bearer = jwks.tokenFile === undefined ? undefined : (await readFile(jwks.tokenFile, "utf8")).trim()
    const read = async (url: string): Promise<string> => {
      // The token is for the address of the configuration only.
      const isOwn = bearer !== undefined && new URL(url).origin === new URL(jwks.url ?? issuer).origin
      const authorization = isOwn ? { authorization: `Bearer ${bearer}` } : {}
      const response = await fetch(url, { headers: { accept: "application/json", ...authorization } }, jwks.ca)
      if (response.status !== 200) throw new Error(`${url} responds with status ${response.status}`)
      return await response.text()
    }
    let { url } = jwks
    if (url === undefined) {
      const found = JSON.parse(await read(`${issuer.replace(/\/$/, "")}/.well-known/openid-configuration`))
      if (found?.issuer !== issuer) {
        throw new Error(`discovery names issuer "${found?.issuer}"; the configuration says "${issuer}"`)
      }
      url = String(found.jwks_uri)
      const isSafe = url.startsWith("https:") || new URL(url).origin === new URL(issuer).origin
      if (!isSafe) throw new Error("discovery names a jwks_uri that is not https")
    }
    const text = await read(url)
    return { keys: createLocalJWKSet(JSON.parse(text)), text }
  }
}

const reasonOf = (error: unknown): string => {
  const cause = error instanceof Error ? (error.cause ?? error) : error
  return cause instanceof Error ? cause.message : String(cause)
}
