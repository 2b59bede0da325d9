/**
 * The head of an answer of HTTP/1.1 (RFC 9112), and what it says of the body and the connection. Strict: what a lenient reader skips is
 * where two readers disagree about what belongs to whom.
 */
import { FIELD, VALUE, whole } from "./Grammar.ts"

export interface ResponseHead {
  readonly status: number
  /** Names in lower case; several values of a name are joined by commas. */
  readonly headers: { readonly [name: string]: string }
  /** Bytes of the body, or what it ends with. */
  readonly body: number | "chunked" | "until close"
  /** How long the connection may be idle after it, in ms; 0 where the answer is the last one on it. */
  readonly keptAliveMs: number
}

/** How long an idle connection is kept, in ms, where the upstream does not say how long it keeps it. */
const KEEP_ALIVE_MS = 30_000
/** Where it does say, ours is closed first: a request that meets the upstream's own close is lost. */
const CLOSED_BEFORE_MS = 2_000
const LONGEST_KEEP_ALIVE_MS = 600_000

const GRAMMAR = whole(String.raw`HTTP/1\.[01] [1-9]\d\d(?: ${VALUE})?(?:\r\n${FIELD})*`)

/** What is wrong with a head that is none. */
export const NO_HEAD = "its head is no HTTP/1.1"

/** `text`: all before the empty line, a character for each byte. Gives back what is wrong with it where something is. */
export const readHead = (text: string): ResponseHead | string => {
  if (!GRAMMAR.test(text)) return NO_HEAD
  const status = Number(text.slice(9, 12))
  const headers = headersOf(text)
  if (status === 101) return "it switched to another protocol, which was not requested"
  const body = bodyOf(status, headers)
  if (body === undefined) return "it says twice, or in no number, how long its body is"
  const isLast = body === "until close" || isClosing(headers["connection"], text.charCodeAt(7) === ZERO)
  return { status, headers, body, keptAliveMs: isLast ? 0 : keptAliveMs(headers["keep-alive"]) }
}

const TAB = 9
const SPACE = 32
const ZERO = 48

const headersOf = (text: string): { [name: string]: string } => {
  const headers: { [name: string]: string } = {}
  let end = text.indexOf("\r\n")
  while (end >= 0) {
    const start = end + 2
    const colon = text.indexOf(":", start)
    end = text.indexOf("\r\n", colon)
    const name = text.slice(start, colon).toLowerCase()
    const value = trimmed(text, colon + 1, end < 0 ? text.length : end)
    const known = headers[name]
    // Whatever an object is born with is no string.
    headers[name] = typeof known === "string" ? `${known}, ${value}` : value
  }
  return headers
}

/** `trim` would take what is white space in other character sets, too. */
const trimmed = (text: string, start: number, end: number): string => {
  while (start < end && isSpace(text.charCodeAt(start))) start++
  while (end > start && isSpace(text.charCodeAt(end - 1))) end--
  return text.slice(start, end)
}

const isSpace = (code: number): boolean => code === SPACE || code === TAB

/** Undefined where it can't be told. */
const bodyOf = (status: number, headers: { readonly [name: string]: string }): ResponseHead["body"] | undefined => {
  const encoding = headers["transfer-encoding"]
  const length = headers["content-length"]
  if (encoding !== undefined && length !== undefined) return undefined
  if (length !== undefined && !/^\d{1,15}$/.test(length)) return undefined
  if (status < 200 || status === 204 || status === 304) return 0
  if (encoding !== undefined) return isChunked(encoding) ? "chunked" : "until close"
  return length === undefined ? "until close" : Number(length)
}

/** The last encoding is the outermost. */
const isChunked = (encoding: string): boolean =>
  encoding
    .slice(encoding.lastIndexOf(",") + 1)
    .trim()
    .toLowerCase() === "chunked"

const isClosing = (connection: string | undefined, isOld: boolean): boolean => {
  if (connection === undefined) return isOld
  const options = connection
    .toLowerCase()
    .split(",")
    .map((option) => option.trim())
  return options.includes("close") || (isOld && !options.includes("keep-alive"))
}

const keptAliveMs = (keepAlive: string | undefined): number => {
  const seconds = keepAlive === undefined ? undefined : /(?:^|[\s,;])timeout=(\d{1,9})/i.exec(keepAlive)?.[1]
  if (seconds === undefined) return KEEP_ALIVE_MS
  return Math.max(0, Math.min(Number(seconds) * 1000 - CLOSED_BEFORE_MS, LONGEST_KEEP_ALIVE_MS))
}
