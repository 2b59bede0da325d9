/**
 * Providers, and proxies in front of them, repeat in an error what they were sent. Their words may reach callers, so our own credentials
 * are struck out of them by value: many keys look like nothing in particular. Then go other people's keys, by their looks, and then
 * whatever is too long: a key that was cut before would show its beginning.
 */
import { Redacted } from "effect"
import type { Deployment } from "../../core/domain/Deployment.ts"
import { noOptions } from "../../core/domain/ProviderOptions.ts"
import { ProviderFailure } from "../../core/domain/Failures.ts"
import type { AuthHeaders } from "../../core/pool/Auth.ts"

/** Characters of a provider's message that are passed on, and of each of its other words. */
const MAX_MESSAGE = 2000
const MAX_WORD = 200

const MARK = "[redacted]"
/** Shorter ones would strike out ordinary words. */
const SHORTEST = 8

const HALF = /[\uD800-\uDBFF]$/

/** Keys of any vendor, whole or half hidden behind asterisks, and whatever a message calls an API key. */
const SECRETS =
  /\b(?:sk|pk|rk|gsk|xai|mgw|hf)[-_][\w*.-]{4,}|\bAIza[\w*-]{8,}|\bBearer\s+[\w*.~+/-]{8,}=*|[\w-]{0,40}\*{3,}[\w-]*/gi
const NAMED_SECRET = /(api[ _-]?key(?: provided)?\s*[:=]\s*)[^\s,;]{6,}/gi

/** What the configuration holds for a deployment's provider. */
export const configuredSecrets = ({
  apiKeys,
  options = noOptions
}: Pick<Deployment, "apiKeys" | "options">): ReadonlyArray<string> =>
  worthHiding([...apiKeys, ...Object.values(options.secret)].map(Redacted.value))

/** Tokens in the headers that an authentication made, without the word before them (`Bearer`). */
export const secretsIn = (headers: AuthHeaders): ReadonlyArray<string> =>
  worthHiding(Object.values(headers).map((value) => value.replace(/^\S+ (?=\S+$)/, "")))

const worthHiding = (secrets: ReadonlyArray<string>): ReadonlyArray<string> =>
  secrets.filter((secret) => secret.length >= SHORTEST)

/** The failure as others may see it; `secrets`: ours. */
export const withoutSecrets = (failure: ProviderFailure, secrets: ReadonlyArray<string>): ProviderFailure => {
  const shown = (text: string, most: number): string => {
    const own = secrets.reduce((rest, secret) => rest.replaceAll(secret, MARK), text)
    // The patterns run over a bounded text.
    const clean = own
      .slice(0, most * 2)
      .replace(SECRETS, MARK)
      .replace(NAMED_SECRET, `$1${MARK}`)
    // Not inside of a character.
    return clean.length <= most ? clean : `${clean.slice(0, most - 1).replace(HALF, "")}…`
  }
  const shownWord = (text: string | null) => (text === null ? null : shown(text, MAX_WORD))
  return new ProviderFailure({
    ...failure,
    message: shown(failure.message, MAX_MESSAGE),
    type: shownWord(failure.type),
    code: shownWord(failure.code),
    param: shownWord(failure.param)
  })
}
