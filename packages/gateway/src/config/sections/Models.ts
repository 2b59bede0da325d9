/**
 * `models`: further names that callers may use.
 */
import { Schema } from "effect"
import { refuse } from "../Decode.ts"
import type { Here } from "../Here.ts"
import { namesIn, TARGETS, type Alias, type Declared } from "../Names.ts"
import { oneOrMore, record, text } from "../Values.ts"
import { AUTO, RESERVED } from "./Deployments.ts"

const whyNoAlias = (name: string): string | undefined => {
  if (name === AUTO) return RESERVED
  return name === "" ? "an alias needs a name" : undefined
}

const aliasName = Schema.String.check(
  refuse((name) => {
    const message = whyNoAlias(name)
    return message === undefined ? undefined : () => ({ message, allowed: "another name" })
  })
)

export const Models = record(aliasName, oneOrMore(TARGETS, text(TARGETS)))

/** The aliases as they are written; `Names` follows them. */
export const aliasesIn = (section: Here | undefined, deployments: ReadonlyArray<Declared>): ReadonlyArray<Alias> => {
  const ids = new Set(deployments.map((one) => one.id))
  return (section?.entries ?? []).flatMap(({ here, key, keyAt }) => {
    if (whyNoAlias(key) !== undefined) return []
    if (!ids.has(key)) return [{ name: key, targets: namesIn(here) }]
    const found = JSON.stringify(key)
    here.problem(`${found} is the id of a deployment already`, "another name", found, keyAt)
    return []
  })
}
