/** The setting `modelGateway.gateways`, which people write by hand too. */

export interface Entry {
  /** Unique; stands before its models. */
  readonly name: string
  /** Without `/v1` and without a slash at its end. */
  readonly url: string
}

export interface ReadEntries {
  readonly entries: ReadonlyArray<Entry>
  /** What was left out, and why. */
  readonly problems: ReadonlyArray<string>
}

export const readEntries = (value: unknown): ReadEntries => {
  const entries: Array<Entry> = []
  const problems: Array<string> = []
  const items: ReadonlyArray<unknown> = Array.isArray(value) ? value : []
  if (value !== undefined && value !== null && !Array.isArray(value)) problems.push(`It must be a list: ${SHAPE}.`)
  for (const [index, item] of items.entries()) {
    const { name, url } = Object(item) as { readonly name?: unknown; readonly url?: unknown }
    const problem =
      typeof name !== "string" || nameProblem(name) !== undefined
        ? `\`name\` must be a word or two: ${SHAPE}`
        : entries.some((one) => one.name === name.trim())
          ? `there are two of the name ${name.trim()}`
          : typeof url !== "string"
            ? `\`url\` is missing: ${SHAPE}`
            : urlProblem(url)
    if (problem !== undefined) problems.push(`Entry ${index + 1}: ${problem}.`)
    else entries.push({ name: String(name).trim(), url: cleanUrl(String(url)) })
  }
  return { entries, problems }
}

const SHAPE = `[{ "name": "Work", "url": "https://gateway.example.com" }]`

/** The name is a part of the models' ids, which other settings hold. */
export const nameProblem = (name: string): string | undefined =>
  /^[\p{L}\p{N}][\p{L}\p{N} ._-]{0,39}$/u.test(name.trim())
    ? undefined
    : "a name has up to 40 letters, digits, spaces, dots, _ or -"

/** Says nothing of a user name or password in it. */
export const urlProblem = (text: string): string | undefined => {
  const url = URL.canParse(text.trim()) ? new URL(text.trim()) : undefined
  if (url === undefined || !/^https?:$/.test(url.protocol)) {
    return "an address begins with http:// or https://, such as http://127.0.0.1:4100"
  }
  if (url.username !== "" || url.password !== "") return "the address must hold no user name and no password"
  return url.search === "" && url.hash === "" ? undefined : "the address must have no query and no fragment"
}

/** As the client has it: without `/v1`, which people take along from other clients. */
export const cleanUrl = (text: string): string => {
  const url = new URL(text.trim())
  const path = url.pathname.replace(/\/{2,}/g, "/").replace(/\/$/, "")
  return url.origin + path.replace(/\/v1$/, "").replace(/\/ui$/, "")
}
