/** Where the gateway is and with which keys: from the options, else from the environment. */
import { ConfigurationError } from "./Errors.ts"
import { VERSION } from "./Version.ts"

export interface GatewayOptions {
  /** Where the gateway is, with or without `/v1`. Default: `GATEWAY_BASE_URL`. */
  readonly baseUrl?: string | URL | undefined
  /** The virtual key. Default: `GATEWAY_API_KEY`. */
  readonly apiKey?: string | undefined
  /** For `admin`. Default: `GATEWAY_MASTER_KEY`. */
  readonly masterKey?: string | undefined
  /** Milliseconds to wait for an answer, and between two pieces of one. Each attempt has its own. Default: ten minutes; 0: no limit. */
  readonly timeout?: number | undefined
  /** After the first attempt. Default: 2. */
  readonly maxRetries?: number | undefined
  /** Sent with every request. */
  readonly headers?: Readonly<Record<string, string>> | undefined
  /** The transport, for example one with a proxy. Default: the global one. */
  readonly fetch?: typeof globalThis.fetch | undefined
  /** Given to `fetch` with every request, such as `{ dispatcher }` of undici. */
  readonly fetchOptions?: object | undefined
  /** Whoever reads a page's scripts reads the key: a browser is refused without this. */
  readonly dangerouslyAllowBrowser?: boolean | undefined
}

/** How one call uses the gateway's response cache. */
export interface CacheOptions {
  /** Use the cache where its mode is `on_request`. */
  readonly on?: boolean | undefined
  /** Call the provider, and store the response. */
  readonly noCache?: boolean | undefined
  /** Neither look up nor store. */
  readonly noStore?: boolean | undefined
  /** Accept responses of the cache of at most this age, in whole seconds. */
  readonly maxAge?: number | undefined
}

/** What may be asked for one call. */
export interface CallOptions {
  /** Calls of one session go to the same deployment while it can take them. */
  readonly session?: string | undefined
  /** The id of the end user that the call is for: its limits and budgets hold too. */
  readonly endUser?: string | undefined
  /** Guardrail policies for this call, in addition to those of the key. */
  readonly guardrails?: ReadonlyArray<string> | undefined
  /** Labels to count the spend under. */
  readonly tags?: ReadonlyArray<string> | undefined
  /** Moves the cut points of `auto`. */
  readonly prefer?: "cost" | "quality" | undefined
  /** A parameter that the provider can't take is an error instead of being left out. */
  readonly strict?: boolean | undefined
  /** One deployment only. */
  readonly noFallback?: boolean | undefined
  /** `buffer`: hold a stream until it is whole, so that every fault can be tried elsewhere. */
  readonly recovery?: "cut" | "buffer" | undefined
  /** The most of this call's content that the gateway may log. It never raises the level that the operator set. */
  readonly content?: "none" | "metadata" | undefined
  readonly cache?: CacheOptions | undefined
  /** The same request with the same key gets the first answer again: the gateway keeps it for a day. */
  readonly idempotencyKey?: string | undefined
  readonly headers?: Readonly<Record<string, string>> | undefined
  readonly timeout?: number | undefined
  readonly maxRetries?: number | undefined
  readonly signal?: AbortSignal | undefined
}

const callOptions: ReadonlySet<string> = new Set(
  Object.keys({
    session: true,
    endUser: true,
    guardrails: true,
    tags: true,
    prefer: true,
    strict: true,
    noFallback: true,
    recovery: true,
    content: true,
    cache: true,
    idempotencyKey: true,
    headers: true,
    timeout: true,
    maxRetries: true,
    signal: true
  } satisfies Record<keyof CallOptions, true>)
)

/** Throws a `ConfigurationError` for an option of the call among the fields of the request: a provider would get it. */
export const assertNoOptions = (path: string, body: unknown): void => {
  if (!path.startsWith("/v1/") || typeof body !== "object" || body === null) return
  const fields = body instanceof FormData ? [...body.keys()] : Object.keys(body)
  const option = fields.find((name) => callOptions.has(name))
  if (option === undefined) return
  throw new ConfigurationError(
    `\`${option}\` is an option of the call, not a field of the request: pass it in the second argument, \`{ ${option}: … }\`.`
  )
}

export interface Settings {
  /** Without `/v1` and without a slash at its end. */
  readonly origin: string
  readonly apiKey: string | undefined
  readonly masterKey: string | undefined
  readonly timeout: number
  readonly maxRetries: number
  readonly headers: Readonly<Record<string, string>>
  readonly fetch: typeof globalThis.fetch | undefined
  readonly fetchOptions: object | undefined
}

const DEFAULT_TIMEOUT = 600_000
const DEFAULT_RETRIES = 2

/** Throws a `ConfigurationError` that names the option and the variable. */
export const readSettings = (options: GatewayOptions): Settings => {
  if (isBrowser() && options.dangerouslyAllowBrowser !== true) {
    throw new ConfigurationError(
      "This is a browser: everybody who opens the page could read the key. If that is meant, pass `dangerouslyAllowBrowser: true`."
    )
  }
  const apiKey = readKey(options.apiKey, "apiKey", "GATEWAY_API_KEY")
  const masterKey = readKey(options.masterKey, "masterKey", "GATEWAY_MASTER_KEY")
  const origin = readBaseUrl(options.baseUrl ?? variable("GATEWAY_BASE_URL"))
  if (apiKey === undefined && masterKey === undefined) throw noKey("key", "apiKey", "GATEWAY_API_KEY")
  return {
    origin,
    apiKey,
    masterKey,
    timeout: readNumber(options.timeout, "timeout") ?? DEFAULT_TIMEOUT,
    maxRetries: readNumber(options.maxRetries, "maxRetries") ?? DEFAULT_RETRIES,
    headers: isBrowser()
      ? lowerCase(options.headers)
      : { "user-agent": `model-gateway-client/${VERSION}`, ...lowerCase(options.headers) },
    fetch: options.fetch,
    fetchOptions: options.fetchOptions
  }
}

/** The headers that say what is asked of the gateway for one call. */
export const headersOf = (options: CallOptions | undefined): Record<string, string> => {
  if (options === undefined) return {}
  const { cache, content, endUser, guardrails, headers, idempotencyKey } = options
  const { noFallback, prefer, recovery, session, strict, tags } = options
  const all = lowerCase(headers)
  if (session !== undefined) all["x-gateway-session-id"] = session
  if (endUser !== undefined) all["x-gateway-end-user"] = encoded(endUser)
  if (guardrails !== undefined && guardrails.length > 0) all["x-gateway-guardrails"] = guardrails.join(",")
  if (tags !== undefined && tags.length > 0) all["x-gateway-tags"] = tags.join(",")
  if (prefer !== undefined) all["x-gateway-route-prefer"] = prefer
  if (strict === true) all["x-gateway-strict"] = "1"
  if (noFallback === true) all["x-gateway-no-fallback"] = "1"
  if (recovery !== undefined) all["x-gateway-stream-recovery"] = recovery
  if (content !== undefined) all["x-gateway-content"] = content
  if (cache?.on === true) all["x-gateway-cache"] = "on"
  const control = cacheControl(cache)
  if (control !== "") all["cache-control"] = control
  if (idempotencyKey !== undefined) all["idempotency-key"] = idempotencyKey
  return all
}

const cacheControl = ({ maxAge, noCache, noStore }: CacheOptions = {}): string =>
  [noCache && "no-cache", noStore && "no-store", maxAge !== undefined && `max-age=${maxAge}`].filter(Boolean).join(", ")

const encoded = (endUser: string): string => {
  try {
    return encodeURIComponent(endUser)
  } catch {
    throw new ConfigurationError("`endUser` must be text in Unicode: it contains half of a surrogate pair.")
  }
}

/** Names in lower case: a header that is there twice, in two spellings, would be sent twice. */
const lowerCase = (headers: Readonly<Record<string, string>> | undefined): Record<string, string> =>
  Object.fromEntries(Object.entries(headers ?? {}).map(([name, value]) => [name.toLowerCase(), value]))

export const noKey = (what: string, option: string, name: string): ConfigurationError =>
  new ConfigurationError(
    `The gateway's ${what} is missing: pass \`${option}\`, or set the environment variable ${name}.`
  )

export const readNumber = (value: number | undefined, option: string): number | undefined => {
  if (value === undefined || value >= 0) return value
  throw new ConfigurationError(`\`${option}\` must be a number from 0 on.`)
}

const isBrowser = (): boolean => {
  const { document, window } = globalThis as { readonly window?: unknown; readonly document?: unknown }
  return typeof window === "object" && typeof document === "object"
}

/** Where there is an environment, and where it may be read. */
const variable = (name: string): string | undefined => {
  try {
    return (globalThis as { readonly process?: { readonly env?: Record<string, string> } }).process?.env?.[name]
  } catch {
    return undefined
  }
}

const readKey = (given: string | undefined, option: string, name: string): string | undefined => {
  const key = (given ?? variable(name))?.trim()
  if (key === undefined || key === "") return undefined
  if (/^[\x21-\x7e]+$/.test(key)) return key
  // fetch would refuse it too, with a message that shows it.
  throw new ConfigurationError(
    `The gateway's key (\`${option}\` or ${name}) holds characters that no key has: a space, a line break or a letter outside ASCII.`
  )
}

const readBaseUrl = (value: string | URL | undefined): string => {
  const text = String(value ?? "").trim()
  if (text === "") {
    throw new ConfigurationError(
      "The gateway's address is missing: pass `baseUrl`, or set the environment variable GATEWAY_BASE_URL, such as http://127.0.0.1:4100."
    )
  }
  const url = URL.canParse(text) ? new URL(text) : undefined
  if (url === undefined || !/^https?:$/.test(url.protocol)) throw badUrl("begin with http:// or https://")
  if (url.username !== "" || url.password !== "") throw badUrl("hold no user name and no password")
  if (url.search !== "" || url.hash !== "") throw badUrl("have no query and no fragment")
  return (
    url.origin +
    url.pathname
      .replace(/\/{2,}/g, "/")
      .replace(/\/$/, "")
      .replace(/\/v1$/, "")
  )
}

/** Says nothing of the value: it may hold a password. */
const badUrl = (rule: string): ConfigurationError =>
  new ConfigurationError(
    `The gateway's address (\`baseUrl\` or GATEWAY_BASE_URL) must ${rule}, such as http://127.0.0.1:4100.`
  )
