/** From the claims of a caller's token to a rule and a subject. Pure: the same for a request and for `identity test`. */
import { matchesGlob } from "../collections/Glob.ts"
import { type Claims, textsAt } from "../domain/Claims.ts"
import type { TokenRule } from "../domain/Settings.ts"

/** Characters of a subject, or of an end user. */
const LONGEST = 256

/** The first claim of a rule that does not match; undefined: the rule matches. */
export const unmetBy = ({ match }: TokenRule, claims: Claims): string | undefined =>
  match.find(
    ([claim, patterns]) => !textsAt(claims, claim).some((value) => patterns.some((pattern) => fits(pattern, value)))
  )?.[0]

const SEPARATOR = /([/:])/

/** `*` takes any characters but `/` and `:`, so `repo:acme/*` takes no other owner's repository. */
const fits = (pattern: string, value: string): boolean => {
  const pieces = pattern.split(SEPARATOR)
  const given = value.split(SEPARATOR)
  return pieces.length === given.length && pieces.every((piece, index) => matchesGlob(piece, given[index] ?? ""))
}

/** `lacking`: the claim that the rule reads, and that the token does not have as one text. */
export type Ruled =
  | { readonly rule: TokenRule; readonly subject: string; readonly endUser: string | undefined }
  | { readonly rule: TokenRule; readonly lacking: string }

export const ruledBy = (rules: ReadonlyArray<TokenRule>, claims: Claims): Ruled | undefined => {
  const rule = rules.find((one) => unmetBy(one, claims) === undefined)
  if (rule === undefined) return undefined
  const { endUser: from, per } = rule
  const subject = oneAt(claims, per)
  if (subject === undefined) return { rule, lacking: per }
  const endUser = from === undefined ? undefined : oneAt(claims, from)
  return from !== undefined && endUser === undefined ? { rule, lacking: from } : { rule, subject, endUser }
}

const oneAt = (claims: Claims, path: string): string | undefined => {
  const found = textsAt(claims, path)
  const [one = ""] = found
  const isFit = found.length === 1 && /^[^\p{Cc}\p{Cs}]+$/u.test(one) && Buffer.byteLength(one) <= LONGEST
  return isFit ? one : undefined
}
