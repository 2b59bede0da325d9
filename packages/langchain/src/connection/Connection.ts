/** Requests to the gateway. The key lives in a closure, so that no log, trace or `inspect` of a model can show it. */
import { type Deadline, makeDeadline } from "./Deadline.ts"
import { errorOfBody, excerpt } from "./ErrorAnswer.ts"
import { GatewayConfigurationError, GatewayConnectionError, GatewayError, GatewayTimeoutError } from "../Errors.ts"
import type { Settings } from "./Settings.ts"

export interface Outgoing {
  readonly method: "GET" | "POST"
  /** After `/v1`: `/chat/completions`. */
  readonly path: string
  readonly body?: unknown
  readonly headers?: Readonly<Record<string, string>> | undefined
  readonly signal?: AbortSignal | undefined
}

/** A 200 whose body is still to come. */
export interface Opened {
  readonly response: Response
  readonly deadline: Deadline
}

export interface Connection {
  readonly baseUrl: string
  /** The answer's head. Whoever reads the body ends the deadline. */
  readonly open: (request: Outgoing) => Promise<Opened>
  /** The whole answer, which must be JSON. */
  readonly json: (request: Outgoing) => Promise<{ readonly body: Record<string, unknown>; readonly headers: Headers }>
  /** That these bytes are no answer of a gateway. */
  readonly unexpected: (response: Response, text: string) => Error
  /** That there is no message where one had to be. */
  readonly withoutMessage: (headers: Headers) => Error
  /** The error that a body or an event reports although the status was a success. */
  readonly errorIn: (body: object, headers: Headers) => Error
}

export const makeConnection = (settings: Settings): Connection => {
  const { apiKey, baseUrl, timeout } = settings
  /** Whatever a server or a proxy put into its words. */
  const clean = (text: string): string => text.replaceAll(apiKey, "[key]")

  const unexpected: Connection["unexpected"] = (response, text) => {
    const came = excerpt(response.headers.get("content-type"), clean(text))
    const message = `${baseUrl} answered ${response.status} with ${came}. Is \`baseUrl\` the gateway's address, such as http://127.0.0.1:4100/v1?`
    return errorOfBody(response.status, response.headers, { message })
  }

  const open: Connection["open"] = async ({ body, headers, method, path, signal }) => {
    const init: RequestInit = {
      method,
      headers: outgoing(settings, body !== undefined, headers),
      redirect: "manual"
    }
    if (body !== undefined) init.body = JSON.stringify(body)
    const deadline = makeDeadline(timeout, signal)
    try {
      const send = settings.fetch ?? globalThis.fetch
      const response = await send(baseUrl + path, { ...init, signal: deadline.signal })
      deadline.touch()
      if (response.ok) return { response, deadline }
      const text = clean(await response.text())
      throw isRedirect(response) ? movedError(response, baseUrl, path, clean) : errorOf(response, text, unexpected)
    } catch (error) {
      deadline.end()
      throw connectionError(deadline.explain(error), baseUrl, clean, false)
    }
  }

  return {
    baseUrl,
    unexpected,
    withoutMessage: (headers) =>
      new GatewayError(`${baseUrl} answered without a message: \`choices\` is missing or empty.`, { headers }),
    errorIn: (body, headers) => errorOfBody(undefined, headers, parseObject(clean(JSON.stringify(body)))),
    open,
    json: async (request) => {
      const { deadline, response } = await open(request)
      try {
        const text = await response.text()
        const body = parseObject(text)
        if (body === undefined) throw unexpected(response, text)
        return { body, headers: response.headers }
      } catch (error) {
        throw connectionError(deadline.explain(error), baseUrl, clean, true)
      } finally {
        deadline.end()
      }
    }
  }
}

/** Undefined for anything but a JSON object. */
export const parseObject = (text: string): Record<string, unknown> | undefined => {
  try {
    const value: unknown = JSON.parse(text)
    return typeof value === "object" && value !== null && !Array.isArray(value)
      ? (value as Record<string, unknown>)
      : undefined
  } catch {
    return undefined
  }
}

const errorOf = (response: Response, text: string, unexpected: Connection["unexpected"]): Error => {
  const body = parseObject(text)
  return body === undefined ? unexpected(response, text) : errorOfBody(response.status, response.headers, body)
}

/** A browser says no more of it than its type. */
const isRedirect = ({ status, type }: Response): boolean => type === "opaqueredirect" || (status >= 300 && status < 400)

/** Whoever followed would take the key and the prompt along, and some would ask for something else there. */
const movedError = (
  { headers, status }: Response,
  baseUrl: string,
  path: string,
  clean: (text: string) => string
): Error => {
  const location = headers.get("location") ?? ""
  const target = URL.canParse(location, baseUrl) ? new URL(location, baseUrl) : undefined
  const where = target === undefined ? "" : ` It points to ${clean(target.origin + target.pathname).replace(path, "")}.`
  return new GatewayError(
    `${baseUrl} sends its callers elsewhere (${status}), and redirects are not followed.${where} Give \`baseUrl\` the gateway's own address.`,
    { status, headers, retryable: false }
  )
}

const outgoing = (
  settings: Settings,
  hasBody: boolean,
  headers: Readonly<Record<string, string>> | undefined
): Headers => {
  const all = new Headers({ authorization: `Bearer ${settings.apiKey}`, accept: "application/json, text/event-stream" })
  if (hasBody) all.set("content-type", "application/json")
  for (const [name, value] of Object.entries({ ...settings.headers, ...headers })) {
    try {
      all.set(name, value)
    } catch {
      // Its own error would show the value.
      throw new GatewayConfigurationError(`The header \`${name}\` has a name or a value that no header can have.`)
    }
  }
  return all
}

/**
 * What fetch threw: an error of ours stays, as does a caller's own abort. `hasBegun`: the head of a success had come. Whoever asks
 * again for what has been made would pay for it twice.
 */
const connectionError = (
  error: unknown,
  baseUrl: string,
  clean: (text: string) => string,
  hasBegun: boolean
): unknown => {
  if (GatewayError.isInstance(error) || !(error instanceof TypeError)) return error
  const cause = error.cause instanceof Error ? error.cause : undefined
  const reason = clean(cause?.message || error.message)
  if (cause?.name === "HeadersTimeoutError" || cause?.name === "BodyTimeoutError") {
    return new GatewayTimeoutError(`${baseUrl} sent nothing for too long: ${reason}.`, cause)
  }
  const message = hasBegun
    ? `The answer of ${baseUrl} broke off: ${reason}.`
    : `No answer from ${baseUrl}: ${reason}. Does the gateway run there?`
  return new GatewayConnectionError(message, { cause, retryable: !hasBegun })
}
