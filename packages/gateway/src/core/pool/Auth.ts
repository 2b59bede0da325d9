/** How a request is authenticated. Each vendor names its way. */
import { type Effect, type Redacted, Schema } from "effect"
import type { ProviderOptions } from "../domain/ProviderOptions.ts"
import type { Transport, UpstreamRequest } from "./Transport.ts"

/** Authentication failed before the call. `message` is for the operator and holds no secret. */
export class AuthFailed extends Schema.TaggedError<AuthFailed>()("AuthFailed", { message: Schema.String }) {}

export interface AuthHeaders {
  readonly [name: string]: string
}

/** What the authentication of one provider is made of. */
export interface AuthContext {
  readonly options: ProviderOptions
  readonly hasKeys: boolean
  /** The way to whoever gives tokens out. */
  readonly transport: Transport["Service"]
}

/**
 * `static`: headers made once per key. `perRequest`: runs for each attempt with the request as it is sent, for signatures and
 * expiring tokens, and without keys.
 */
export type ReadyAuth =
  | { readonly kind: "static"; readonly headers: (key: string) => AuthHeaders }
  | {
      readonly kind: "perRequest"
      readonly headers: (
        request: UpstreamRequest,
        key: Redacted.Redacted<string> | undefined
      ) => Effect.Effect<AuthHeaders, AuthFailed>
    }

/** `perProvider`: made once for each provider, whose deployments then share it, and with it the tokens that it holds. */
export type Auth = ReadyAuth | { readonly kind: "perProvider"; readonly make: (context: AuthContext) => ReadyAuth }
