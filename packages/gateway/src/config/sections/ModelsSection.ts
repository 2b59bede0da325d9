/** `models`: further names that callers may use. A name, a list of them, or a group that says more. */
import { Schema } from "effect"
import { orders, type AliasRule } from "../../core/domain/Settings.ts"
import { DecodedTable, refuseWith } from "../Decode.ts"
import type { Here } from "../Here.ts"
import { namesIn, TARGETS, type Alias, type Declared, type SettingNames } from "../SettingNames.ts"
import { group, oneOf, oneOrMore, readBy, record, required, text } from "../SettingValues.ts"
import { AUTO, RESERVED } from "./DeploymentsSection.ts"
import { presetFields, presetsOf } from "./PresetsSection.ts"

const whyNoAlias = (name: string): string | undefined => {
  if (name === AUTO) return RESERVED
  return name === "" ? "an alias needs a name" : undefined
}

const aliasName = Schema.String.check(refuseWith("another name", whyNoAlias))

const targets = oneOrMore(TARGETS, text(TARGETS))

/** Names alone are its `deployments`. */
const longForm = (written: unknown): unknown =>
  written instanceof DecodedTable ? written : new DecodedTable([["deployments", written]])

const AliasGroup = readBy(
  longForm,
  group({
    deployments: required(TARGETS, targets),
    order: Schema.optionalKey(oneOf("an order", orders)),
    fallbacks: Schema.optionalKey(targets),
    ...presetFields
  })
)

export const Models = record(aliasName, AliasGroup)

/** The aliases as they are written; `Names` follows them. */
export const aliasesIn = (section: Here | undefined, deployments: ReadonlyArray<Declared>): ReadonlyArray<Alias> => {
  const ids = new Set(deployments.map((one) => one.id))
  return (section?.entries ?? []).flatMap(({ here, key, keyAt }) => {
    if (whyNoAlias(key) !== undefined) return []
    if (!ids.has(key)) return [aliasOf(key, here)]
    const found = JSON.stringify(key)
    here.problem(`${found} is the id of a deployment already`, "another name", found, keyAt)
    return []
  })
}

const aliasOf = (name: string, here: Here): Alias => {
  const named = (field: string) => {
    const below = here.field(field)
    return below === undefined ? [] : namesIn(below)
  }
  if (here.node.kind !== "table") return { name, targets: namesIn(here), fallbacks: [] }
  return { name, targets: named("deployments"), fallbacks: named("fallbacks") }
}

/** The ids behind an alias, those that are asked last at the end. Behind a wildcard there is a model only if the alias names one. */
export const resolveAliases = (
  aliases: ReadonlyArray<Alias>,
  names: SettingNames
): ReadonlyMap<string, ReadonlyArray<string>> =>
  new Map(
    aliases.map((alias) => {
      const ids = [...new Set([...names.resolveAlias(alias), ...names.resolve(alias.fallbacks)])]
      if (alias.name.split("*").length !== 2) {
        const wildcard = ids.find((id) => names.isWildcard(id))
        const message = `this alias leads to "${wildcard}", which is any model: its name must have one "*", which stands for the model's part`
        if (wildcard !== undefined)
          [...alias.targets, ...alias.fallbacks][0]?.here.problem(message, "a name with one *")
      }
      return [alias.name, ids]
    })
  )

/** Of those aliases that have any. */
export const aliasRules = (
  read: typeof Models.Type,
  aliases: ReadonlyArray<Alias>,
  names: SettingNames
): ReadonlyMap<string, AliasRule> =>
  new Map(
    read.flatMap(([name, group]) => {
      const { order } = group
      const alias = aliases.find((one) => one.name === name)
      const presets = presetsOf(group)
      if (alias === undefined) return []
      if (order === undefined && alias.fallbacks.length === 0 && presets.presets === undefined) return []
      const first = new Set(names.resolveAlias(alias))
      const fallbacks = names.resolve(alias.fallbacks).filter((id) => !first.has(id))
      return [[name, { order, fallbacks, ...presets }] as const]
    })
  )
