/** A response in the cache: complete, or the events of a stream, in the shape of its operation. */
import { hash } from "node:crypto"
import { withNewIds } from "@model-gateway/protocol"
import type { JsonObject } from "../domain/Json.ts"
import type { NanoUsd } from "../domain/Money.ts"
import type { Usage } from "../domain/Usage.ts"
import type { LiftedAnswer, StreamEvent } from "../operations/LiftedAnswer.ts"

export interface CacheEntry {
  /** When it was stored, epoch milliseconds. */
  readonly at: number
  /** What its response had cost. */
  readonly cost: NanoUsd
  /** The id of the request that made it. */
  readonly requestId: string
  readonly dropped: ReadonlyArray<string>
  readonly usage: Usage
  readonly content: CachedContent
  /** Those of the response, its items and its calls. */
  readonly ids: ReadonlyArray<string>
}

/** `text`: the body as JSON; `isExact`: as the provider wrote it. `raw`: base64. */
export type CachedContent =
  | { readonly events: ReadonlyArray<StreamEvent> }
  | (Pick<LiftedAnswer, "serviceTier" | "usage"> & {
      readonly text: string
      readonly isExact: boolean
      readonly raw: { readonly contentType: string; readonly bytes: string } | undefined
    })

export const contentOf = ({ body, raw, serviceTier, text, usage }: LiftedAnswer): CachedContent => ({
  text: text ?? JSON.stringify(body),
  isExact: text !== undefined,
  raw: raw && { contentType: raw.contentType, bytes: Buffer.from(raw.bytes).toString("base64") },
  serviceTier,
  usage
})

export const textsOf = (content: CachedContent): ReadonlyArray<string> =>
  "text" in content ? [content.text] : content.events.flatMap((event) => ("data" in event ? [event.data] : []))

/** The response or the events once more, under ids of their own. */
export const answerOf = ({ content, ids }: CacheEntry): LiftedAnswer | ReadonlyArray<StreamEvent> => {
  const renewed = ids.length === 0 ? (text: string) => text : withNewIds(ids)
  if ("events" in content) {
    return content.events.map((event) => ("data" in event ? { ...event, data: renewed(event.data) } : event))
  }
  const { isExact, raw, ...rest } = content
  const text = renewed(content.text)
  const body = JSON.parse(text) as JsonObject
  return {
    ...rest,
    body,
    text: isExact ? text : undefined,
    raw: raw && { ...raw, bytes: Buffer.from(raw.bytes, "base64") }
  }
}

export const checksumOf = (bytes: Uint8Array): string => hash("sha256", bytes)

/** Undefined where it is damaged. */
export const decodeEntry = (bytes: Uint8Array, checksum: string): CacheEntry | undefined =>
  checksumOf(bytes) === checksum ? (JSON.parse(Buffer.from(bytes).toString()) as CacheEntry) : undefined
