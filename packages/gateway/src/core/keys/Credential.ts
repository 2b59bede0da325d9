/**
 * A virtual key: `mgw_<public id, 12 base62>_<secret, 43 base62><checksum, 6 base62>`. The checksum (CRC-32) refuses mistyped
 * keys without a look-up. Only the HMAC-SHA-256 of the secret (256 bits) is stored.
 */
import { hash as hashOnce, randomBytes, timingSafeEqual } from "node:crypto"
import { crc32 } from "node:zlib"
import type { SecretHash } from "./KeyRepository.ts"

const SHAPE = /^mgw_([0-9A-Za-z]{12})_([0-9A-Za-z]{43})([0-9A-Za-z]{6})$/
const ALPHABET = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"

/** Uniformly random base62 characters: bytes beyond the last multiple of 62 are drawn again. */
export const randomBase62 = (length: number): string => {
  let text = ""
  while (text.length < length) {
    for (const byte of randomBytes(length * 2)) if (byte < 248 && text.length < length) text += ALPHABET[byte % 62]
  }
  return text
}

/** SHA-256 in hex, the stored form of random secrets: a slow hash is only needed for passwords. */
export const hashOf = (text: string): string => hashOnce("sha256", text)

/** In constant time, for texts of one length. */
export const isSame = (a: string, b: string): boolean =>
  a.length === b.length && timingSafeEqual(Buffer.from(a), Buffer.from(b))

const checksum = (text: string): string => {
  let rest = crc32(text)
  let digits = ""
  for (let i = 0; i < 6; i++) {
    digits = ALPHABET[rest % 62] + digits
    rest = Math.floor(rest / 62)
  }
  return digits
}

const compose = (publicId: string): string => {
  const body = `mgw_${publicId}_${randomBase62(43)}`
  return body + checksum(body)
}

export const generate = (): { readonly keyId: string; readonly text: string } => {
  const publicId = randomBase62(12)
  return { keyId: `key_${publicId}`, text: compose(publicId) }
}

export const generateFor = (keyId: string): string => compose(keyId.slice("key_".length))

/** The digest by which LiteLLM knows a key: SHA-256 of its text in hex. Whoever has it still lacks the key. */
export const litellmDigest = (text: string): string => hashOnce("sha256", text, "hex")

/** An id that follows from a text: the same each time for one store, and nobody else can tell. */
export const idFrom = (pepper: Uint8Array, text: string): string =>
  `key_${Array.from(digest(pepper, text).subarray(0, 12), (byte) => ALPHABET[byte % 62]).join("")}`

/** The id of a key that came from LiteLLM, by that digest. So a key comes once, and is found like any other. */
export const idOfLitellm = (pepper: Uint8Array, litellm: string): string => idFrom(pepper, `litellm:${litellm}`)

export const looksLikeVirtualKey = (text: string): boolean => text.startsWith("mgw_")

/** The key id inside a credential; undefined when its shape or checksum is wrong. */
export const parse = (text: string): { readonly keyId: string } | undefined => {
  const match = SHAPE.exec(text)
  if (match === null || checksum(text.slice(0, -6)) !== match[3]) return undefined
  return { keyId: `key_${match[1]}` }
}

/** What a caller presents: whose it would be, and what its stored form is made of. */
interface Presented {
  readonly keyId: string
  readonly text: string
  readonly from: SecretHash["from"]
}

/** Undefined when it can't be any key's. One of LiteLLM's names no key: its id is made of all of it, so that a look for it tells. */
export const read = (pepper: Uint8Array, text: string): Presented | undefined => {
  if (looksLikeVirtualKey(text)) {
    const parsed = parse(text)
    return parsed && { keyId: parsed.keyId, text, from: undefined }
  }
  if (!text.startsWith("sk-")) return undefined
  const litellm = litellmDigest(text)
  return { keyId: idOfLitellm(pepper, litellm), text: litellm, from: "litellm" }
}

/** The two pads of an HMAC key of at most one block, RFC 2104. */
const pads = (pepper: Uint8Array): { readonly inner: Buffer; readonly outer: Buffer } => {
  const pad = (byte: number) => Buffer.alloc(BLOCK).map((_, index) => (pepper[index] ?? 0) ^ byte)
  return { inner: Buffer.from(pad(0x36)), outer: Buffer.from(pad(0x5c)) }
}

const BLOCK = 64
const padsOf = new WeakMap<Uint8Array, ReturnType<typeof pads>>()

/** HMAC-SHA-256 out of two one-shot hashes: Node's `createHmac` costs three times as much, on every request. */
const digest = (pepper: Uint8Array, text: string): Buffer => {
  let keyed = padsOf.get(pepper)
  if (keyed === undefined) padsOf.set(pepper, (keyed = pads(pepper)))
  const inner = hashOnce("sha256", Buffer.concat([keyed.inner, Buffer.from(text)]), "buffer")
  return hashOnce("sha256", Buffer.concat([keyed.outer, inner]), "buffer")
}

/** The stored form of a credential: HMAC-SHA-256 in hex. */
export const hash = (pepper: Uint8Array, text: string): string => digest(pepper, text).toString("hex")

/** Which of the secrets that are valid at `now` belongs to the credential. Each comparison takes constant time. */
export const matching = (
  pepper: Uint8Array,
  text: string,
  secrets: ReadonlyArray<SecretHash>,
  now: number,
  from?: SecretHash["from"]
): SecretHash | undefined => {
  const given = digest(pepper, text)
  let found: SecretHash | undefined
  for (const secret of secrets) {
    const same = timingSafeEqual(given, Buffer.from(secret.hash, "hex")) && secret.from === from
    if (same && (secret.validUntil === null || secret.validUntil > now)) found = secret
  }
  return found
}
