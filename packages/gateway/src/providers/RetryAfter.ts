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

/** No plain number of seconds has more digits: a longer one is garbage, and no number at all beyond 308. */
const positive = (value: string | undefined): number | undefined =>
  value !== undefined && /^\s*\d{1,12}(?:\.\d+)?\s*$/.test(value) ? Number(value) : undefined
