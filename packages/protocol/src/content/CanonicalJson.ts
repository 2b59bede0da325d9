/** One text for equal JSON values: members are sorted by name, numbers are as they were parsed. */

const { isRawJSON } = JSON as unknown as { readonly isRawJSON: (value: unknown) => boolean }

/** Undefined: it has more than `most` characters. `without`: members of the outermost object to leave out. */
export const canonicalJson = (value: unknown, most: number, without?: ReadonlySet<string>): string | undefined => {
  let left = most
  const written = (value: unknown, without?: ReadonlySet<string>): string => {
    if (left < 0) return ""
    if (typeof value !== "object" || value === null || isRawJSON(value)) {
      const text = JSON.stringify(value) ?? "null"
      left -= text.length
      return text
    }
    if (Array.isArray(value)) return `[${value.map((one) => written(one)).join()}]`
    const members = Object.entries(value).filter(
      ([name, member]) => member !== undefined && without?.has(name) !== true
    )
    members.sort(([a], [b]) => (a < b ? -1 : 1))
    return `{${members.map(([name, member]) => `${written(name)}:${written(member)}`).join()}}`
  }
  const text = written(value, without)
  return left < 0 ? undefined : text
}
