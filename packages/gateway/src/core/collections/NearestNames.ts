/** "Did you mean": names by edit distance. */
import { editDistance } from "./EditDistance.ts"

/** At most three of `names`, closest first. None differs in more than half of what was written. */
export const nearestNames = (written: string, names: ReadonlyArray<string>): ReadonlyArray<string> =>
  [...new Set(names)]
    .map((name) => ({ name, distance: closeness(written, name) }))
    .filter(({ distance }) => distance <= Math.max(2, written.length / 2))
    .sort((a, b) => a.distance - b.distance)
    .slice(0, 3)
    .map(({ name }) => name)

/** A name that ends in `/<written>` counts as nearly equal. */
const closeness = (written: string, name: string): number => {
  const distance = distanceOf(written, name)
  const slash = name.indexOf("/")
  return slash === -1 ? distance : Math.min(distance, 1 + distanceOf(written, name.slice(slash + 1)))
}

/** Characters. Longer names are not compared: it would be slow, and no setting has one. */
const MAX_LENGTH = 100

const distanceOf = (left: string, right: string): number =>
  editDistance(left.slice(0, MAX_LENGTH), right.slice(0, MAX_LENGTH))
