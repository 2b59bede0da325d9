/** Options that there are not: taken silently, they would do nothing. */
import { GatewayConfigurationError } from "./Errors.ts"

/** Throws a `GatewayConfigurationError` with the nearest name for the first option that `known` lacks. */
export const assertKnown = (whose: string, fields: object, known: object): void => {
  const names = Object.keys(known)
  for (const [name, value] of Object.entries(fields)) {
    if (value === undefined || names.includes(name)) continue
    const nearest = nearestOf(name, names)
    const advice = nearest === undefined ? `It has ${names.join(", ")}` : `Did you mean \`${nearest}\``
    throw new GatewayConfigurationError(
      `${whose} has no option \`${name}\`. ${advice}${nearest === undefined ? "." : "?"}`
    )
  }
}

/** The one of `names` that differs little from `name`. */
export const nearestOf = (name: string, names: ReadonlyArray<string>): string | undefined => {
  const [nearest] = names
    .map((known) => ({ known, distance: distance(plain(name), plain(known)) }))
    .sort((one, other) => one.distance - other.distance)
  return nearest !== undefined && nearest.distance <= Math.max(1, name.length / 3) ? nearest.known : undefined
}

/** `max_tokens` and `maxTokens` are one name in two spellings. */
const plain = (name: string): string => name.replaceAll(/[_-]/g, "").toLowerCase().slice(0, 50)

/** Insertions, deletions and replacements that turn one text into the other. */
const distance = (from: string, to: string): number => {
  let last = Array.from({ length: to.length + 1 }, (_, column) => column)
  for (let row = 1; row <= from.length; row++) {
    const current = [row]
    for (let column = 1; column <= to.length; column++) {
      const replaced = last[column - 1]! + (from[row - 1] === to[column - 1] ? 0 : 1)
      current.push(Math.min(last[column]! + 1, current[column - 1]! + 1, replaced))
    }
    last = current
  }
  return last[to.length]!
}
