/** Requests to the gateway. Keys live in private fields, so that no log, trace or `inspect` of a client can show them. */
import { ConfigurationError, ConnectionError, GatewayError, TimeoutError } from "../Errors.ts"
import { assertNoOptions, type CallOptions, headersOf, noKey, readNumber, type Settings } from "../Settings.ts"
import { beginningOf, MOST_OF_ANSWER, MOST_OF_ERROR, textOf } from "./Body.ts"
import { Deadline } from "./Deadline.ts"
import { endlessAnswer, errorOfAnswer, invalidAnswer, parsed } from "./ErrorAnswer.ts"
import { isRefusal, pauseBefore, REFUSED, sleep } from "./Retry.ts"

export interface Outgoing {
  readonly method: "GET" | "POST" | "PUT" | "PATCH" | "DELETE"
  /** From the root: `/v1/chat/completions`. Under `/admin` the master key is sent. */
  readonly path: string
  /** One of `wire/Queries.ts`. */
  readonly query?: object | undefined
  /** Sent as JSON, or as the form that it is. */
  readonly body?: unknown
  readonly options?: CallOptions | undefined
}

/** A success whose body is still to come. Whoever reads it ends the deadline. */
export interface Opened {
  readonly response: Response
  readonly deadline: Deadline
}

export class Connection {
  readonly #settings: Settings

  constructor(settings: Settings) {
    this.#settings = settings
  }

  get origin(): string {
    return this.#settings.origin
  }

  /** What other clients are given: their key stands in plain words. */
  credentials(): { readonly apiKey: string; readonly headers: Readonly<Record<string, string>> } {
    return { apiKey: this.#key("/v1"), headers: this.#settings.headers }
  }

  /** The answer's head, after as many attempts as it takes. */
  async open(asked: Outgoing | Promise<Outgoing>): Promise<Opened> {
    const request = await asked
    assertNoOptions(request.path, request.body)
    const { maxRetries, signal } = request.options ?? {}
    const retries = readNumber(maxRetries, "maxRetries") ?? this.#settings.maxRetries
    const url = this.origin + request.path + queryOf(request.query)
    const init = this.#init(request)
    for (let failures = 0; ; failures++) {
      try {
        return await this.#attempt(url, init, request)
      } catch (error) {
        if (failures >= retries || !(error instanceof GatewayError)) throw error
        const pause = pauseBefore(error, failures, request.method === "GET")
        if (pause === undefined) throw error
        await sleep(pause, signal)
      }
    }
  }

  async #attempt(url: string, init: RequestInit, { options }: Outgoing): Promise<Opened> {
    const send = this.#settings.fetch ?? globalThis.fetch
    const timeout = readNumber(options?.timeout, "timeout") ?? this.#settings.timeout
    const deadline = new Deadline(timeout, options?.signal)
    let response: Response | undefined
    try {
      response = await send(url, { ...init, signal: deadline.signal })
      deadline.touch()
      if (response.ok) return { response, deadline }
      throw errorOfAnswer(response, this.clean(textOf(await beginningOf(response.body, MOST_OF_ERROR))), this.origin)
    } catch (error) {
      deadline.end()
      throw this.explain(error, deadline, response)
    }
  }

  /** The whole answer as text. */
  async text({ deadline, response }: Opened): Promise<string> {
    try {
      const read = await beginningOf(response.body, MOST_OF_ANSWER, () => deadline.touch())
      if (read.isCut) throw endlessAnswer(response, this.origin)
      return textOf(read)
    } catch (error) {
      throw this.explain(error, deadline, response)
    } finally {
      deadline.end()
    }
  }

  /** The whole answer, which must be a JSON object that has the field `holds`. */
  async json(opened: Opened, holds: string): Promise<Record<string, unknown>> {
    const text = await this.text(opened)
    const body = parsed(text)
    if (typeof body === "object" && body !== null && holds in body) return body as Record<string, unknown>
    throw invalidAnswer(opened.response, this.clean(text), this.origin)
  }

  /** Whatever a server or a proxy put into its words. */
  clean(text: string): string {
    const { apiKey, masterKey } = this.#settings
    return [apiKey, masterKey].reduce<string>(
      (said, key) => (key !== undefined && key.length >= SHORTEST_SECRET ? said.replaceAll(key, "[key]") : said),
      text
    )
  }

  /** What fetch threw, as one of ours; a caller's own abort is thrown as it came. `response`: a success had begun. */
  explain(thrown: unknown, deadline: Deadline, response: Response | undefined): unknown {
    const error = deadline.explain(thrown)
    if (deadline.isLeft) return error
    const answered = {
      status: response?.status,
      requestId: response?.headers.get("x-request-id") ?? undefined,
      headers: response?.headers
    }
    if (error instanceof TimeoutError) return response === undefined ? error : new TimeoutError(error.message, answered)
    if (error instanceof GatewayError || !(error instanceof Error)) return error
    const { cause } = error as { readonly cause?: unknown }
    const reason = this.clean(cause instanceof Error && cause.message !== "" ? cause.message : error.message)
    if (cause instanceof Error && /^(Headers|Body)TimeoutError$/.test(cause.name)) {
      return new TimeoutError(`${this.origin} sent nothing for too long: ${reason}.`, answered)
    }
    if (response !== undefined)
      return new ConnectionError(`The answer of ${this.origin} broke off: ${reason}.`, answered)
    const failed = new ConnectionError(`No answer from ${this.origin}: ${reason}. Does the gateway run there?`)
    return isRefusal(error) ? Object.defineProperty(failed, REFUSED, { value: true }) : failed
  }

  #init({ body, method, options, path }: Outgoing): RequestInit {
    const isForm = body instanceof FormData
    const headers: Record<string, string> = {
      accept: "application/json, text/event-stream, */*",
      ...(body === undefined || isForm ? {} : { "content-type": "application/json" }),
      ...this.#settings.headers,
      authorization: `Bearer ${this.#key(path)}`,
      ...headersOf(options)
    }
    checkHeaders(headers)
    return {
      ...this.#settings.fetchOptions,
      method,
      headers,
      redirect: "manual",
      ...(body === undefined ? {} : { body: isForm ? body : JSON.stringify(body) })
    }
  }

  #key(path: string): string {
    const { apiKey, masterKey } = this.#settings
    if (path.startsWith("/admin/")) {
      if (masterKey === undefined) throw noKey("master key", "masterKey", "GATEWAY_MASTER_KEY")
      return masterKey
    }
    if (apiKey === undefined) throw noKey("key", "apiKey", "GATEWAY_API_KEY")
    return apiKey
  }
}

/** A shorter key is none of the gateway's; it would be found in the middle of words. */
const SHORTEST_SECRET = 8

const queryOf = (query: object | undefined): string => {
  const pairs = new URLSearchParams()
  for (const [name, value] of Object.entries(query ?? {})) {
    if (value !== undefined && value !== null) pairs.append(name, String(value))
  }
  return pairs.size === 0 ? "" : `?${pairs}`
}

const NAME = /^[\w!#$%&'*+.^`|~-]+$/
const VALUE = /^[\t\x20-\x7e\x80-\xff]*$/

/** fetch refuses them too, with a message that shows the value. */
const checkHeaders = (headers: Record<string, string>): void => {
  for (const name in headers) {
    if (NAME.test(name) && VALUE.test(headers[name] ?? "")) continue
    throw new ConfigurationError(`The header \`${name}\` has a name or a value that no header can have.`)
  }
}
