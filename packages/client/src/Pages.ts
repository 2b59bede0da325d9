/** A list in pages, gone through item by item. */
import type { Connection, Outgoing } from "./connection/Connection.ts"
import { InvalidAnswerError } from "./Errors.ts"

export interface Page<Item> {
  readonly data: ReadonlyArray<Item>
  readonly has_more: boolean
  /** What to give as `after` for the next page; null: this was the last. */
  readonly next: string | null
}

/** Nothing is asked before it is iterated. */
export class Pages<Item> implements AsyncIterable<Item> {
  readonly #connection: Connection
  readonly #request: Outgoing

  constructor(connection: Connection, request: Outgoing) {
    this.#connection = connection
    this.#request = request
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<Item, undefined> {
    for await (const page of this.pages()) yield* page.data
  }

  /** Page by page. */
  async *pages(): AsyncGenerator<Page<Item>, undefined> {
    for (let after: string | null | undefined; after !== null;) {
      const page = await this.#page(after)
      yield page
      if (page.has_more && page.next === after) {
        throw new InvalidAnswerError(`The page after ${JSON.stringify(after)} leads to itself.`)
      }
      after = page.has_more ? page.next : null
    }
  }

  /** The first page alone. */
  first(): Promise<Page<Item>> {
    return this.#page(undefined)
  }

  async #page(after: string | undefined): Promise<Page<Item>> {
    const { query, ...request } = this.#request
    const opened = await this.#connection.open({ ...request, query: after === undefined ? query : { ...query, after } })
    const { data, has_more, next } = await this.#connection.json(opened, "data")
    if (!Array.isArray(data)) throw new InvalidAnswerError("The page has no list of items.")
    return {
      data,
      has_more: has_more === true,
      next: typeof next === "string" || typeof next === "number" ? String(next) : null
    }
  }
}
