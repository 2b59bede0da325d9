/** The texts of a page, which its receipts refer to by number. */

/** The index of a text; -1 is null. */
export type NameNumber = number

/** Returns the number of a text, and adds the text if it is new. */
export type NameOf = (text: string | null) => NameNumber

/** The texts of a page that was read. */
export class PageNames {
  readonly texts: ReadonlyArray<string>
  private readonly decoded = new Map<NameNumber, unknown>()

  constructor(texts: ReadonlyArray<string>) {
    this.texts = texts
  }

  /** Decodes a text once per page. A text is always decoded in the same way. */
  once<A>(name: NameNumber, decode: (text: string) => A): A {
    if (!this.decoded.has(name)) this.decoded.set(name, decode(this.texts[name]!))
    return this.decoded.get(name) as A
  }
}
