import type { JsonObject } from "../domain/Json.ts"

/** The long strings of a large body, for protocols that forward them unchanged. */
export interface LongStrings {
  /** The body these strings belong to. A body that was changed since is sent without them. */
  readonly whole: unknown
  /** The body with a short mark in place of each long string. */
  readonly body: JsonObject
  /** Encodes JSON that holds marks, with the strings put back in place. */
  splice(json: string): Uint8Array
}
