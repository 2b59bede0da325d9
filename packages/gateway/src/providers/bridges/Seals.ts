/** What only the provider that wrote a response can read, and needs back with the next turn. Messages and Responses carry it sealed. */
import type { UpstreamCall } from "../../core/pool/Protocol.ts"
import { parseJson } from "../json/BoundedJson.ts"
import { arrayOf, isObject, objectsIn, type JsonObject } from "../json/LooseJson.ts"
import { seal, unseal } from "../responses/Sealed.ts"

type SealedKind = "call" | "message" | "details" | "blocks" | "images"

const KINDS: ReadonlySet<string> = new Set<SealedKind>(["call", "message", "details", "blocks", "images"])

/** The fields of a message that the lists go back to. */
export const LISTS: { readonly [kind in SealedKind]?: string } = {
  details: "reasoning_details",
  blocks: "thinking_blocks",
  images: "images"
}

export interface SealedValue {
  readonly kind: SealedKind
  readonly value: unknown
}

const sealed = (kind: SealedKind, value: unknown, call: UpstreamCall): string => seal(call, kind, JSON.stringify(value))

/** Undefined for what another provider wrote, and for what is no such thing. */
export const keptIn = (blob: unknown, provider: string): SealedValue | undefined => {
  const found = unseal(blob)
  if (found === undefined || found.provider !== provider || !KINDS.has(found.id)) return undefined
  const value = parseJson(found.content)
  const kind = found.id as SealedKind
  return (LISTS[kind] === undefined ? isObject(value) : Array.isArray(value)) ? { kind, value } : undefined
}

export const callSeal = ({ extra_content: extra }: JsonObject, call: UpstreamCall): string | undefined =>
  isObject(extra) ? sealed("call", extra, call) : undefined

export class MessageSeals {
  private readonly call: UpstreamCall
  private details: Array<JsonObject> = []
  private extra: JsonObject | undefined
  private blocks: ReadonlyArray<unknown> = []
  private blocksSealed = 0
  private images: Array<unknown> = []

  constructor(call: UpstreamCall) {
    this.call = call
  }

  /** A message, or a piece of one. */
  add({ extra_content: extra, reasoning_details: details }: JsonObject): void {
    if (isObject(extra)) this.extra = { ...this.extra, ...extra }
    for (const detail of objectsIn(details)) {
      const last = this.details.at(-1)
      if (last !== undefined && isPieceOf(last, detail)) this.details[this.details.length - 1] = grown(last, detail)
      else this.details.push(detail)
    }
  }

  /** Signed thoughts and images, where the endpoint can't show them. Each list of blocks holds the earlier ones too. */
  addUnshown({ images, thinking_blocks: blocks }: JsonObject): void {
    if (Array.isArray(blocks)) this.blocks = blocks
    this.images.push(...arrayOf(images))
  }

  /** The thoughts since the last time: they come before what they led to. */
  takeDetails(): ReadonlyArray<string> {
    const { details } = this
    const blocks = this.blocks.slice(this.blocksSealed)
    this.details = []
    this.blocksSealed += blocks.length
    return [
      ...(details.length === 0 ? [] : [sealed("details", details, this.call)]),
      ...(blocks.length === 0 ? [] : [sealed("blocks", blocks, this.call)])
    ]
  }

  /** All that is left, when the message is over. */
  takeAll(): ReadonlyArray<string> {
    const { extra, images } = this
    this.extra = undefined
    this.images = []
    return [
      ...this.takeDetails(),
      ...(images.length === 0 ? [] : [sealed("images", images, this.call)]),
      ...(extra === undefined ? [] : [sealed("message", extra, this.call)])
    ]
  }
}

/** A stream has the pieces of one thought under one index. */
const isPieceOf = (last: JsonObject, next: JsonObject): boolean =>
  typeof next["index"] === "number" && last["index"] === next["index"] && last["type"] === next["type"]

const TEXTS = ["text", "summary", "data"]

const grown = (last: JsonObject, next: JsonObject): JsonObject => {
  const whole: Record<string, unknown> = { ...last, ...next }
  for (const field of TEXTS) {
    if (typeof last[field] === "string" && typeof next[field] === "string") whole[field] = last[field] + next[field]
  }
  return whole
}
