/** One who is asked, and what it may differ in. */
import { isDeepStrictEqual } from "node:util"
import type { LanguageModelV4 } from "@ai-sdk/provider"
import type { JsonObject } from "../../../src/core/domain/Json.ts"
import type { Difference } from "./Differences.ts"

export interface Opinion {
  readonly name: string
  readonly deployment: string | JsonObject
  /** Where the vendor's own settings do not do. */
  readonly providers?: { readonly [name: string]: JsonObject }
  readonly sdk: (fetch: typeof globalThis.fetch) => LanguageModelV4
  readonly exceptions: ReadonlyArray<Exception>
}

/** A difference that is meant. */
export interface Exception {
  /** The paths in the request. */
  readonly at: RegExp
  /** The names of the conversations; left out: all. */
  readonly of?: RegExp
  /** What the two must be for it to hold; left out: anything. */
  readonly when?: (difference: Difference) => boolean
  readonly why: string
}

export const isOneText =
  (type: string) =>
  ({ ours, theirs }: Difference) =>
    isDeepStrictEqual(theirs, [{ type, text: ours }])

export const isAbsent = ({ ours }: Difference): boolean => ours === undefined
export const isAbsentThere = ({ theirs }: Difference): boolean => theirs === undefined

export const NOT_HERE =
  "the conversation asks for it and the model can't: it is left out, and named in X-Gateway-Dropped-Params"
