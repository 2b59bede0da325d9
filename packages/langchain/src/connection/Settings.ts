/** Where the gateway is and with which key: from the constructor, else from the environment. */
import { getEnvironmentVariable } from "@langchain/core/utils/env"
import { GatewayConfigurationError } from "../Errors.ts"

export interface ConnectionFields {
  /** The virtual key. Default: `GATEWAY_API_KEY`. */
  readonly apiKey?: string | undefined
  /** Where the gateway is, with or without `/v1`. Default: `GATEWAY_BASE_URL`. */
  readonly baseUrl?: string | URL | undefined
  /**
   * Milliseconds to wait for an answer; between two pieces of a stream as well. Each attempt has its own. Default: ten minutes,
   * 0: no limit of ours; Node's fetch has one of five minutes. The `timeout` of a call is LangChain's, and bounds that call with all
   * its attempts.
   */
  readonly timeout?: number | undefined
  /** Sent with every request. Never part of what is serialized or traced. */
  readonly headers?: Readonly<Record<string, string>> | undefined
  /** Default: the global one. */
  readonly fetch?: typeof globalThis.fetch | undefined
}

export interface Settings {
  readonly apiKey: string
  /** Ends in `/v1`. */
  readonly baseUrl: string
  readonly timeout: number
  readonly headers: Readonly<Record<string, string>>
  readonly fetch: typeof globalThis.fetch | undefined
}

const DEFAULT_TIMEOUT = 600_000

/** Throws a `GatewayConfigurationError` that names the option and the variable. */
export const readSettings = (fields: ConnectionFields): Settings => {
  const timeout = fields.timeout ?? DEFAULT_TIMEOUT
  if (!(timeout >= 0)) throw new GatewayConfigurationError("`timeout` must be a number of milliseconds, 0 for none.")
  return {
    apiKey: readKey(fields.apiKey ?? getEnvironmentVariable("GATEWAY_API_KEY")),
    baseUrl: readBaseUrl(fields.baseUrl ?? getEnvironmentVariable("GATEWAY_BASE_URL")),
    timeout,
    headers: fields.headers ?? {},
    fetch: fields.fetch
  }
}

const readKey = (value: unknown): string => {
  if (value !== undefined && typeof value !== "string") {
    throw new GatewayConfigurationError(
      "The gateway's key (`apiKey`) must be a text: a virtual key is always the same."
    )
  }
  const key = value?.trim() ?? ""
  if (key === "") {
    throw new GatewayConfigurationError(
      "The gateway's key is missing: pass `apiKey`, or set the environment variable GATEWAY_API_KEY."
    )
  }
  // fetch would refuse it too, with a message that shows it.
  if (!/^[\x21-\x7e]+$/.test(key)) {
    throw new GatewayConfigurationError(
      "The gateway's key (`apiKey` or GATEWAY_API_KEY) holds characters that no key has: a space, a line break or a letter outside ASCII."
    )
  }
  return key
}

const readBaseUrl = (value: string | URL | undefined): string => {
  const text = String(value ?? "").trim()
  if (text === "") {
    throw new GatewayConfigurationError(
      "The gateway's address is missing: pass `baseUrl`, or set the environment variable GATEWAY_BASE_URL, such as http://127.0.0.1:4100/v1."
    )
  }
  const url = parse(text)
  if (url.protocol !== "http:" && url.protocol !== "https:") throw badUrl("begin with http:// or https://")
  if (url.username !== "" || url.password !== "") throw badUrl("hold no user name and no password")
  if (url.search !== "" || url.hash !== "") throw badUrl("have no query and no fragment")
  const path = url.pathname.replace(/\/{2,}/g, "/").replace(/\/$/, "")
  return url.origin + (path.endsWith("/v1") ? path : `${path}/v1`)
}

const parse = (text: string): URL => {
  try {
    return new URL(text)
  } catch {
    throw badUrl("be a URL")
  }
}

/** Says nothing of the value: it may hold a password. */
const badUrl = (rule: string): GatewayConfigurationError =>
  new GatewayConfigurationError(
    `The gateway's address (\`baseUrl\` or GATEWAY_BASE_URL) must ${rule}, such as http://127.0.0.1:4100/v1.`
  )
