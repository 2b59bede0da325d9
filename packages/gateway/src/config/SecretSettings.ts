/** Values of which no message may show anything: keys, and addresses, which may hold one. */
import { Predicate, Result, Schema } from "effect"
import { refuse, type Mistake, type Telling } from "./Decode.ts"
import { addressMistake, keyMistake } from "./KeyMistakes.ts"
import { readBy, text, textOf } from "./SettingValues.ts"

type Check = ReturnType<typeof refuse<string>>

const hidden = (expected: string, first: Check, ...more: ReadonlyArray<Check>) =>
  Schema.RedactedFromValue(readBy(textOf, Schema.String.annotate({ expected, hidden: true }).check(first, ...more)))

type Weakness = (key: string) => Mistake | undefined

const none: Weakness = () => undefined

const fitting = (expected: string) => refuse((key: string) => whyNoKey(key, expected), true)

/** Visible ASCII, as it has to fit in a header. `weakness`: why one that does must not be used, with nothing of it. */
export const secret = (expected: string, weakness = none) =>
  hidden(
    expected,
    fitting(expected),
    refuse((key) => told(weakness(key)))
  )

/** A secret of at least `shortest` characters. */
export const longSecret = (expected: string, shortest: number) =>
  secret(expected, (key) =>
    key.length >= shortest
      ? undefined
      : {
          message: `this secret is shorter than ${shortest} characters (it is not shown)`,
          allowed: "a longer one",
          found: "a short one"
        }
  )

/** Like a secret, but with spaces: `Basic …`. */
export const headerValue = hidden(
  "the value of a header",
  refuse((value) =>
    /^[\x21-\x7e](?:[\x20-\x7e]*[\x21-\x7e])?$/.test(value)
      ? undefined
      : () => ({ message: "this is not the value of a header (it is not shown)", allowed: "visible ASCII and spaces" })
  )
)

/** A key that its provider gave, which is no placeholder. */
export const providerKey = (expected: string, weakness = none) =>
  hidden(
    expected,
    refuse((key) => whyNotReal(key, expected), true),
    fitting(expected),
    refuse((key) => told(weakness(key)))
  )

const whyNotReal = (key: string, allowed: string): Telling | undefined =>
  keyMistake(key, true) === undefined
    ? undefined
    : ({ isFilledIn }) => ({ message: keyMistake(key, isFilledIn) ?? "", allowed, found: "no key" })

/** A file's name, or the JSON of an object, which is never shown. */
export const secretDocument = (expected: string) =>
  hidden(
    expected,
    refuse((value) => whyNoDocument(value, expected), true)
  )

const whyNoDocument = (value: string, allowed: string): Telling | undefined => {
  const text = value.trim()
  const wrong = (message: string) => () => ({ message, allowed, found: "something else" })
  if (text === "") return wrong(`empty text is not ${allowed}`)
  if (!text.startsWith("{")) return undefined
  const parsed = Result.getOrUndefined(Result.try(() => JSON.parse(text) as unknown))
  return Predicate.isObject(parsed) ? undefined : wrong("this begins like JSON and is none (the value is not shown)")
}

const told = (said: Mistake | undefined): Telling | undefined => said && (() => said)

const whyNoKey = (key: string, allowed: string): Telling | undefined => {
  if (key === "") return () => ({ message: `empty text is not ${allowed}`, allowed, found: "empty text" })
  if (/^[\x21-\x7e]+$/.test(key)) return undefined
  return () => ({
    message: "this key holds a space, a line break or a letter that no key can hold (the value is not shown)",
    allowed: "visible ASCII",
    found: "a key with other characters"
  })
}

const URL_ALLOWED = "an address such as https://api.example.com/v1"

/** An http(s) address. It is never shown: what makes it wrong may be the password in it. `more`: what else may be wrong. */
export const address = (
  allowed: string,
  more: (value: string, url: URL) => string | undefined = () => undefined,
  belongs = ""
) => {
  const why = (value: string): string | undefined => {
    const url = URL.parse(value)
    if (url === null) return "this is no address"
    if (url.protocol !== "http:" && url.protocol !== "https:") return "this address is neither http:// nor https://"
    const isOpen = url.username === "" && url.password === ""
    return isOpen ? more(value, url) : `this address holds a user name or password${belongs}`
  }
  return text(allowed).check(
    refuse((value) => {
      const found = why(value)
      return found === undefined ? undefined : () => ({ message: `${found}; write ${allowed}`, allowed, found })
    })
  )
}

const whyNoBase = (value: string, url: URL): string | undefined =>
  /[?#]/.test(value) ? "this address has a ? or # part, and paths are appended to it" : addressMistake(value, url)

/** An address to append paths to. */
export const baseUrl = address(URL_ALLOWED, whyNoBase, ", which belongs in api_key")

/** Without the slash at its end. */
export const tidyUrl = (value: string): string => new URL(value).href.replace(/\/+$/, "")
