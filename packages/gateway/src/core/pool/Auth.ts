/** How a request is authenticated. Each vendor names its way. */
import { type Effect, type Redacted, Schema } from "effect"
import type { UpstreamRequest } from "./Transport.ts"

/**
 * Authentication failed before the call: a token was not refreshed, or a key can't sign. `message` is for the operator and holds no
 * secret.
 */
export class AuthFailed extends Schema.TaggedError<AuthFailed>()("AuthFailed", { message: Schema.String }) {}

export interface AuthHeaders {
  readonly [name: string]: string
}

/**
 * `static`: the headers depend on the key alone and are made once for each key. `perRequest`: the effect runs for each attempt
 * with the request exactly as it will be sent, for signatures over the body and for tokens that expire. It also runs where the
 * provider has no keys.
 */
export type Auth =
  | { readonly kind: "static"; readonly headers: (key: string) => AuthHeaders }
  | {
      readonly kind: "perRequest"
      readonly headers: (
        request: UpstreamRequest,
        key: Redacted.Redacted<string> | undefined
      ) => Effect.Effect<AuthHeaders, AuthFailed>
    }
