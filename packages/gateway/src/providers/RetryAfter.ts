/** The wait that a provider asks for. */

/** Who asks for more than a day is not believed: the deployment would be gone for good. */
const LONGEST_MS = 24 * 3_600_000

/**
 * Whole milliseconds, at most a day: `retry-after-ms`, else `retry-after` in seconds or as a date, which counts from the answer's own
 * `date`. Header names in lower case; undefined where they say nothing that can be read.
 */
export const retryAfter = (headers: { readonly [name: string]: string | undefined }): number | undefined => {
  const wait = asked(headers)
  return wait === undefined ? undefined : Math.min(LONGEST_MS, Math.ceil(wait))
}

const asked = (headers: { readonly [name: string]: string | undefined }): number | undefined => {
  const milliseconds = positive(headers["retry-after-ms"])
  if (milliseconds !== undefined) return milliseconds
  const value = headers["retry-after"]
  const seconds = positive(value)
  if (seconds !== undefined) return seconds * 1000
  const wait = Date.parse(value ?? "") - Date.parse(headers["date"] ?? "")
  return Number.isNaN(wait) ? undefined : Math.max(0, wait)
}

/**
 * The wait that an error object names in its `details`, as Google's APIs do: `"retryDelay": "34.4s"`. Whole milliseconds, at most a
 * day; undefined where it names none. It is `google.rpc.RetryInfo` in googleapis/googleapis, google/rpc/error_details.proto (read
 * 2026-11-22); a Duration is written as seconds with the suffix "s".
 */
export const retryDelay = (error: unknown): number | undefined => {
  const details = isObject(error) ? error["details"] : undefined
  if (!Array.isArray(details)) return undefined
  const info = details.find((one) => isObject(one) && String(one["@type"]).endsWith("google.rpc.RetryInfo"))
  const seconds =
    typeof info?.["retryDelay"] === "string" ? /^(\d{1,12}(?:\.\d{1,9})?)s$/.exec(info["retryDelay"])?.[1] : undefined
  return seconds === undefined ? undefined : Math.min(LONGEST_MS, Math.ceil(Number(seconds) * 1000))
}

const isObject = (value: unknown): value is { readonly [field: string]: unknown } =>
  typeof value === "object" && value !== null && !Array.isArray(value)

/** No plain number of seconds has more digits: a longer one is garbage, and no number at all beyond 308. */
const positive = (value: string | undefined): number | undefined =>
  value !== undefined && /^\s*\d{1,12}(?:\.\d+)?\s*$/.test(value) ? Number(value) : undefined
