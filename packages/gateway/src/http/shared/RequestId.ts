/** Ids of requests: the gateway's for its books, the caller's for its logs. */
import { randomFillSync } from "node:crypto"
import { firstIdAt } from "../../core/domain/RequestIds.ts"

const ALPHABET = "0123456789abcdefghijklmnopqrstuv"
/** Five bits each. */
const LENGTH = 15
/** Draws random bytes for many ids at once: a draw costs more than its bytes. */
const pool = Buffer.alloc(LENGTH * 128)
let used = pool.length

/** The beginning of all ids of one millisecond. */
let prefix = ""
let prefixAt = -1

/** `req_`, the time `now` (epoch ms) and 75 random bits: sequential ids are neighbours in an index, which is cheap. */
export const newRequestId = (now: number): string => {
  if (used === pool.length) {
    randomFillSync(pool)
    used = 0
  }
  if (now !== prefixAt) {
    prefix = firstIdAt(now)
    prefixAt = now
  }
  let id = prefix
  for (let index = 0; index < LENGTH; index++) id += ALPHABET[pool[used++]! & 31]
  return id
}

/** The caller's `x-request-id`, when it is at most 128 visible ASCII characters. */
export const echoedRequestId = (given: string | ReadonlyArray<string> | undefined): string | undefined =>
  typeof given === "string" && /^[\x21-\x7e]{1,128}$/.test(given) ? given : undefined
