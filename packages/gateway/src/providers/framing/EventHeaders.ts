/**
 * The typed headers of one message of an event stream: name, type, value, one after the other. Source:
 * https://smithy.io/2.0/aws/amazon-eventstream.html (2026-11-22).
 */

/** Bytes of a value by its type; -1: two bytes before it say how many. True and false have none. */
const VALUE_BYTES = [0, 0, 1, 2, 4, 8, -1, -1, 8, 16]
const STRING = 7

const EXCEPTION = "exception:"
const ERROR = "error:"

/** The type of an exception that the service modelled, or the code of an error that it did not; undefined for an event. */
export const reportedError = (kind: string): string | undefined => {
  if (kind.startsWith(EXCEPTION)) return kind.slice(EXCEPTION.length)
  return kind.startsWith(ERROR) ? kind.slice(ERROR.length) : undefined
}

/**
 * What a message is: the name of its event; `exception:` and a type; `error:` and a code with its message behind a space. Undefined
 * where the headers can't be read, or don't say it.
 */
export const kindOf = (bytes: Buffer): string | undefined => {
  const headers = stringsIn(bytes)
  switch (headers?.get(":message-type")) {
    case "event":
      return headers.get(":event-type")
    case "exception":
      return `${EXCEPTION}${headers.get(":exception-type") ?? ""}`
    case "error":
      return `${ERROR}${headers.get(":error-code") ?? ""} ${headers.get(":error-message") ?? ""}`.trimEnd()
    default:
      return undefined
  }
}

/** The headers that are strings; undefined where the bytes end within a header, or a type is not one. */
const stringsIn = (bytes: Buffer): ReadonlyMap<string, string> | undefined => {
  const strings = new Map<string, string>()
  let at = 0
  while (at < bytes.length) {
    const nameEnd = at + 1 + (bytes[at] ?? 0)
    const type = bytes[nameEnd]
    const fixed = type === undefined ? undefined : VALUE_BYTES[type]
    if (fixed === undefined) return undefined
    const sized = fixed === -1
    if (sized && nameEnd + 3 > bytes.length) return undefined
    const value = nameEnd + (sized ? 3 : 1)
    const end = value + (sized ? bytes.readUInt16BE(nameEnd + 1) : fixed)
    if (end > bytes.length) return undefined
    if (type === STRING) strings.set(bytes.toString("utf8", at + 1, nameEnd), bytes.toString("utf8", value, end))
    at = end
  }
  return strings
}
