/** Texts that only this gateway can read again, for cookies and for the store: AES-256-GCM under keys that are derived for one purpose each. */
import { createCipheriv, createDecipheriv, createHmac, hkdfSync, randomBytes } from "node:crypto"
import { Redacted } from "effect"

export interface Sealing {
  /** `of`: whose it is, such as an id; opened for another, it is not readable. */
  readonly seal: (purpose: string, of: string, text: string) => string
  /** The same for the same text, and nobody without the secret can tell of which: for short texts that are looked up. */
  readonly digest: (purpose: string, text: string) => string
  /** Undefined: it was sealed with other secrets, for another purpose or of something else, or it was changed. */
  readonly open: (purpose: string, of: string, sealed: string) => string | undefined
}

/** The first secret seals, all of them open. */
export const sealingWith = (secrets: ReadonlyArray<Redacted.Redacted<string>>): Sealing => {
  const keyOf = (secret: Redacted.Redacted<string>, purpose: string) =>
    Buffer.from(hkdfSync("sha256", Redacted.value(secret), "", `model-gateway ${purpose}`, 32))
  return {
    seal: (purpose, of, text) => {
      const nonce = randomBytes(12)
      const cipher = createCipheriv("aes-256-gcm", keyOf(secrets[0]!, purpose), nonce).setAAD(Buffer.from(of))
      const sealed = Buffer.concat([cipher.update(text, "utf8"), cipher.final()])
      return Buffer.concat([nonce, cipher.getAuthTag(), sealed]).toString("base64url")
    },
    digest: (purpose, text) => createHmac("sha256", keyOf(secrets[0]!, purpose)).update(text).digest("hex"),
    open: (purpose, of, sealed) => {
      const bytes = Buffer.from(sealed, "base64url")
      for (const secret of bytes.length < 28 ? [] : secrets) {
        try {
          const decipher = createDecipheriv("aes-256-gcm", keyOf(secret, purpose), bytes.subarray(0, 12))
          decipher.setAAD(Buffer.from(of)).setAuthTag(bytes.subarray(12, 28))
          return decipher.update(bytes.subarray(28), undefined, "utf8") + decipher.final("utf8")
        } catch {
          // Another of the secrets may open it.
        }
      }
      return undefined
    }
  }
}
