/** What a request holds besides text, found once while its messages are read. What a part costs depends on the deployment. */

/** `file`: a document. `other`: a kind that the gateway does not know. */
export type PartKind = "image" | "audio" | "video" | "file" | "other"

export interface MediaPart {
  readonly kind: PartKind
  /** Its place in the body, e.g. `messages[0].content[1]`. */
  readonly path: string
  /** A data URL, base64 or a web address; undefined where the part names only an id. */
  readonly source: string | undefined
  /** Where the body names it by the id of a file at its provider, e.g. `messages[0].content[1].file.file_id`. */
  readonly fileId?: string | undefined
  /** For images: `low`, `high` …, as the caller wrote it. */
  readonly detail: string | undefined
  /** What the request says of its type: media types, formats such as `mp3`, the ending of a file's name. In lower case. */
  readonly names?: ReadonlyArray<string>
  /** The recording itself, if it came as a file of a form. */
  readonly file?: Recording
}

/** Recordings whose length can be read. */
export const READABLE =
  "A recording that can be measured is a WAV file without compression, an MP3, a FLAC, or an Ogg file with Opus or Vorbis, intact and of the type that it is said to have"

export interface Recording {
  /** Bytes. */
  readonly size: number
  /** Its first bytes, at most 64 KiB. */
  readonly head: Uint8Array
  readonly pieces: () => AsyncIterable<Uint8Array>
}

const isDataUrl = (source: string): boolean => source.startsWith("data:")

/** An address of something that is elsewhere: on the web, or in a store such as `gs://`. */
export const isWebUrl = (source: string): boolean => /^\s*(?:https?:|[a-z][a-z0-9+.-]*:\/\/)/i.test(source)

/** The bytes of a data URL or plain base64, at most the first `atMost`; undefined for a web address. */
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
