/** "Did you mean": names by edit distance. */

/** At most three of `names`, closest first, none of them further away than half of what was written. */
export const nearestNames = (written: string, names: ReadonlyArray<string>): ReadonlyArray<string> =>
  [...new Set(names)]
    .map((name) => ({ name, distance: closeness(written.toLowerCase(), name.toLowerCase()) }))
    .filter(({ distance }) => distance <= Math.max(2, written.length / 2))
    .sort((a, b) => a.distance - b.distance)
    .slice(0, 3)
    .map(({ name }) => name)

/** A name that ends in `/<written>` is as good as the same. */
const closeness = (written: string, name: string): number =>
  Math.min(editDistance(written, name), 1 + editDistance(written, name.slice(name.indexOf("/") + 1)))

const MAX_LENGTH = 100

const editDistance = (left: string, right: string): number => {
  const a = left.slice(0, MAX_LENGTH)
  const b = right.slice(0, MAX_LENGTH)
  let previous = Array.from({ length: b.length + 1 }, (_, index) => index)
  for (let i = 1; i <= a.length; i++) {
    const current = [i]
    for (let j = 1; j <= b.length; j++) {
      const swap = previous[j - 1]! + (a[i - 1] === b[j - 1] ? 0 : 1)
      current.push(Math.min(swap, previous[j]! + 1, current[j - 1]! + 1))
    }
    previous = current
  }
  return previous[b.length]!
}
