/** Model names with `*`, as keys' lists of allowed models have them. */

/** Whether `name` matches `pattern`, where `*` stands for any characters. Linear in both lengths, so no pattern is slow. */
export const matchesGlob = (pattern: string, name: string): boolean => {
  const pieces = pattern.split("*")
  if (pieces.length === 1) return pattern === name
  const first = pieces[0]!
  const last = pieces[pieces.length - 1]!
  if (name.length < first.length + last.length || !name.startsWith(first) || !name.endsWith(last)) return false
  let at = first.length
  const end = name.length - last.length
  for (const piece of pieces.slice(1, -1)) {
    const found = name.indexOf(piece, at)
    if (found < 0 || found + piece.length > end) return false
    at = found + piece.length
  }
  return at <= end
}
