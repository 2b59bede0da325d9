/** The master key of the running gateway, which opens `/admin`. */
import { createHash, timingSafeEqual } from "node:crypto"
import { Context, Layer, Redacted } from "effect"
import { looksLikeVirtualKey } from "../../core/keys/Credential.ts"
import { Unauthorized } from "../../core/domain/Errors.ts"
import { WrongKeyKind } from "../errors/RequestErrors.ts"

export class MasterKey extends Context.Service<
  MasterKey,
  {
    /** Compares in constant time, whatever the credential's length. */
    readonly matches: (credential: string) => boolean
  }
>()("gateway/http/MasterKey") {
  static readonly layer = (key: Redacted.Redacted<string>) =>
    Layer.sync(MasterKey, () => {
      const expected = digest(Redacted.value(key))
      return { matches: (credential) => timingSafeEqual(digest(credential), expected) }
    })
}

export const refusalOf = (presented: string | undefined): Unauthorized | WrongKeyKind => {
  if (presented === undefined) return new Unauthorized({ code: "missing_api_key" })
  return looksLikeVirtualKey(presented)
    ? new WrongKeyKind({ expected: "master" })
    : new Unauthorized({ code: "invalid_api_key" })
}

const digest = (text: string): Buffer => createHash("sha256").update(text).digest()
