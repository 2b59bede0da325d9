/** The optimal string alignment distance between two names. */

/** The number of insertions, deletions, replacements and swaps of neighbours that turn `a` into `b`, ignoring case. */
export const editDistance = (a: string, b: string): number => {
  const [from, to] = withoutCommonEnds(a.toLowerCase(), b.toLowerCase())
  let beforeLast: Array<number> = []
  let last = Array.from({ length: to.length + 1 }, (_, column) => column)
  for (let row = 1; row <= from.length; row++) {
    const current = [row]
    for (let column = 1; column <= to.length; column++) {
      const same = from[row - 1] === to[column - 1]
      let best = Math.min(last[column]! + 1, current[column - 1]! + 1, last[column - 1]! + (same ? 0 : 1))
      if (from[row - 1] === to[column - 2] && from[row - 2] === to[column - 1]) {
        best = Math.min(best, beforeLast[column - 2]! + 1)
      }
      current.push(best)
    }
    beforeLast = last
    last = current
  }
  return last[to.length]!
}

/** What both begin and end with changes no distance, and names of one kind have much of it in common. */
const withoutCommonEnds = (a: string, b: string): readonly [string, string] => {
  const shorter = Math.min(a.length, b.length)
  let start = 0
  while (start < shorter && a[start] === b[start]) start++
  let end = 0
  while (end < shorter - start && a[a.length - 1 - end] === b[b.length - 1 - end]) end++
  return [a.slice(start, a.length - end), b.slice(start, b.length - end)]
}
