/**
 * Makes ids of answers unique, as clients overwrite messages that share one. Some servers repeat their ids, so a repeated id is
 * replaced. At least the last 65,536 ids are remembered, in 512 KiB; about four in ten thousand new ids are replaced without need.
 */
import { randomUUID } from "node:crypto"
import { hashesOf, BloomFilter } from "../../core/collections/BloomFilter.ts"
import type { LiftedAnswer, StreamEvent } from "../../core/operations/LiftedAnswer.ts"

const REMEMBERED = 65_536

export class AnswerIds {
  private recent = new BloomFilter(REMEMBERED)
  private older = new BloomFilter(REMEMBERED)
  private count = 0
  /** A part that no other process and no provider uses. */
  private readonly process = randomUUID().replaceAll("-", "").slice(0, 20)
  private made = 0

  /** Undefined if `id` may stay. `prefix`: how ids of this kind of answer begin. */
  replacementFor(id: unknown, prefix: string): string | undefined {
    if (typeof id !== "string") return undefined
    const hashes = hashesOf(id)
    if (this.recent.mayHoldHashed(hashes) || this.older.mayHoldHashed(hashes)) {
      return prefix + this.process + (this.made++).toString(36).padStart(8, "0")
    }
    if (this.count === REMEMBERED) {
      this.older = this.recent
      this.recent = new BloomFilter(REMEMBERED)
      this.count = 0
    }
    this.count++
    this.recent.addHashed(hashes)
    return undefined
  }

  answer(answer: LiftedAnswer, prefix: string | undefined): LiftedAnswer {
    const id = prefix === undefined ? undefined : this.replacementFor(answer.body["id"], prefix)
    if (id === undefined) return answer
    return { ...answer, body: { ...answer.body, id }, text: answer.text && withId(answer.text, answer.body["id"], id) }
  }

  /** Replaces ids in the events of one stream, in order. */
  stream(prefix: string | undefined): (event: StreamEvent) => StreamEvent {
    if (prefix === undefined) return unchanged
    let old: unknown
    let id: string | undefined
    let start = ""
    let ownStart = ""
    return (event) => {
      if ((old !== undefined && id === undefined) || !("data" in event)) return event
      if (old === undefined) {
        // Azure's first chunk has no id yet.
        old = idOf(event.data) || undefined
        id = this.replacementFor(old, prefix)
        if (id === undefined) return event
        start = startOf(old)
        ownStart = startOf(id)
      }
      const data = event.data.startsWith(start)
        ? ownStart + event.data.slice(start.length)
        : JSON.stringify({ ...JSON.parse(event.data), id })
      return event.kind === "usage" ? { ...event, data } : { kind: event.kind, data }
    }
  }
}

const unchanged = (event: StreamEvent): StreamEvent => event

const START = '{"id":"'
const BACKSLASH = 92

/** How an object begins whose first member is its id. */
const startOf = (id: unknown): string => `${START}${String(id)}"`

/** The id is nearly always the first member. */
const idOf = (data: string): unknown => {
  const end = data.indexOf('"', START.length)
  const isPlain = data.startsWith(START) && end >= 0 && data.charCodeAt(end - 1) !== BACKSLASH
  return isPlain ? data.slice(START.length, end) : JSON.parse(data).id
}

/** Undefined if the object does not begin with its id. */
const withId = (text: string, old: unknown, id: string): string | undefined =>
  text.startsWith(startOf(old)) ? startOf(id) + text.slice(startOf(old).length) : undefined
