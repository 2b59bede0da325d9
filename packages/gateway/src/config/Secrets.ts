/** Values of which no message may show anything: keys, and addresses, which may hold one. */
import { Redacted, Schema, SchemaGetter, SchemaIssue } from "effect"
import { type Said, says } from "./Decode.ts"
import { readBy, text, textOf } from "./Values.ts"

/** Visible ASCII, as it has to fit in a header. `weakness`: why one that does must not be used, with nothing of it. */
export const secret = (
  expected: string,
  weakness: (key: string) => Said | undefined = () => undefined
): Schema.Codec<Redacted.Redacted<string>, unknown> =>
  readBy(
    textOf,
    Schema.String.annotate({ expected, hidden: true }).check(
      Schema.makeFilter((key: string) => whyNoKey(key, expected), {}, true),
      Schema.makeFilter((key: string) => {
        const said = weakness(key)
        return said && new SchemaIssue.InvalidValue(says(() => said))
      })
    )
  ).pipe(
    Schema.decodeTo(Schema.Redacted(Schema.String), {
      decode: SchemaGetter.transform((key: string) => Redacted.make(key)),
      encode: SchemaGetter.transform((key: Redacted.Redacted<string>) => Redacted.value(key))
    })
  ) as unknown as Schema.Codec<Redacted.Redacted<string>, unknown>

const refused = (message: string, allowed: string, found: string) =>
  new SchemaIssue.InvalidValue(says(() => ({ message, allowed, found })))

const whyNoKey = (key: string, expected: string) => {
  if (key === "") return refused(`empty text is not ${expected}`, expected, "empty text")
  if (/^[\x21-\x7e]+$/.test(key)) return undefined
  return refused(
    "this key holds a space, a line break or a letter that no key can hold (the value is not shown)",
    "visible ASCII",
    "a key with other characters"
  )
}

const URL_ALLOWED = "an address such as https://api.example.com/v1"

const whyNoUrl = (value: string): string | undefined => {
  const url = URL.parse(value)
  if (url === null) return "this is no address"
  if (url.protocol !== "http:" && url.protocol !== "https:") return "this address is neither http:// nor https://"
  if (url.username !== "" || url.password !== "") {
    return "this address holds a user name or password, which belongs in api_key"
  }
  return /[?#]/.test(value) ? "this address has a ? or # part, and paths are appended to it" : undefined
}

/** An http(s) address to append paths to. It is never shown: what makes it wrong may be the password in it. */
export const baseUrl = text(URL_ALLOWED).check(
  Schema.makeFilter((value: string) => {
    const why = whyNoUrl(value)
    return why === undefined ? undefined : refused(`${why}; write ${URL_ALLOWED}`, URL_ALLOWED, why)
  })
)

/** Without the slash at its end. */
export const tidyUrl = (value: string): string => new URL(value).href.replace(/\/+$/, "")
