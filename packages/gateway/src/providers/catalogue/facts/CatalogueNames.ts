/** How a name finds its model: exactly, as an alias, without the date of a snapshot, as a reseller spells it, by a glob. */
import { matchesGlob } from "../../../core/collections/Glob.ts"
import type { CatalogueFile, Glob, ModelKind, Resold } from "../../../core/domain/models/CatalogueFormat.ts"

export type NameMatch = "exact" | "alias" | "snapshot" | "resold" | "glob"

export interface ModelMatch {
  readonly how: NameMatch
  /** `vendor/id` in the catalogue; undefined for a glob. */
  readonly key: string | undefined
  readonly glob?: Glob
  /** By whose rule a resold model was found. */
  readonly resold?: Resold
}

export interface ModelNameRules {
  /** The kinds that the name tells, the most general first. */
  readonly kinds: (vendor: string, model: string) => ReadonlyArray<ModelKind>
  readonly find: (vendor: string, model: string) => ModelMatch | undefined
  /** The first glob that matches, whether or not some model has the name. */
  readonly glob: (vendor: string, model: string) => Glob | undefined
}

export const namesOf = ({ globs = [], kinds = [], models, resold = {} }: CatalogueFile): ModelNameRules => {
  const aliases = new Map<string, string>()
  for (const [key, { aliases: others = [], snapshots = [] }] of Object.entries(models)) {
    const vendor = key.slice(0, key.indexOf("/"))
    for (const other of [...others, ...snapshots]) aliases.set(`${vendor}/${other}`.toLowerCase(), key)
    const lower = key.toLowerCase()
    if (lower !== key && !Object.hasOwn(models, lower)) aliases.set(lower, key)
  }
  const lowered = (all: ReadonlyArray<string> = []) => all.map((one) => one.toLowerCase())
  const kindTests = kinds.map((kind) => [kind, lowered(kind.match), lowered(kind.not)] as const).reverse()
  const patterns = globs.map((glob: Glob) => [glob.match.toLowerCase(), glob] as const)
  const sellers = new Map(
    Object.entries(resold).map(([vendor, rules]) => [vendor, rules.map((rule) => [rule, spellingsOf(rule)] as const)])
  )
  const everybody = sellers.get(EVERYBODY) ?? []

  const own = (vendor: string, model: string): ModelMatch | undefined => {
    const key = `${vendor}/${model}`
    if (Object.hasOwn(models, key)) return { how: "exact", key }
    const alias = aliases.get(key.toLowerCase())
    if (alias !== undefined) return { how: "alias", key: alias }
    const undated = withoutDate(model)
    if (undated === model) return undefined
    const plain = `${vendor}/${undated}`
    const dated = Object.hasOwn(models, plain) ? plain : aliases.get(plain.toLowerCase())
    return dated === undefined ? undefined : { how: "snapshot", key: dated }
  }

  const ofOthers = (vendor: string, model: string): ModelMatch | undefined => {
    for (const [rule, spellings] of [...(sellers.get(vendor) ?? []), ...everybody]) {
      for (const spelling of spellings) {
        const id = spelling.exec(model)?.[1]
        if (id === undefined) continue
        const found = own(rule.of, id)
        if (found !== undefined && isFor(rule, found.key!)) return { ...found, how: "resold", resold: rule }
        const alike = found === undefined && rule.sameApi === true ? byGlob(rule.of, id) : undefined
        if (alike !== undefined) return { ...alike, resold: rule }
      }
    }
    return undefined
  }

  const glob = (vendor: string, model: string, isConfigured = false): Glob | undefined => {
    const name = `${vendor}/${model}`.toLowerCase()
    return patterns.find(
      ([pattern, { configured }]) => (configured !== undefined) === isConfigured && matchesGlob(pattern, name)
    )?.[1]
  }

  const byGlob = (vendor: string, model: string, isConfigured = false): ModelMatch | undefined => {
    const found = glob(vendor, model, isConfigured)
    return found === undefined ? undefined : { how: "glob", key: undefined, glob: found }
  }

  return {
    kinds: (vendor, model) => {
      const name = `${vendor}/-${model.replace(/[/_@:]/g, "-")}-`.toLowerCase()
      const has = (tests: ReadonlyArray<string>) => tests.some((test) => matchesGlob(test, name))
      return kindTests.flatMap(([kind, is, isNot]) => (has(is) && !has(isNot) ? [kind] : []))
    },
    find: (vendor, model) =>
      own(vendor, model) ?? byGlob(vendor, model, true) ?? ofOthers(vendor, model) ?? byGlob(vendor, model),
    glob
  }
}

/** `-2026-04-23`, `-20260423`, `@20260423`. */
const withoutDate = (model: string): string => model.replace(/[-@]20\d\d-?[01]\d-?[0-3]\d$/, "")

const escaped = (text: string): string => text.replace(/[.*+?^${}()|[\]\\]/g, "\\$&")

const ID = "<id>"
const EVERYBODY = "*"

const spellingsOf = ({ spellings = [ID] }: Resold): ReadonlyArray<RegExp> =>
  spellings.map((spelling) => {
    const sides = spelling.split(ID).map((side) => side.split(/\*+/).map(escaped).join(".*?"))
    return new RegExp(`^${sides.join("(.+?)")}$`, "is")
  })

const isFor = ({ match }: Resold, key: string): boolean => {
  const id = key.slice(key.indexOf("/") + 1).toLowerCase()
  return match === undefined || match.some((glob) => matchesGlob(glob.toLowerCase(), id))
}
