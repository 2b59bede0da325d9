/** Admits callers with a valid virtual key or JWT while the gateway takes new work. */
import { Effect } from "effect"
import { AddressNotAllowed, Draining, Unauthorized } from "../../core/domain/Errors.ts"
import type { Caller } from "../../core/keys/Caller.ts"
import { CallerTokens, looksLikeJwt } from "../../core/keys/CallerTokens.ts"
import { looksLikeVirtualKey } from "../../core/keys/Credential.ts"
import { KeyStore } from "../../core/keys/KeyStore.ts"
import { looksLikeServiceToken } from "../../core/admin/Principals.ts"
import { WrongKeyKind } from "../errors/RequestErrors.ts"
import { AuthThrottle } from "../shared/AuthThrottle.ts"
import { addressTest } from "../shared/ClientAddress.ts"
import { MasterKey } from "../shared/MasterKey.ts"
import { Readiness } from "../shared/Readiness.ts"
import type { EndpointError } from "../errors/WireError.ts"
import { credentialOf } from "./Credentials.ts"
import type { HttpRequest } from "../routing/Endpoint.ts"

/** The current caller. Fails with the error to answer with. */
export type Admission = (
  request: Pick<HttpRequest, "headers" | "remoteAddress">
) => Effect.Effect<Caller, EndpointError>

export const makeAdmission = Effect.gen(function* () {
  const keys = yield* KeyStore
  const master = yield* MasterKey
  const readiness = yield* Readiness
  const admitToken = yield* CallerTokens

  const { address } = yield* AuthThrottle
  /** Lists of equal addresses are one object for all keys in memory. */
  const tests = new WeakMap<ReadonlyArray<string>, (address: string) => boolean>()
  const isFrom = (networks: ReadonlyArray<string>, from: string): boolean => {
    const test = tests.get(networks) ?? addressTest(networks)
    tests.set(networks, test)
    return test(from)
  }
  const admit: Admission = ({ headers, remoteAddress }) => {
    if (readiness.isDraining()) return Effect.fail(new Draining())
    const credential = credentialOf(headers)
    if (credential === undefined) return Effect.fail(new Unauthorized({ code: "missing_api_key" }))
    if (!looksLikeVirtualKey(credential)) {
      if (looksLikeServiceToken(credential) || master.matches(credential)) {
        return Effect.fail(new WrongKeyKind({ expected: "virtual" }))
      }
    }
    const found = looksLikeJwt(credential) ? admitToken(credential) : keys.authenticate(credential)
    return Effect.flatMap(found, (caller) => {
      const { allowFrom, id: keyId } = caller.key
      if (allowFrom === undefined || allowFrom.length === 0) return Effect.succeed(caller)
      const from = address({ headers, socket: { remoteAddress } })
      return isFrom(allowFrom, from)
        ? Effect.succeed(caller)
        : Effect.fail(new AddressNotAllowed({ keyId, address: from }))
    })
  }
  return admit
})
