/// <reference lib="esnext.disposable" preserve="true" />
/**
 * A streamed answer: an async iterable of its events. Whoever stops early closes the connection, so that nobody goes on generating,
 * and billing, for nobody.
 */
import type { Connection, Opened } from "../connection/Connection.ts"
import { fieldsOf, parsed } from "../connection/ErrorAnswer.ts"
import { type Answered, type Decision, decisionOfBody, decisionOfHeaders } from "../Decision.ts"
import { StreamInterruptedError } from "../Errors.ts"
import { type Collector, type Fields, isFields } from "./Collector.ts"
import { SseParser } from "./Sse.ts"

export class GatewayStream<Event, Final> implements AsyncIterable<Event>, AsyncDisposable {
  /** The answer's head. */
  readonly response: Response
  /** The decision at once, the exact cost at the end; undefined where another server answers. */
  gateway: Decision | undefined
  readonly #connection: Connection
  readonly #opened: Opened
  readonly #collector: Collector<Event, Final>
  readonly #reader: ReadableStreamDefaultReader<Uint8Array> | undefined
  readonly #parser = new SseParser()
  #waiting: Array<string> = []
  #next = 0
  #text = ""
  #state: "open" | "whole" | "left" | "failed" = "open"
  #isDone = false
  #bytesEnded = false
  #filling: Promise<void> | undefined

  constructor(connection: Connection, opened: Opened, collector: Collector<Event, Final>) {
    this.response = opened.response
    this.gateway = decisionOfHeaders(opened.response.headers)
    this.#connection = connection
    this.#opened = opened
    this.#collector = collector
    this.#reader = opened.response.body?.getReader()
    opened.deadline.rest()
  }

  /** Its id, for the log. */
  get requestId(): string | null {
    return this.response.headers.get("x-request-id")
  }

  [Symbol.asyncIterator](): AsyncIterableIterator<Event, undefined> {
    return {
      next: async () => {
        const event = await this.#read()
        return event === undefined ? { done: true, value: undefined } : { done: false, value: event }
      },
      return: async () => {
        await this.close()
        return { done: true, value: undefined }
      },
      [Symbol.asyncIterator]() {
        return this
      }
    }
  }

  /** The pieces of its text. */
  get text(): AsyncIterable<string> {
    return pieces(this, (event) => this.#collector.textOf(event))
  }

  /** The whole answer, put together: reads what has not been read. */
  async final(): Promise<Answered<Final>> {
    while ((await this.#read()) !== undefined);
    const result = this.#collector.result()
    if (this.#state === "whole" && result !== undefined) return { ...result, gateway: this.gateway }
    throw this.#interrupted(
      this.#state === "left" ? "The stream was left before its end." : "The stream ended without an answer."
    )
  }

  /** Closes the connection. Harmless when it is over. */
  async close(): Promise<void> {
    if (this.#state !== "open") return
    this.#state = "left"
    await this.#shut()
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close()
  }

  /** The next event; undefined: the answer is whole, or was left. */
  async #read(): Promise<Event | undefined> {
    while (this.#state === "open") {
      if (this.#next < this.#waiting.length) {
        const data = this.#waiting[this.#next++] ?? ""
        const event = await this.#event(data)
        if (event !== undefined) return event
      } else if (this.#isDone) {
        this.#state = "whole"
        await this.#shut()
      } else if (this.#bytesEnded) {
        if (!this.#collector.isOver()) throw await this.#failed("The stream ended before the answer was whole.")
        this.#isDone = true
      } else {
        // Two readers wait for the same bytes: what one of them has not taken yet must not be replaced.
        await (this.#filling ??= this.#fill().finally(() => (this.#filling = undefined)))
      }
    }
    return undefined
  }

  async #fill(): Promise<void> {
    const { deadline } = this.#opened
    try {
      deadline.touch()
      const read = await this.#reader?.read()
      deadline.rest()
      if (this.#state !== "open") return
      this.#bytesEnded = read === undefined || read.done
      this.#waiting = read?.value === undefined ? this.#parser.end() : this.#parser.push(read.value)
      this.#next = 0
    } catch (error) {
      if (this.#state !== "open") return
      if (deadline.isLeft) {
        this.#state = "failed"
        await this.#shut()
        throw deadline.explain(error)
      }
      const reason = this.#connection.explain(error, deadline, this.response)
      throw await this.#failed(reason instanceof Error ? reason.message : String(reason), { cause: error })
    }
  }

  async #event(data: string): Promise<Event | undefined> {
    if (data === "[DONE]") {
      this.#isDone = true
      return undefined
    }
    const value = parsed(data)
    if (!isFields(value)) throw await this.#failed(`An event is no JSON: ${this.#connection.clean(data.slice(0, 120))}`)
    const failure = failureIn(value)
    if (failure !== undefined) {
      const {
        message,
        status: _,
        ...fields
      } = fieldsOf(JSON.parse(this.#connection.clean(JSON.stringify(failure))), undefined, this.response.headers)
      throw await this.#failed(message ?? "The stream ended with an error.", fields)
    }
    if (!this.#collector.knows(value)) return undefined
    const event = value as Event
    const gateway = gatewayIn(value)
    if (gateway !== undefined) this.gateway = decisionOfBody(gateway, this.response.headers)
    try {
      this.#collector.add(event)
      this.#text += this.#collector.textOf(event) ?? ""
    } catch (cause) {
      throw await this.#failed("An event is not what a stream of this kind has.", { cause })
    }
    return event
  }

  async #failed(message: string, fields: object = {}): Promise<StreamInterruptedError> {
    this.#state = "failed"
    await this.#shut()
    return this.#interrupted(message, fields)
  }

  #interrupted(message: string, fields: object = {}): StreamInterruptedError {
    return new StreamInterruptedError(message, {
      requestId: this.requestId ?? undefined,
      headers: this.response.headers,
      status: this.response.status,
      ...fields,
      text: this.#text,
      partial: this.#collector.result(),
      gateway: this.gateway
    })
  }

  /** Lets the connection go: back to its pool when everything has been read, closed otherwise. */
  async #shut(): Promise<void> {
    const { deadline } = this.#opened
    if (this.#state === "whole" && !this.#bytesEnded) {
      // What follows the end mark is nothing, and comes with it.
      await this.#rest()
    }
    if (this.#bytesEnded) return deadline.end()
    deadline.abort()
    await this.#reader?.cancel().catch(() => undefined)
  }

  /** Reads on to the end of the bytes; somebody who never ends is left. */
  async #rest(): Promise<void> {
    const end = new Promise<undefined>((resolve) => {
      const timer = setTimeout(() => resolve(undefined), LONGEST_REST_MS)
      void this.#reader
        ?.read()
        .catch(() => undefined)
        .then((read) => {
          clearTimeout(timer)
          this.#bytesEnded = read?.done === true
          resolve(undefined)
        })
    })
    await end
  }
}

const LONGEST_REST_MS = 1_000

async function* pieces<Event>(stream: AsyncIterable<Event>, textOf: (event: Event) => string | undefined) {
  for await (const event of stream) {
    const text = textOf(event)
    if (text !== undefined && text !== "") yield text
  }
}

/** What an event reports instead of a piece of an answer: in OpenAI's, Anthropic's and Responses' forms. */
const failureIn = (event: Fields): unknown => {
  const { error, response, type } = event
  if (isFields(error) || (typeof error === "string" && error !== "")) return event
  if (type === "error") return event
  if (type !== "response.failed" || !isFields(response)) return undefined
  return { error: isFields(response["error"]) ? response["error"] : { message: "The response failed." } }
}

/** The last event's decision: at its top, or in the response that it holds. */
const gatewayIn = ({ gateway, response }: Fields): unknown =>
  gateway ?? (isFields(response) ? response["gateway"] : undefined)
