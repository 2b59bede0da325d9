/** The wait that a provider asks for. */
import { objectOr, objectsIn, textOf } from "../../json/LooseJson.ts"

/** A longer wait is not believed: the deployment would be gone for good. */
const LONGEST_MS = 24 * 3_600_000

/**
 * The wait from `retry-after-ms`, else from `retry-after` in seconds or as a date, which is compared with the response's own `date`.
 * Whole milliseconds, at most a day. Header names in lower case; undefined if there is no readable wait.
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
  const details = objectsIn(objectOr(error)["details"])
  const info = details.find((one) => String(one["@type"]).endsWith("google.rpc.RetryInfo"))
  const seconds = /^(\d{1,12}(?:\.\d{1,9})?)s$/.exec(textOf(info?.["retryDelay"]) ?? "")?.[1]
  return seconds === undefined ? undefined : Math.min(LONGEST_MS, Math.ceil(Number(seconds) * 1000))
}

const positive = (value: string | undefined): number | undefined =>
  value !== undefined && /^\s*\d{1,12}(?:\.\d+)?\s*$/.test(value) ? Number(value) : undefined
