/** The last guard: whatever looks like a credential is struck out of a text, and every secret that the gateway knows of. */
import { Redacted } from "effect"

/** Our own keys, and what the vendors' begin with. */
const CREDENTIALS =
  /\b(?:mgw_|mk_|sk-|sk_|rk_|pk_|gsk_|hf_|r8_|xai-|ghp_|AIza|AKIA)[\w-]{6,}|\b(?:Bearer|Basic)\s+[\w.~+/=-]{6,}/gi

const MARK = "[redacted]"
/** Shorter ones would strike out ordinary words. */
const SHORTEST = 6

type Secrets = ReadonlyArray<Redacted.Redacted<string>>

/** `secrets`: those that are known at the time, another list whenever they have changed. */
export const redactor = (secrets: () => Secrets): ((text: string) => string) => {
  let given: Secrets = []
  let known: ReadonlyArray<string> = []
  return (text) => {
    const present = secrets()
    if (present !== given) {
      given = present
      known = spellingsOf(present)
    }
    let shown = text
    for (const secret of known) shown = shown.replaceAll(secret, MARK)
    return shown.replace(CREDENTIALS, MARK)
  }
}

const spellingsOf = (secrets: Secrets): ReadonlyArray<string> =>
  secrets
    .map(Redacted.value)
    .filter((secret) => secret.length >= SHORTEST)
    // Lines are struck out when they are complete: in them a quote is an escaped one.
    .flatMap((secret) => [secret, JSON.stringify(secret).slice(1, -1)])
