/** The ids that a response gives itself, its items and its calls. A response that is given again needs others: clients overwrite messages of one id. */

const NAMED = /"(?:id|item_id|call_id)":\s?"([^"\\]{6,200})"/g
const NAMES: ReadonlySet<string> = new Set(["id", "item_id", "call_id"])
/** What callers and models write may have ids of its own. */
const FOREIGN: ReadonlySet<string> = new Set([
  "input",
  "metadata",
  "tools",
  "document",
  "arguments",
  "parameters",
  "logprobs"
])

/** Those in JSON texts: a complete response, or the events of a stream. A text without an unknown id is not parsed. */
export const responseIds = (texts: Iterable<string>): ReadonlyArray<string> => {
  const ids = new Set<string>()
  const seen = new Set<string>()
  const collect = (value: unknown): void => {
    if (typeof value !== "object" || value === null) return
    for (const [name, member] of Object.entries(value)) {
      if (typeof member === "string" && NAMES.has(name)) ids.add(member)
      else if (!FOREIGN.has(name)) collect(member)
    }
  }
  for (const text of texts) {
    let isKnown = true
    for (const [, id = ""] of text.matchAll(NAMED)) {
      if (!seen.has(id)) isKnown = false
      seen.add(id)
    }
    if (!isKnown) collect(JSON.parse(text))
  }
  return [...ids]
}

/** Puts new ids in the place of these, the same in all texts of the response. */
export const withNewIds = (ids: ReadonlyArray<string>): ((text: string) => string) => {
  const others = new Map(ids.map((id) => [id, newId(id)]))
  return (text) =>
    text.replaceAll(NAMED, (found: string, id: string) => {
      const other = others.get(id)
      return other === undefined ? found : `${found.slice(0, -1 - id.length)}${other}"`
    })
}

const HEX = "0123456789abcdef"
const ALPHANUMERIC = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"

/** Random bytes that no ID has used: asking for a few at a time is slow. */
const pool = new Uint8Array(4096)
let used = pool.length

const randomByte = (): number => {
  if (used === pool.length) {
    crypto.getRandomValues(pool)
    used = 0
  }
  return pool[used++]!
}

/** Of the same kind and length, because some vendors accept no other. */
const newId = (id: string): string => {
  const [prefix = ""] = /^(?:[a-zA-Z]+[-_])+(?:gw)?/.exec(id) ?? []
  const rest = id.slice(prefix.length)
  const letters = /^[0-9a-f]+$/.test(rest) ? HEX : ALPHANUMERIC
  let text = prefix
  for (let left = Math.max(rest.length, 9); left > 0; left--) text += letters[randomByte() % letters.length]!
  return text
}
