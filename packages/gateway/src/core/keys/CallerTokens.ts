/** Callers with a JWT. The issuer's first matching rule gives each subject a key. A verified token is remembered. */
import { Metrics } from "@model-gateway/protocol"
import { Clock, Context, Effect, Layer } from "effect"
import { LruMap } from "../collections/LruMap.ts"
import type { Claims } from "../domain/Claims.ts"
import { type StoreUnavailable, TokenRefused, Unauthorized } from "../domain/Errors.ts"
import type { TokenIssuer } from "../domain/Settings.ts"
import { Telemetry } from "../domain/Telemetry.ts"
import type { Caller } from "./Caller.ts"
import { KeyStore } from "./KeyStore.ts"
import { ruledBy } from "./TokenRules.ts"

/** A token whose signature, issuer, audience and times are right. */
export interface VerifiedToken {
  readonly issuer: TokenIssuer
  readonly claims: Claims
  /** Whether it holds at `now` (epoch milliseconds): it has not expired, its issuer still has its key, and the rules are the same. */
  readonly holds: (now: number) => boolean
}

/** Checks tokens with the keys of their issuers. A port: `providers` implements it. */
export class TokenVerifier extends Context.Service<
  TokenVerifier,
  { readonly verify: (token: string) => Effect.Effect<VerifiedToken, Unauthorized | TokenRefused> }
>()("gateway/core/TokenVerifier") {}

type Admit = (token: string) => Effect.Effect<Caller, Unauthorized | TokenRefused | StoreUnavailable>

interface KnownToken {
  readonly verified: VerifiedToken
  readonly keyId: string
  readonly endUser: string | undefined
}

/** Each is at most 12 KB. */
const MOST_TOKENS = 4_000

export const looksLikeJwt = (credential: string): boolean => credential.startsWith("eyJ")

/** The caller with this token. A known token completes without a fiber switch. The default knows no issuer. */
export const CallerTokens = Context.Reference<Admit>("gateway/core/CallerTokens", {
  defaultValue: () => () => Effect.fail(new Unauthorized({ code: "unknown_issuer" }))
})

export const layer = Layer.effect(
  CallerTokens,
  Effect.gen(function* () {
    const keys = yield* KeyStore
    const verifier = yield* TokenVerifier
    const telemetry = yield* Telemetry
    const clock = yield* Clock.Clock
    const known = new LruMap<KnownToken>(MOST_TOKENS)

    const verify = Effect.fnUntraced(
      function* (token: string) {
        const verified = yield* verifier.verify(token)
        const { claims, issuer } = verified
        const ruled = ruledBy(issuer.rules, claims)
        if (ruled === undefined) return yield* new TokenRefused({ code: "no_matching_rule", issuer: issuer.name })
        if ("lacking" in ruled) {
          const detail = `the rule ${ruled.rule.name} reads one text of at most 256 bytes from its claim ${ruled.lacking}.`
          return yield* new Unauthorized({ code: "invalid_token", issuer: issuer.name, detail })
        }
        const keyId = yield* keys.workload(ruled.rule, ruled.subject)
        const made: KnownToken = { verified, keyId, endUser: ruled.endUser }
        known.keep(token, made, clock.currentTimeMillisUnsafe())
        telemetry.count(Metrics.jwtVerifications, { issuer: issuer.name, outcome: "ok" })
        return made
      },
      Effect.tapError((error) =>
        Effect.sync(() => {
          if (error._tag === "StoreUnavailable") return
          telemetry.count(Metrics.jwtVerifications, { issuer: error.issuer ?? "", outcome: error.code })
        })
      )
    )

    const admitted = ({ endUser, keyId }: KnownToken) => {
      const caller = keys.admit(keyId)
      return endUser === undefined ? caller : Effect.map(caller, (one): Caller => ({ ...one, endUser }))
    }

    return (token) =>
      Effect.suspend(() => {
        const now = clock.currentTimeMillisUnsafe()
        const found = known.get(token, now)
        return found?.verified.holds(now) === true ? admitted(found) : Effect.flatMap(verify(token), admitted)
      })
  })
)
