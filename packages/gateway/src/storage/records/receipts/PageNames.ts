/** The texts of a page, which its receipts name by number. */

/** Where a text stands; -1 is null. */
export type NameNumber = number

/** The number of a text, a new one if it was not there. */
export type NameOf = (text: string | null) => NameNumber

/** The texts of a page that is read. */
export class PageNames {
  readonly texts: ReadonlyArray<string>
  private readonly decoded = new Map<NameNumber, unknown>()

  constructor(texts: ReadonlyArray<string>) {
    this.texts = texts
  }

  /** What a text stands for, made once for the page. A text is always decoded the same way. */
  once<A>(name: NameNumber, decode: (text: string) => A): A {
    if (!this.decoded.has(name)) this.decoded.set(name, decode(this.texts[name]!))
    return this.decoded.get(name) as A
  }
}
