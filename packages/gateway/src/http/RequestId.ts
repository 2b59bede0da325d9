/** Names for requests: ours for the books, the caller's for its own logs. */
import { randomFillSync } from "node:crypto"

const ALPHABET = "0123456789abcdefghijklmnopqrstuv"
const LENGTH = 24
/** Random bytes are drawn for many ids at once: a draw costs more than its bytes. */
const pool = Buffer.alloc(LENGTH * 128)
let used = pool.length

/** `req_` and 120 random bits. */
export const newRequestId = (): string => {
  if (used === pool.length) {
    randomFillSync(pool)
    used = 0
  }
  let id = "req_"
  for (let index = 0; index < LENGTH; index++) id += ALPHABET[pool[used++]! & 31]
  return id
}

/** The caller's `x-request-id`, when it is at most 128 visible ASCII characters. */
export const echoedRequestId = (given: string | ReadonlyArray<string> | undefined): string | undefined =>
  typeof given === "string" && /^[\x21-\x7e]{1,128}$/.test(given) ? given : undefined
