/** The rules for the master key. It opens everything, so the gateway does not start on one that others could guess. */
import { secret } from "./SecretSettings.ts"

const SHORTEST = 32
/** 32 random characters of the poorest alphabet in use (hex) practically never hold fewer different ones. */
const FEWEST_DIFFERENT = 8

export const howToMakeOne = "make one with `openssl rand -base64 33` or `model-gateway init`"

/** Words of examples and placeholders, without separators. A key that was made at random holds none of them. */
const PLACEHOLDERS = [
  "changeme",
  "changethis",
  "replaceme",
  "replacethis",
  "example",
  "placeholder",
  "yourmasterkey",
  "yourkey",
  "masterkeyhere",
  "secretkey",
  "supersecret",
  "password",
  "sk1234",
  "1234567890",
  "abcdefghij"
]

/** Why a key must not be used; undefined when it may. The reason holds nothing of the key. */
export const masterKeyWeakness = (key: string): string | undefined => {
  if (key.length < SHORTEST) return `the master key has ${key.length} characters, and needs at least ${SHORTEST}`
  const letters = key.toLowerCase().replace(/[^a-z0-9]/g, "")
  if (PLACEHOLDERS.some((word) => letters.includes(word))) {
    return "the master key is a well-known one or an example, so anyone can guess it"
  }
  if (new Set(key).size < FEWEST_DIFFERENT || isRepeated(key) || isSequence(key)) {
    return "the master key is a pattern (repeated or in sequence), so anyone can guess it"
  }
  return undefined
}

/** A shorter text again and again, the last time perhaps in part. */
const isRepeated = (key: string): boolean =>
  Array.from({ length: Math.floor(key.length / 2) }, (_, index) => index + 1).some((period) =>
    key.startsWith(key.slice(period))
  )

/** More than half of the characters are the successor of the one before. */
const isSequence = (key: string): boolean => {
  const steps = Array.from(key).filter((_, index) => key.charCodeAt(index) - key.charCodeAt(index - 1) === 1)
  return steps.length > key.length / 2
}

export const masterKey = secret("a master key", (key) => {
  const weakness = masterKeyWeakness(key)
  if (weakness === undefined) return undefined
  const allowed = `at least ${SHORTEST} random characters`
  return { message: `${weakness}; ${howToMakeOne}`, allowed, found: "a weak key" }
})
