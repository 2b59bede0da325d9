/**
 * Providers, and proxies in front of them, repeat in an error what they were sent. Their words may reach callers, so our own credentials
 * are struck out of them by value: many keys look like nothing in particular.
 */
import { Redacted } from "effect"
import type { Deployment } from "../core/domain/Deployment.ts"
import { noOptions } from "../core/domain/ProviderOptions.ts"
import { ProviderFailure } from "../core/domain/Failures.ts"
import type { AuthHeaders } from "../core/pool/Auth.ts"

const MARK = "[redacted]"
/** Shorter ones would strike out ordinary words. */
const SHORTEST = 8

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

export const withoutSecrets = (failure: ProviderFailure, secrets: ReadonlyArray<string>): ProviderFailure => {
  const { code, message, param, type } = failure
  const said = [message, type, code, param].join("\n")
  if (!secrets.some((secret) => said.includes(secret))) return failure
  const clean = (text: string) => secrets.reduce((rest, secret) => rest.replaceAll(secret, MARK), text)
  const cleanWord = (text: string | null) => (text === null ? null : clean(text))
  return new ProviderFailure({
    ...failure,
    message: clean(message),
    type: cleanWord(type),
    code: cleanWord(code),
    param: cleanWord(param)
  })
}
