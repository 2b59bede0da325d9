/**
 * The part of a text that is not released, as rules see it: compatibility forms of ASCII letters as such, and without characters of no
 * width. Both would hide a match from a pattern and not from a reader.
 */
const NO_WIDTH = /[\u00ad\u200b-\u200d\u2060\ufeff]/
// oxlint-disable-next-line no-control-regex
const NOT_ASCII = /[^\u0000-\u007f]/
const HIGH_SURROGATE = /[\ud800-\udbff]$/

export class WindowText {
  /** As rules see it. */
  plain = ""
  private original = ""
  /** Where the part of `original` begins that each character of `plain` stands for, and the last one's end. Undefined: both are equal. */
  private starts: Array<number> | undefined
  /** Half a character. */
  private half = ""

  append(piece: string, isEnd: boolean): void {
    let text = this.half + piece
    this.half = ""
    if (!isEnd && HIGH_SURROGATE.test(text)) {
      this.half = text.slice(-1)
      text = text.slice(0, -1)
    }
    if (this.starts === undefined && NOT_ASCII.test(text))
      this.starts = Array.from({ length: this.plain.length + 1 }, (_, at) => at)
    if (this.starts === undefined) {
      this.plain += text
      this.original += text
      return
    }
    const { starts } = this
    let at = this.original.length
    for (const character of text) {
      at += character.length
      if (NO_WIDTH.test(character)) continue
      const form = character.charCodeAt(0) < 128 ? character : character.normalize("NFKC")
      const seen = form.length === 1 ? form : character
      if (seen.length === 2) starts.push(at - 1)
      starts.push(at)
      this.plain += seen
    }
    this.original += text
  }

  /** Characters of no width at the end, which stand for nothing in `plain`. */
  get tail(): string {
    return this.starts === undefined ? "" : this.original.slice(this.starts.at(-1))
  }

  /** The original text between two places in `plain`. */
  between(from: number, to: number): string {
    const { original, starts } = this
    return starts === undefined ? original.slice(from, to) : original.slice(starts[from], starts[to])
  }

  /** Forgets what is before a place in `plain`. */
  drop(count: number): void {
    if (count === 0) return
    this.plain = this.plain.slice(count)
    if (this.starts === undefined) {
      this.original = this.original.slice(count)
      return
    }
    const cut = this.starts[count]!
    this.original = this.original.slice(cut)
    this.starts = this.starts.slice(count).map((start) => start - cut)
    if (this.plain === "" && this.original === "") this.starts = undefined
  }
}
