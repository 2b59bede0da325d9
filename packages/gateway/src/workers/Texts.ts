/**
 * Texts that come again and again between two processes (names of keys, models, reasons) cross once; from then on a number stands for
 * each. What is said has to be read in its order.
 */
import { type Name, Names } from "../storage/records/receipts/PageNames.ts"

/**
 * With so many, or with so much in them, both sides begin anew: most texts come again at once, and those that never do, as names of
 * sessions, are forgotten.
 */
const MOST_TEXTS = 4_096
const MOST_CHARACTERS = 1_048_576

/** What a message names for the first time. `from`: the number of the first of them. */
export interface Fresh {
  readonly from: Name
  readonly texts: ReadonlyArray<string>
}

export class TextsTold {
  private readonly known = new Map<string, Name>()
  private texts: Array<string> = []
  private characters = 0

  /** -1 is null. */
  readonly name = (text: string | null): Name => {
    if (text === null) return -1
    const found = this.known.get(text)
    if (found !== undefined) return found
    const name = this.known.size
    this.known.set(text, name)
    this.texts.push(text)
    this.characters += text.length
    return name
  }

  /** Those that were named since it was last asked. They have to arrive with what names them. */
  fresh(): Fresh | undefined {
    const { texts } = this
    if (texts.length === 0) return undefined
    const from = this.known.size - texts.length
    this.texts = []
    if (this.known.size >= MOST_TEXTS || this.characters >= MOST_CHARACTERS) {
      this.known.clear()
      this.characters = 0
    }
    return { from, texts }
  }
}

export class TextsHeard {
  private texts: Array<string> = []
  /** What the numbers of the message that was last heard stand for. */
  names = new Names(this.texts)

  hear({ from, texts }: Fresh): void {
    if (from === 0) {
      this.texts = []
      this.names = new Names(this.texts)
    }
    for (const text of texts) this.texts.push(text)
  }
}
