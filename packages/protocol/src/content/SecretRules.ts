/** Credentials, by the prefixes that their issuers give them. Each is decided by its prefix and its first characters. */
import type { RuleMatch, TextRule } from "./TextRule.ts"

/** Name, prefixes, characters that follow, and how many of them there are at least. */
const formats: ReadonlyArray<readonly [name: string, prefixes: string, characters: string, least: number]> = [
  ["aws_access_key", "AKIA ASIA", "A-Z0-9", 16],
  ["github_token", "ghp_ gho_ ghu_ ghs_ ghr_", "A-Za-z0-9", 36],
  ["github_token", "github_pat_", "\\w", 22],
  ["gitlab_token", "glpat-", "\\w-", 20],
  ["slack_token", "xoxa- xoxb- xoxp- xoxr- xoxs- xapp-", "A-Za-z0-9-", 10],
  ["stripe_key", "sk_live_ sk_test_ rk_live_ rk_test_", "A-Za-z0-9", 16],
  ["google_api_key", "AIza", "\\w-", 35],
  ["api_key", "sk-", "\\w-", 20],
  ["groq_key", "gsk_", "A-Za-z0-9", 40],
  ["xai_key", "xai-", "A-Za-z0-9", 40],
  ["perplexity_key", "pplx-", "A-Za-z0-9", 40],
  ["huggingface_token", "hf_", "A-Za-z0-9", 30],
  ["gateway_key", "mgw_", "\\w", 20],
  ["npm_token", "npm_", "A-Za-z0-9", 36],
  ["sendgrid_key", "SG.", "\\w.-", 30],
  ["webhook_secret", "whsec_", "A-Za-z0-9+/=", 24],
  ["digitalocean_token", "dop_v1_", "a-f0-9", 40],
  ["shopify_token", "shpat_ shpss_", "a-fA-F0-9", 32],
  ["vault_token", "hvs.", "\\w-", 24],
  ["linear_key", "lin_api_", "A-Za-z0-9", 32],
  ["age_key", "AGE-SECRET-KEY-1", "A-Z0-9", 50],
  // `{"alg":`, `{"typ":` and `{"kid":` in base64.
  ["jwt", "eyJhbGciOi eyJ0eXAiOi eyJraWQiOi", "\\w.-", 10]
]

interface SecretFormat {
  readonly name: string
  readonly prefix: string
  readonly first: RegExp
  readonly rest: RegExp
  readonly least: number
}

const byPrefix = new Map(
  formats.flatMap(([name, prefixes, characters, least]) =>
    prefixes.split(" ").map((prefix): [string, SecretFormat] => {
      const rest = new RegExp(`[${characters}]*`, "y")
      return [prefix, { name, prefix, first: new RegExp(`[${characters}]{0,${least}}`, "y"), rest, least }]
    })
  )
)

const PEM = "-----BEGIN "
const PEM_START = /-----BEGIN [A-Z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)?-----/y
const PEM_PART = /-----BEGIN [A-Z0-9 ]{0,60}-{0,5}$/
/** Base64, its line ends (also as JSON writes them) and its headers, up to the space in the last line. */
const PEM_REST = /(?:[\w+/=\\\r\n\t,:-]|(?<=:) )*/y

const prefixes = [...byPrefix.keys(), PEM]
const ANYWHERE = new RegExp(prefixes.map((one) => one.replaceAll(/[.+-]/g, "\\$&")).join("|"), "g")
const LONGEST = Math.max(...prefixes.map((one) => one.length))
const byLetter = Map.groupBy(prefixes, (prefix) => prefix[0]!)

const isInWord = (text: string, at: number): boolean => /[A-Za-z0-9]/.test(text[at - 1] ?? "")

const matchAt = (text: string, start: number, prefix: string, isEnd: boolean): RuleMatch | undefined => {
  if (prefix === PEM) {
    PEM_START.lastIndex = start
    const pem = PEM_START.exec(text)
    if (pem !== null) return { start, end: start + pem[0].length, rest: PEM_REST }
    return !isEnd && PEM_PART.test(text.slice(start)) ? { start, end: -1 } : undefined
  }
  const { first, least, rest } = byPrefix.get(prefix)!
  if (isInWord(text, start)) return undefined
  const from = (first.lastIndex = start + prefix.length)
  const [found = ""] = first.exec(text) ?? []
  if (found.length < least) return !isEnd && from + found.length === text.length ? { start, end: -1 } : undefined
  // Words that only look like a key have no digits and no capitals.
  return /[A-Z0-9]/.test(found) ? { start, end: from + least, rest } : undefined
}

/** The name of the kind of a secret that was found. */
export const secretKind = (secret: string): string => {
  const prefix = prefixes.find((one) => secret.startsWith(one))
  return prefix === undefined || prefix === PEM ? "private_key" : byPrefix.get(prefix)!.name
}

export const secretRule: TextRule = {
  name: "secret",
  find: (text, from, isEnd) => {
    ANYWHERE.lastIndex = from
    for (let found = ANYWHERE.exec(text); found !== null; found = ANYWHERE.exec(text)) {
      const match = matchAt(text, found.index, found[0], isEnd)
      if (match !== undefined) return match
      ANYWHERE.lastIndex = found.index + 1
    }
    if (isEnd) return undefined
    for (let at = Math.max(from, text.length - LONGEST + 1); at < text.length; at++) {
      const isBegun = byLetter.get(text[at]!)?.some((prefix) => prefix.startsWith(text.slice(at)))
      if (isBegun === true && (text[at] === "-" || !isInWord(text, at))) return { start: at, end: -1 }
    }
    return undefined
  }
}
