/**
 * `models`: further names that callers may use.
 */
import type { Alias } from "../Names.ts"
import { oneOrMore, record, type Here } from "../Reader.ts"
import { name } from "../Name.ts"
import { AUTO, type Declared } from "./Deployments.ts"

const TARGETS = "deployment ids, aliases or <provider>/<model>"

/** The aliases as they are written; `Names` follows them. */
export const readAliases = (here: Here, deployments: ReadonlyArray<Declared>): ReadonlyArray<Alias> => {
  const ids = new Set(deployments.map((one) => one.settings.id))
  const read = record((alias, targets, keyAt): Alias | undefined => {
    const refuse = (message: string) => targets.problem(message, "another name", JSON.stringify(alias), keyAt)
    if (alias === AUTO) return refuse(`"${AUTO}" is reserved: it is how callers ask for the router`)
    if (alias === "") return refuse("an alias needs a name")
    if (ids.has(alias)) return refuse(`${JSON.stringify(alias)} is the id of a deployment already`)
    return { name: alias, targets: oneOrMore(TARGETS, name(TARGETS))(targets) ?? [] }
  })
  return read(here) ?? []
}
