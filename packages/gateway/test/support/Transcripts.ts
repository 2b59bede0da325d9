/**
 * Recorded exchanges with real providers, kept outside the repository: `../shared/data` beside it, or where `GATEWAY_DATA` points.
 * Tests over them are skipped, with one line that says so, where they are missing.
 */
import { existsSync, readdirSync, readFileSync } from "node:fs"
import { join, resolve } from "node:path"
import { gunzipSync } from "node:zlib"

const repository = resolve(import.meta.dirname, "../../../..")

/** The folder with the recordings and the vendor's API description. It may not exist. */
export const dataFolder = process.env["GATEWAY_DATA"] ?? resolve(repository, "../shared/data")

export const hasData = existsSync(join(dataFolder, "transcripts"))

export interface Exchange {
  /** Where it was recorded: unique within all families. */
  readonly name: string
  readonly request: {
    readonly url: string
    readonly headers: { readonly [name: string]: string }
    readonly body: { readonly [field: string]: unknown } | undefined
  }
  readonly response: {
    readonly status: number
    readonly headers: { readonly [name: string]: string | undefined }
    /** The body as recorded; JSON bodies that were recorded as values are encoded again. */
    readonly bytes: Uint8Array
  }
  /** The answer is a stream of server-sent events, or of lines. */
  readonly streamed: boolean
}

interface Line {
  readonly src: string
  readonly file: string
  readonly i: number
  readonly req: { readonly url: string; readonly headers?: Record<string, string>; readonly body?: unknown }
  readonly res: {
    readonly status: number
    readonly headers?: Record<string, string>
    readonly json?: unknown
    readonly text?: string
    readonly b64?: string
  }
}

/** Names of the recorded families that begin with one of `prefixes`, e.g. `openai.chat`. */
export const families = (...prefixes: ReadonlyArray<string>): ReadonlyArray<string> =>
  hasData
    ? readdirSync(join(dataFolder, "transcripts"))
        .map((file) => /^dev\.(.+)\.jsonl\.gz$/.exec(file)?.[1])
        .filter((family) => family !== undefined && prefixes.some((prefix) => family.startsWith(prefix)))
        .map((family) => family!)
    : []

/** Every exchange of a family, e.g. `anthropic.messages`; none where the recordings are missing. */
export const loadFamily = (family: string): ReadonlyArray<Exchange> => {
  const file = join(dataFolder, "transcripts", `dev.${family}.jsonl.gz`)
  if (!existsSync(file)) return []
  const lines = gunzipSync(readFileSync(file)).toString("utf8").split("\n")
  return lines.filter((line) => line !== "").map((line) => toExchange(JSON.parse(line) as Line))
}

/** Says in one line that the recordings are missing; to be called once per test file. */
export const sayWhenMissing = (what: string): void => {
  if (!hasData) process.stderr.write(`skipped: ${what}, no recordings in ${dataFolder} (GATEWAY_DATA)\n`)
}

const toExchange = ({ file, i, req, res, src }: Line): Exchange => {
  const body = typeof req.body === "object" && req.body !== null ? (req.body as Record<string, unknown>) : undefined
  const bytes = bytesOf(res)
  return {
    name: `${src}/${file}#${i}`,
    request: { url: req.url, headers: lowerCase(req.headers), body },
    response: { status: res.status, headers: lowerCase(res.headers), bytes },
    streamed: res.status < 300 && (isEventStream(bytes) || isLines(res))
  }
}

const bytesOf = (res: Line["res"]): Uint8Array => {
  if (res.b64 !== undefined) return Buffer.from(res.b64, "base64")
  return Buffer.from(res.text ?? (res.json === undefined ? "" : JSON.stringify(res.json)))
}

const isLines = ({ headers = {} }: Line["res"]): boolean =>
  lowerCase(headers)["content-type"] === "application/x-ndjson"

const isEventStream = (bytes: Uint8Array): boolean =>
  /^(?:data|event|:)/.test(Buffer.from(bytes.subarray(0, 16)).toString("latin1"))

const lowerCase = (headers: Record<string, string> = {}): Record<string, string> =>
  Object.fromEntries(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), String(value)]))
