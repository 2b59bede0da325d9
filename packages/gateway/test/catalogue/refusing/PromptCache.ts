/**
 * How much of a prompt a vendor has seen before. Claude stores what ends at a `cache_control`, and finds it at one; the others store every
 * prompt and find its longest beginning. Tokens are four characters each.
 */
import { createHash } from "node:crypto"
import type { Loose, Seen } from "./Seen.ts"

interface Piece {
  readonly text: string
  readonly isMarked: boolean
}

const list = (value: unknown): ReadonlyArray<unknown> =>
  Array.isArray(value) ? value : value === undefined ? [] : [value]

/** A text is short for a block. */
const blockOf = (block: unknown): unknown => (typeof block === "string" ? { type: "text", text: block } : block)

const pieceOf = (value: unknown): Piece => {
  let isMarked = false
  const text = JSON.stringify(value, (key, inner: unknown) => {
    if (key !== "cache_control") return inner
    isMarked ||= inner !== null
    return undefined
  })
  return { text: text ?? "", isMarked }
}

/** The pieces in the order in which the vendor reads them. */
const piecesOf = ({ body, spoken }: Seen): ReadonlyArray<Piece> => {
  const turns = list(body["messages"] ?? body["input"] ?? body["contents"])
  const blocks = turns.flatMap((turn) =>
    spoken === "messages"
      ? list((turn as Loose)["content"]).map((block) => [(turn as Loose)["role"], blockOf(block)])
      : [turn]
  )
  const openings = [body["tools"], body["instructions"], body["system"], body["systemInstruction"]].flatMap(list)
  return [...openings, ...blocks].map(pieceOf)
}

/** Of a token. */
export const CHARACTERS = 4
/** Blocks before a mark at which Claude still looks. */
const LOOK_BACK = 20

export class PromptCache {
  private readonly known = new Set<string>()

  /** Stores the prompt. → its tokens, and how many of them were stored before. */
  read(account: string, seen: Seen): { readonly input: number; readonly cached: number } {
    const hash = createHash("sha256").update(`${account} ${seen.vendor} ${seen.model}`)
    const isMarking = seen.spoken === "messages"
    const stored: Array<string> = []
    let characters = 0
    const ends = piecesOf(seen).map(({ isMarked, text }) => {
      characters += text.length
      return { characters, isMarked, key: hash.update(text).copy().digest("hex") }
    })
    let cached = 0
    for (const [index, { isMarked, key }] of ends.entries()) {
      if (isMarking && !isMarked) continue
      stored.push(key)
      const places = isMarking ? ends.slice(Math.max(0, index - LOOK_BACK), index + 1) : [ends[index]!]
      for (const place of places) if (this.known.has(place.key)) cached = Math.max(cached, place.characters)
    }
    for (const key of stored) this.known.add(key)
    return { input: Math.ceil(characters / CHARACTERS), cached: Math.floor(cached / CHARACTERS) }
  }
}
