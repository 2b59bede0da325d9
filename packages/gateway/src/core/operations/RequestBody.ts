/** The body of a request as an operation reads it: JSON, or a form with files. */
import type { JsonObject } from "../domain/Json.ts"
import type { LongStrings } from "./LongStrings.ts"

export interface JsonBody {
  readonly kind: "json"
  /** What was parsed; the operation checks that it is an object. */
  readonly value: unknown
  /** The length of its text. */
  readonly bytes: number
  /** What the path of its endpoint says in place of the body. */
  readonly named?: { readonly model: string; readonly stream: boolean }
  /** Set only for a large body. */
  readonly long?: LongStrings | undefined
}

/** `multipart/form-data`. */
export interface FormBody {
  readonly kind: "form"
  /** Values are strings; a name that came several times, or ends in `[]`, holds a list. */
  readonly fields: JsonObject
  readonly files: ReadonlyArray<Upload>
  /** The length of the whole form. */
  readonly bytes: number
}

export type RequestBody = JsonBody | FormBody

/** A file of a form. It can be read any number of times while the request runs, so that another provider can get it too. */
export interface Upload {
  /** The name of its field, without `[]`. */
  readonly field: string
  readonly filename: string
  readonly contentType: string
  /** Bytes. */
  readonly size: number
  /** Its first bytes, at most 64 KiB: enough to recognise its format. */
  readonly head: Uint8Array
  /** All of it, piece by piece. */
  pieces(): AsyncIterable<Uint8Array>
}
