/** Admits callers with a valid virtual key or JWT while the gateway takes new work. */
import { Effect } from "effect"
import { Draining, Unauthorized } from "../../core/domain/Errors.ts"
import type { Caller } from "../../core/keys/Caller.ts"
import { CallerTokens, looksLikeJwt } from "../../core/keys/CallerTokens.ts"
import { looksLikeVirtualKey } from "../../core/keys/Credential.ts"
import { KeyStore } from "../../core/keys/KeyStore.ts"
import { looksLikeServiceToken } from "../../core/admin/Principals.ts"
import { WrongKeyKind } from "../errors/RequestErrors.ts"
import { MasterKey } from "../shared/MasterKey.ts"
import { Readiness } from "../shared/Readiness.ts"
import type { EndpointError } from "../errors/WireError.ts"
import { credentialOf } from "./Credentials.ts"
import type { RequestHeaders } from "../routing/Endpoint.ts"

/** The current caller. Fails with the error to answer with. */
export type Admission = (headers: RequestHeaders) => Effect.Effect<Caller, EndpointError>

export const makeAdmission = Effect.gen(function* () {
  const keys = yield* KeyStore
  const master = yield* MasterKey
  const readiness = yield* Readiness
  const admitToken = yield* CallerTokens

  const admit: Admission = (headers) => {
    if (readiness.isDraining()) return Effect.fail(new Draining())
    const credential = credentialOf(headers)
    if (credential === undefined) return Effect.fail(new Unauthorized({ code: "missing_api_key" }))
    if (!looksLikeVirtualKey(credential)) {
      if (looksLikeServiceToken(credential) || master.matches(credential)) {
        return Effect.fail(new WrongKeyKind({ expected: "virtual" }))
      }
      if (looksLikeJwt(credential)) return admitToken(credential)
    }
    return keys.authenticate(credential)
  }
  return admit
})
