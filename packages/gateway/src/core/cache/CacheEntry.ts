/** A response in the cache: complete, or the events of a stream, in the shape of its operation, with the ids that are its own. */
import { hash, randomBytes } from "node:crypto"
import type { JsonObject } from "../domain/Json.ts"
import type { NanoUsd } from "../domain/Money.ts"
import type { Usage } from "../domain/Usage.ts"
import type { LiftedAnswer, StreamEvent } from "../operations/LiftedAnswer.ts"
import { isOwnId, ownId } from "../operations/responses/OwnIds.ts"

export interface CacheEntry {
  /** When it was stored, epoch ms. */
  readonly at: number
  /** What its response had cost. */
  readonly cost: NanoUsd
  /** The id of the request that made it. */
  readonly requestId: string
  readonly dropped: ReadonlyArray<string>
  readonly usage: Usage
  /** Exactly one of the two. */
  readonly answer?: LiftedAnswer | undefined
  readonly events?: ReadonlyArray<StreamEvent> | undefined
  /** Those of the response, its items and its calls. */
  readonly ids: ReadonlyArray<string>
}

/** Raw bytes are base64. */
interface WrittenEntry extends Omit<CacheEntry, "answer"> {
  readonly answer?: Omit<LiftedAnswer, "raw"> & {
    readonly raw?: { readonly contentType: string; readonly bytes: string }
  }
}

export const encodeEntry = ({ answer, ...entry }: CacheEntry): Buffer => {
  if (answer === undefined) return Buffer.from(JSON.stringify(entry))
  const { body, raw, serviceTier, text, usage } = answer
  const written = {
    ...(text === undefined ? { body } : { text }),
    usage,
    serviceTier,
    ...(raw === undefined
      ? {}
      : { raw: { contentType: raw.contentType, bytes: Buffer.from(raw.bytes).toString("base64") } })
  }
  return Buffer.from(JSON.stringify({ ...entry, answer: written }))
}

export const checksumOf = (bytes: Uint8Array): string => hash("sha256", bytes)

/** Undefined where it is damaged. */
export const decodeEntry = (bytes: Uint8Array, checksum: string): CacheEntry | undefined => {
  if (checksumOf(bytes) !== checksum) return undefined
  const { answer, ...entry } = JSON.parse(Buffer.from(bytes).toString()) as WrittenEntry
  if (answer === undefined) return entry
  const { raw, text } = answer
  const body = text === undefined ? answer.body : (JSON.parse(text) as JsonObject)
  const decoded = raw === undefined ? undefined : { ...raw, bytes: Buffer.from(raw.bytes, "base64") }
  return { ...entry, answer: { ...answer, body, raw: decoded } }
}

const NAMED = /"(?:id|item_id|call_id)":\s?"([^"\\]{6,200})"/g
const ID_NAMES = new Set(["id", "item_id", "call_id"])
/** What callers and models write may have ids of its own. */
const FOREIGN = new Set(["input", "metadata", "tools", "document", "arguments", "parameters", "logprobs"])

/** The ids in JSON texts of a response. A text without an unknown one is not parsed. */
export const idsIn = (texts: Iterable<string>): ReadonlyArray<string> => {
  const ids = new Set<string>()
  const seen = new Set<string>()
  const collect = (value: unknown): void => {
    if (typeof value !== "object" || value === null) return
    for (const [name, member] of Object.entries(value)) {
      if (typeof member === "string" && ID_NAMES.has(name)) ids.add(member)
      else if (!FOREIGN.has(name)) collect(member)
    }
  }
  for (const text of texts) {
    let isKnown = true
    for (const [, id] of text.matchAll(NAMED)) {
      if (!seen.has(id!)) isKnown = false
      seen.add(id!)
    }
    if (!isKnown) collect(JSON.parse(text))
  }
  return [...ids]
}

/** Replaces the ids of an entry in its texts: clients overwrite messages of one id. */
export const freshIds = (ids: ReadonlyArray<string>): ((text: string) => string) => {
  const fresh = new Map(ids.map((id) => [id, freshId(id)]))
  return (text) =>
    text.replaceAll(NAMED, (found: string, id: string) => {
      const other = fresh.get(id)
      return other === undefined ? found : `${found.slice(0, -1 - id.length)}${other}"`
    })
}

/** Of the same kind and length: some vendors accept no other. */
const freshId = (id: string): string => {
  const [prefix = ""] = /^[a-zA-Z]+[-_]/.exec(id) ?? []
  if (isOwnId(id)) return ownId(prefix.slice(0, -1))
  const length = Math.max(id.length - prefix.length, 9)
  return (
    prefix +
    randomBytes(length)
      .toString("base64")
      .replaceAll(/[^a-zA-Z0-9]/g, "x")
      .slice(0, length)
  )
}

export const withFreshIds = ({ answer, events, ids }: CacheEntry): Pick<CacheEntry, "answer" | "events"> => {
  const fresh = ids.length === 0 ? (text: string) => text : freshIds(ids)
  if (answer === undefined) {
    return { events: events!.map((event) => ("data" in event ? { ...event, data: fresh(event.data) } : event)) }
  }
  if (ids.length === 0) return { answer }
  const text = fresh(answer.text ?? JSON.stringify(answer.body))
  return {
    answer: { ...answer, body: JSON.parse(text) as JsonObject, text: answer.text === undefined ? undefined : text }
  }
}
