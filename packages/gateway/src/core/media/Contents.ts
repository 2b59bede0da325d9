/** What a request holds besides text. Found once, by the walk over its messages; what it costs depends on who reads it. */

/** `file`: a document. `other`: of a kind that nobody here knows. */
export type PartKind = "image" | "audio" | "video" | "file" | "other"

/** A part of a message that is no text. */
export interface MediaPart {
  readonly kind: PartKind
  /** Where it stands in the body, e.g. `messages[0].content[1]`. */
  readonly path: string
  /** A data URL, base64, or an address; undefined where only an id names it. */
  readonly source: string | undefined
  /** Of images: `low`, `high` …, as the caller wrote it. */
  readonly detail: string | undefined
}

export const isDataUrl = (source: string): boolean => source.startsWith("data:")

export const isWebUrl = (source: string): boolean => /^\s*https?:/i.test(source)

/** The bytes of a data URL or of plain base64, at most the first `atMost` of them; undefined for an address. */
export const bytesOf = (source: string, atMost = Number.POSITIVE_INFINITY): Buffer | undefined => {
  if (isWebUrl(source)) return undefined
  let from = 0
  if (isDataUrl(source)) {
    const comma = source.indexOf(",")
    if (comma < 0 || !/;\s*base64\s*$/i.test(source.slice(0, comma))) return undefined
    from = comma + 1
  }
  const characters = Number.isFinite(atMost) ? Math.ceil(atMost / 3) * 4 : source.length
  return Buffer.from(source.slice(from, from + characters), "base64")
}
