/** How a request proves who sends it. A vendor names its authentication. */
import { type Effect, type Redacted, Schema } from "effect"
import type { UpstreamRequest } from "./Transport.ts"

/** No proof could be made: a token was not refreshed, a key can't sign. `message` is for the operator and holds no secret. */
export class AuthFailed extends Schema.TaggedError<AuthFailed>()("AuthFailed", { message: Schema.String }) {}

export interface AuthHeaders {
  readonly [name: string]: string
}

/**
 * `static`: the key alone decides, so the headers are made once for each key. `perRequest`: asked for each attempt with the request as
 * it will leave, for signatures over the body and tokens that expire. It is also asked where the provider has no keys.
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
