/** The last guard: whatever looks like a credential is struck out of a text, and every secret that the gateway knows of. */
import { Redacted } from "effect"

/** Our own keys, and what the vendors' begin with. Words that are only near to them (`task-force`, `hf_transfer`) have no digit. */
const CREDENTIALS =
  /(?<![A-Za-z0-9])(?:mgw[a-z]?_|mk_|sk-|sk_|rk_|pk_|gsk_|hf_|r8_|xai-|ghp_|AIza|AKIA)(?:(?=[\w-]*\d)[\w-]{6,}|[\w-]{20,})|\beyJ[\w-]+\.[\w-]+(?:\.[\w-]*)?/g

/** The word before it says what it is; `Basic authentication` is none. */
const AFTER_ITS_SCHEME = /\b(?:Bearer|Basic)\s+(?=[\w.~+/=-]*[^A-Za-z\s]|[\w.~+/=-]{20})[\w.~+/=-]{6,}/gi

const MARK = "[redacted]"
/** Shorter ones would strike out ordinary words. */
const SHORTEST = 6
/** Up to here a secret may be a part of a word by chance, so it is struck out as a word of its own; a longer one wherever it stands. */
const LONGEST_WORD = 15

type Secrets = ReadonlyArray<Redacted.Redacted<string>>

/** `secrets`: those that are known at the time, another list whenever they have changed. */
export const redactor = (secrets: () => Secrets): ((text: string) => string) => {
  let given: Secrets = []
  let known: ReadonlyArray<string | RegExp> = []
  return (text) => {
    const present = secrets()
    if (present !== given) {
      given = present
      known = spellingsOf(present)
    }
    let shown = text
    for (const secret of known) shown = shown.replaceAll(secret, MARK)
    return shown.replace(AFTER_ITS_SCHEME, MARK).replace(CREDENTIALS, MARK)
  }
}

const spellingsOf = (secrets: Secrets): ReadonlyArray<string | RegExp> =>
  secrets
    .map(Redacted.value)
    .filter((secret) => secret.length >= SHORTEST)
    // Lines are struck out when they are complete: in them a quote is an escaped one.
    .flatMap((secret) => [secret, JSON.stringify(secret).slice(1, -1)])
    .map((spelling) => (spelling.length > LONGEST_WORD ? spelling : asWord(spelling)))

const asWord = (text: string): RegExp =>
  new RegExp(`(?<![A-Za-z0-9])${text.replaceAll(/[\\^$.*+?()[\]{}|/-]/g, "\\$&")}(?![A-Za-z0-9])`, "g")
