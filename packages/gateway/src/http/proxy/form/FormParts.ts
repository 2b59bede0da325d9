/** Cuts a `multipart/form-data` body into fields and files while it arrives. */
import { MultipartParser } from "effect/http"

const MAX_PARTS = 128
const MAX_FIELD_BYTES = 1024 * 1024
/** What all fields together may take of the memory. */
const MAX_FIELDS_BYTES = 4 * MAX_FIELD_BYTES

/** `bytes` are the next ones of the file that began last. */
export type FormEvent =
  | { readonly kind: "field"; readonly name: string; readonly value: string }
  | { readonly kind: "file"; readonly field: string; readonly filename: string; readonly contentType: string }
  | { readonly kind: "bytes"; readonly bytes: Uint8Array }

export class FormParts {
  /** What is wrong with the form, in words for the caller. */
  mistake: string | undefined
  private readonly parser: MultipartParser.Parser
  private events: Array<FormEvent> = []
  /** Of all fields so far. */
  fieldBytes = 0
  private isComplete = false

  /** `contentType`: of the request, with its boundary. */
  constructor(contentType: string) {
    this.parser = MultipartParser.make({
      headers: { "content-type": contentType },
      maxParts: MAX_PARTS,
      maxFieldSize: MAX_FIELD_BYTES,
      // A part whose head is damaged comes without its description or without its name, whatever the types say.
      onField: (info: MultipartParser.PartInfo | undefined, value) => {
        if (!info?.name) return void (this.mistake ??= NAMELESS)
        this.fieldBytes += value.length + info.name.length
        if (this.fieldBytes > MAX_FIELDS_BYTES) this.mistake ??= LARGE_FIELDS
        else this.events.push({ kind: "field", name: info.name, value: MultipartParser.decodeField(info, value) })
      },
      onFile: ({ contentType, filename = "", name }) => {
        if (!name) this.mistake ??= NAMELESS
        else this.events.push({ kind: "file", field: withoutBrackets(name), filename, contentType })
        return (bytes) => {
          if (bytes !== null && this.mistake === undefined) this.events.push({ kind: "bytes", bytes })
        }
      },
      onError: (error) => (this.mistake ??= wordsFor(error)),
      onDone: () => (this.isComplete = true)
    })
  }

  /** The events of the next piece. What follows the closing boundary says nothing. */
  push(piece: Uint8Array): ReadonlyArray<FormEvent> {
    if (this.isComplete || this.mistake !== undefined) return []
    this.events = []
    this.parser.write(piece)
    return this.events
  }

  /** The body is over. */
  end(): void {
    if (!this.isComplete) this.parser.end()
  }
}

/** How lists are written in forms: `image[]`. */
export const withoutBrackets = (name: string): string => (name.endsWith("[]") ? name.slice(0, -2) : name)

const NAMELESS = 'a part of the form has no name: each needs `Content-Disposition: form-data; name="…"`'
const LARGE_FIELDS = `the fields of the form hold more than ${MAX_FIELDS_BYTES} bytes together; send large contents as files`

const wordsFor = (error: MultipartParser.MultipartError): string => {
  switch (error._tag) {
    case "InvalidBoundary":
      return "the Content-Type has no boundary: it must be `multipart/form-data; boundary=…`"
    case "BadHeaders":
      return "a part of the form has headers that can't be read"
    case "InvalidDisposition":
      return NAMELESS
    case "EndNotReached":
      return "the form ends before its closing boundary"
    case "ReachedLimit":
      return error.limit === "MaxParts"
        ? `the form has more than ${MAX_PARTS} parts`
        : `a field of the form holds more than ${MAX_FIELD_BYTES} bytes; send large contents as files`
  }
}
