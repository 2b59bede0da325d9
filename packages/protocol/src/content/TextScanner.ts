/**
 * Looks for matches in one text, complete or piece by piece, with the same result. Each rule reads the text by itself. Text is released
 * once no rule that denies or masks can still find a match that begins in it.
 */
import type { TextRule } from "./TextRule.ts"
import { WindowText } from "./WindowText.ts"

export interface CheckedRule {
  readonly check: string
  readonly action: "deny" | "mask" | "flag"
  readonly rule: TextRule
}

/** Called for each match. Returns the text to have in its place, which only rules that mask need. */
export type OnMatch = (checked: CheckedRule, found: string) => string

interface RuleCursor {
  readonly checked: CheckedRule
  readonly order: number
  /** Before this place everything is decided. */
  at: number
  /** Inside a match without a bound. */
  rest: RegExp | undefined
}

interface MaskedSpan {
  start: number
  end: number
  /** "": the rest of a match. */
  readonly text: string
  readonly order: number
}

/** Where several begin at one place, the rest of an earlier match comes first, then the order of the rules counts. */
const bySpan = (one: MaskedSpan, other: MaskedSpan): number =>
  one.start - other.start || Math.min(1, one.text.length) - Math.min(1, other.text.length) || one.order - other.order

export class TextScanner {
  private readonly cursors: ReadonlyArray<RuleCursor>
  private readonly onMatch: OnMatch
  private readonly window = new WindowText()
  private spans: Array<MaskedSpan> = []
  /** Released up to here. */
  private released = 0

  constructor(rules: ReadonlyArray<CheckedRule>, onMatch: OnMatch) {
    this.cursors = rules.map((checked, order) => ({ checked, order, at: 0, rest: undefined }))
    this.onMatch = onMatch
  }

  /** Takes a piece; returns what can be released now. */
  push(piece: string, isEnd: boolean): string {
    const { cursors, window } = this
    window.append(piece, isEnd)
    let safe = window.plain.length
    let needed = safe
    for (const cursor of cursors) {
      this.advance(cursor, isEnd)
      needed = Math.min(needed, cursor.at)
      if (cursor.checked.action !== "flag") safe = Math.min(safe, cursor.at)
    }
    const text = this.release(safe) + (isEnd ? window.tail : "")
    // Rules look at the character before.
    this.forget(Math.max(0, Math.min(needed, this.released) - 1))
    return text
  }

  private advance(cursor: RuleCursor, isEnd: boolean): void {
    const { plain } = this.window
    while (true) {
      if (cursor.rest !== undefined) {
        cursor.rest.lastIndex = cursor.at
        const end = cursor.at + (cursor.rest.exec(plain)?.[0].length ?? 0)
        this.mask(cursor, cursor.at, end, "")
        cursor.at = end
        if (end === plain.length) return
        cursor.rest = undefined
      }
      const match = cursor.checked.rule.find(plain, cursor.at, isEnd)
      if (match === undefined || match.end < 0) {
        cursor.at = match?.start ?? plain.length
        return
      }
      this.mask(cursor, match.start, match.end, this.onMatch(cursor.checked, plain.slice(match.start, match.end)))
      cursor.at = match.end
      cursor.rest = match.rest
    }
  }

  private mask({ checked, order }: RuleCursor, start: number, end: number, text: string): void {
    if (checked.action === "mask" && end > start) this.spans.push({ start, end, text, order })
  }

  private release(safe: number): string {
    if (this.spans.length === 0) {
      if (safe <= this.released) return ""
      const text = this.window.between(this.released, safe)
      this.released = safe
      return text
    }
    let text = ""
    const later: Array<MaskedSpan> = []
    for (const span of this.spans.sort(bySpan)) {
      if (span.start >= safe) later.push(span)
      else if (span.end > this.released) {
        // What overlaps an earlier match only lengthens it.
        if (span.start >= this.released) text += this.window.between(this.released, span.start) + span.text
        this.released = span.end
      }
    }
    this.spans = later
    if (safe > this.released) {
      text += this.window.between(this.released, safe)
      this.released = safe
    }
    return text
  }

  private forget(count: number): void {
    this.window.drop(count)
    this.released -= count
    for (const cursor of this.cursors) cursor.at -= count
    for (const span of this.spans) {
      span.start -= count
      span.end -= count
    }
  }
}
