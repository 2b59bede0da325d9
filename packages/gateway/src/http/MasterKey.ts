/** The master key of the running gateway, which opens `/admin`. */
import { createHash, timingSafeEqual } from "node:crypto"
import { Context, Layer, Redacted } from "effect"

export class MasterKey extends Context.Service<
  MasterKey,
  {
    /** In constant time, whatever the length of what is presented. */
    readonly matches: (credential: string) => boolean
  }
>()("gateway/http/MasterKey") {
  static readonly layer = (key: Redacted.Redacted<string>) =>
    Layer.sync(MasterKey, () => {
      const expected = digest(Redacted.value(key))
      return { matches: (credential) => timingSafeEqual(digest(credential), expected) }
    })
}

const digest = (text: string): Buffer => createHash("sha256").update(text).digest()
