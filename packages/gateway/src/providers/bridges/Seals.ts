/**
 * What only the provider that wrote an answer can read, and which it needs back with the next turn: signatures on calls and messages
 * (`extra_content`), and encrypted thoughts (`reasoning_details`). Chat has fields for it. Messages and Responses carry it sealed.
 */
import type { JsonObject } from "../../core/domain/Json.ts"
import type { UpstreamCall } from "../../core/pool/Protocol.ts"
import { parseJson } from "../json/BoundedJson.ts"
import { isObject, objectsIn } from "../json/LooseJson.ts"
import { seal, unseal } from "../responses/Sealed.ts"

/** What is kept: of a call, of a message, or of the thoughts before both. */
type Kind = "call" | "message" | "details"

const KINDS: ReadonlySet<string> = new Set<Kind>(["call", "message", "details"])

export interface Kept {
  readonly kind: Kind
  readonly value: unknown
}

const sealed = (kind: Kind, value: unknown, call: UpstreamCall): string => seal(call, kind, JSON.stringify(value))

/** Undefined for what another provider wrote, and for what is no such thing. */
export const keptIn = (blob: unknown, provider: string): Kept | undefined => {
  const found = unseal(blob)
  if (found === undefined || found.provider !== provider || !KINDS.has(found.id)) return undefined
  const value = parseJson(found.content)
  const isWhole = found.id === "details" ? Array.isArray(value) : isObject(value)
  return isWhole ? { kind: found.id as Kind, value } : undefined
}

/** The seal of a call's signature, if it has one. */
export const callSeal = ({ extra_content: extra }: JsonObject, call: UpstreamCall): string | undefined =>
  isObject(extra) ? sealed("call", extra, call) : undefined

/** Gathers what a message says besides its text and its calls. */
export class MessageSeals {
  private readonly call: UpstreamCall
  private details: Array<JsonObject> = []
  private extra: JsonObject | undefined

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

  /** The thoughts since the last time: they come before what they led to. */
  takeDetails(): ReadonlyArray<string> {
    const { details } = this
    this.details = []
    return details.length === 0 ? [] : [sealed("details", details, this.call)]
  }

  /** All that is left, when the message is over. */
  takeAll(): ReadonlyArray<string> {
    const { extra } = this
    this.extra = undefined
    return [...this.takeDetails(), ...(extra === undefined ? [] : [sealed("message", extra, this.call)])]
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
