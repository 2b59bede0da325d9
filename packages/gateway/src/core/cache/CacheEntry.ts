/** A response in the cache: complete, or the events of a stream, in the shape of its operation. */
import { crc32 } from "node:zlib"
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

/** `text`: the body as JSON; `isExact`: as the provider wrote it. */
export type CachedContent =
  | { readonly events: ReadonlyArray<StreamEvent> }
  | (Pick<LiftedAnswer, "raw" | "serviceTier" | "usage"> & { readonly text: string; readonly isExact: boolean })

export const contentOf = ({ body, raw, serviceTier, text, usage }: LiftedAnswer): CachedContent => ({
  text: text ?? JSON.stringify(body),
  isExact: text !== undefined,
  raw: raw && { contentType: raw.contentType, bytes: raw.bytes },
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
  const { isExact, raw, serviceTier, usage } = content
  const text = renewed(content.text)
  return { body: JSON.parse(text) as JsonObject, text: isExact ? text : undefined, raw, usage, serviceTier }
}

/** Detects damage, not tampering. */
export const checksumOf = (bytes: Uint8Array): string => crc32(bytes).toString(16)

const LINE_FEED = 10

/** A line of JSON, then the content as it was given: of a complete response only the line is parsed. */
export const encodeEntry = ({ content, ...entry }: CacheEntry): Buffer => {
  if ("events" in content) return Buffer.from(`${JSON.stringify(entry)}\n${JSON.stringify(content.events)}`)
  const { raw, text, ...rest } = content
  const head = { ...entry, content: { ...rest, length: Buffer.byteLength(text), contentType: raw?.contentType } }
  const start = Buffer.from(`${JSON.stringify(head)}\n${text}`)
  return raw === undefined ? start : Buffer.concat([start, raw.bytes])
}

/** Undefined where it is damaged. */
export const decodeEntry = (bytes: Uint8Array, checksum: string): CacheEntry | undefined => {
  if (checksumOf(bytes) !== checksum) return undefined
  const buffer = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length)
  const start = buffer.indexOf(LINE_FEED) + 1
  const entry = JSON.parse(buffer.toString("utf8", 0, start))
  const { content } = entry
  if (content === undefined) entry.content = { events: JSON.parse(buffer.toString("utf8", start)) }
  else {
    const { contentType, length } = content
    content.text = buffer.toString("utf8", start, start + length)
    if (contentType !== undefined) content.raw = { contentType, bytes: buffer.subarray(start + length) }
  }
  return entry
}
