/** What every call gives: a promise of its answer, and the raw answer for those who want it. */
import type { Connection, Opened, Outgoing } from "./connection/Connection.ts"
import { beginningOf, bytesOf, MOST_OF_ANSWER } from "./connection/Body.ts"
import { endlessAnswer, invalidAnswer } from "./connection/ErrorAnswer.ts"
import { type Answered, type Decision, decisionOfBody, decisionOfHeaders } from "./Decision.ts"
import type { Collector } from "./stream/Collector.ts"
import { GatewayStream } from "./stream/GatewayStream.ts"

export class Call<T> implements Promise<T> {
  readonly [Symbol.toStringTag] = "Call"
  readonly #opened: Promise<Opened>
  readonly #read: (opened: Opened) => Promise<T>
  #answer: Promise<T> | undefined

  constructor(opened: Promise<Opened>, read: (opened: Opened) => Promise<T>) {
    this.#opened = opened
    this.#read = read
  }

  /** The answer's head and its unread body. */
  async asResponse(): Promise<Response> {
    const { deadline, response } = await this.#opened
    deadline.end()
    return response
  }

  /** The answer, and beside it status and headers. */
  async withResponse(): Promise<{ readonly data: T; readonly response: Response; readonly requestId: string | null }> {
    const [data, { response }] = await Promise.all([this.#data(), this.#opened])
    return { data, response, requestId: response.headers.get("x-request-id") }
  }

  /** The same call, with its answer changed. */
  map<U>(change: (answer: T) => U | Promise<U>): Call<U> {
    return new Call(this.#opened, () => this.#data().then(change))
  }

  // oxlint-disable-next-line unicorn/no-thenable -- it is a promise
  then<A = T, B = never>(
    onFulfilled?: ((value: T) => A | PromiseLike<A>) | null,
    onRejected?: ((reason: unknown) => B | PromiseLike<B>) | null
  ): Promise<A | B> {
    return this.#data().then(onFulfilled, onRejected)
  }

  catch<B = never>(onRejected?: ((reason: unknown) => B | PromiseLike<B>) | null): Promise<T | B> {
    return this.#data().catch(onRejected)
  }

  finally(onFinally?: (() => void) | null): Promise<T> {
    return this.#data().finally(onFinally)
  }

  #data(): Promise<T> {
    return (this.#answer ??= this.#opened.then(this.#read))
  }
}

/** A JSON object as it came; `holds`: a field that an answer of this kind has. */
export const plain = <T>(connection: Connection, request: Outgoing | Promise<Outgoing>, holds: string): Call<T> =>
  new Call(connection.open(request), async (opened) => (await connection.json(opened, holds)) as T)

/** A JSON object with the decision. */
export const answered = <T>(
  connection: Connection,
  request: Outgoing | Promise<Outgoing>,
  holds: string
): Call<Answered<T>> =>
  new Call(connection.open(request), async (opened) => {
    const body = await connection.json(opened, holds)
    body["gateway"] = decisionOfBody(body["gateway"], opened.response.headers)
    return body as Answered<T>
  })

/** Bytes, to be read whole or as they come. */
export interface BytesAnswer {
  readonly gateway: Decision | undefined
  readonly contentType: string
  readonly bytes: () => Promise<Uint8Array>
  readonly stream: ReadableStream<Uint8Array>
}

export const bytes = (connection: Connection, request: Outgoing | Promise<Outgoing>): Call<BytesAnswer> =>
  new Call(connection.open(request), async ({ deadline, response }) => {
    const stream = watched(response.body ?? new Blob([]).stream(), deadline, (error) =>
      connection.explain(error, deadline, response)
    )
    return {
      gateway: decisionOfHeaders(response.headers),
      contentType: response.headers.get("content-type") ?? "",
      bytes: async () => {
        const read = await beginningOf(stream, MOST_OF_ANSWER)
        if (read.isCut) throw endlessAnswer(response, connection.origin)
        return bytesOf(read)
      },
      stream
    }
  })

/** The same bytes under the deadline, with failures as ours. */
const watched = (
  body: ReadableStream<Uint8Array>,
  deadline: Opened["deadline"],
  explain: (error: unknown) => unknown
): ReadableStream<Uint8Array> => {
  const reader = body.getReader()
  deadline.rest()
  return new ReadableStream<Uint8Array>(
    {
      pull: async (controller) => {
        try {
          deadline.touch()
          const { done, value } = await reader.read()
          deadline.rest()
          if (!done) return controller.enqueue(value)
          deadline.end()
          controller.close()
        } catch (error) {
          deadline.end()
          controller.error(explain(error))
        }
      },
      cancel: async () => {
        deadline.abort()
        await reader.cancel().catch(() => undefined)
      }
    },
    { highWaterMark: 0 }
  )
}

export const streamed = <Event, Final>(
  connection: Connection,
  request: Outgoing | Promise<Outgoing>,
  collector: Collector<Event, Final>
): Call<GatewayStream<Event, Final>> =>
  new Call(connection.open(request), async (opened) => {
    const type = opened.response.headers.get("content-type") ?? ""
    if (/^text\/event-stream\b/i.test(type)) return new GatewayStream(connection, opened, collector)
    throw invalidAnswer(opened.response, connection.clean(await connection.text(opened)), connection.origin)
  })
