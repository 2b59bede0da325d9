/** Identity providers that sign people in by OpenID Connect. A port: `providers` implements it. */
import { Context, Effect, Layer, Schema } from "effect"
import type { Claims } from "../domain/Claims.ts"

/** What a sign-in must bring back. It is kept in a sealed cookie of the browser. */
export interface SignInState {
  readonly state: string
  readonly nonce: string
  readonly verifier: string
}

export interface SignedIn {
  readonly issuer: string
  readonly subject: string
  readonly claims: Claims
  /** Undefined: the provider gave none, so nothing can be asked of it later. */
  readonly refreshToken: string | undefined
}

/** `revoked`: the provider says that the sign-in is over. `unreachable`: it said nothing. `message` is for people. */
export class SignInFailed extends Schema.TaggedError<SignInFailed>()("SignInFailed", {
  why: Schema.Literals(["refused", "revoked", "unreachable"]),
  message: Schema.String
}) {}

export class IdentityProviders extends Context.Service<
  IdentityProviders,
  {
    /** The address to send the browser to, and what to keep until it comes back to `redirectUri`. */
    readonly begin: (
      provider: string,
      redirectUri: string
    ) => Effect.Effect<{ readonly url: string; readonly state: SignInState }, SignInFailed>
    /** `callback`: the address that the browser came back to, with its query. */
    readonly finish: (provider: string, callback: string, state: SignInState) => Effect.Effect<SignedIn, SignInFailed>
    readonly refresh: (provider: string, refreshToken: string, subject: string) => Effect.Effect<SignedIn, SignInFailed>
  }
>()("gateway/core/IdentityProviders") {
  static readonly none = Layer.sync(IdentityProviders, () => {
    const failed = (name: string) =>
      Effect.fail(new SignInFailed({ why: "refused", message: `There is no identity provider "${name}".` }))
    return { begin: failed, finish: failed, refresh: failed }
  })
}
