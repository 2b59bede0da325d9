/** A catalogue in force: facts are made when they are looked up. */
import { factFields, type Facts, mergedFacts, type Rule } from "../../../core/domain/models/Facts.ts"
import { type ModelFacts, noFacts } from "../../../core/domain/models/ModelFacts.ts"
import type {
  CatalogueFile,
  ConfiguredModel,
  Glob,
  Learnt,
  Model,
  Resold
} from "../../../core/domain/models/CatalogueFormat.ts"
import { type ModelMatch, namesOf } from "./CatalogueNames.ts"
import { isUnderstood } from "./ReadCatalogue.ts"

export interface FoundModel {
  readonly facts: ModelFacts
  /** Undefined for what a glob matched, or nothing. */
  readonly model: Model | undefined
  readonly resold: Resold | undefined
  /** `vendor/id`, or the glob. */
  readonly name: string
  /** What calls showed of it, which is among `facts`. */
  readonly learnt?: Learnt
}

export interface Catalogue {
  readonly version: string
  readonly made: string
  readonly file: CatalogueFile
  /** `vendor/id` of all models, and of those that something was learnt of. */
  readonly names: ReadonlyArray<string>
  /** What ledger rows of this model record: the version, and other layers than the file that say something of it. */
  readonly versionOf: (found: Pick<FoundModel, "learnt" | "name">) => string
  /** Whether some model of the vendor has a price. */
  readonly prices: (vendor: string) => boolean
  /** `vendor`: the name of a vendor, or that of the vendor in the catalogue whose models it has. */
  readonly find: (vendor: string, model: string) => FoundModel
}

/** Layers by `vendor/id`; the configuration may have globs, too. Its words are in the file already, and win over what was learnt. */
export const catalogueOf = (
  file: CatalogueFile,
  {
    configured = {},
    learnt = {}
  }: {
    readonly learnt?: { readonly [name: string]: Learnt }
    readonly configured?: { readonly [name: string]: ConfiguredModel }
  } = {}
): Catalogue => {
  const names = namesOf(file)
  const found = new Map<string, FoundModel>()
  const makers = new Set(Object.keys(file.models).map((key) => key.slice(0, key.indexOf("/"))))
  const isSeller = (vendor: string) => makers.has(vendor) || Object.hasOwn(file.resold ?? {}, vendor)
  return {
    version: file.version,
    made: file.made,
    file,
    names: [...new Set([...Object.keys(file.models), ...Object.keys(learnt)])],
    versionOf: ({ learnt, name }) =>
      [
        file.version,
        ...(learnt === undefined ? [] : ["learnt"]),
        ...(own(configured, name)?.prices === undefined ? [] : ["configuration"])
      ].join("+"),
    prices: (vendor) =>
      (file.resold?.[vendor] ?? []).some(({ priced }) => priced !== false) ||
      Object.entries(file.models).some(([key, { prices }]) => prices !== undefined && key.startsWith(`${vendor}/`)),
    find: (vendor, model) => {
      const name = `${vendor}/${model}`
      const before = found.get(name)
      if (before !== undefined) return before
      const kinds = names.kinds(vendor, model).map(factsIn)
      const base = baseOf(names.glob(vendor, model), isSeller(vendor))
      const known = foundIn(file, names.find(vendor, model), base, kinds)
      const one = withLearnt(known, own(learnt, name), own(configured, known.name))
      if (found.size < REMEMBERED) found.set(name, one)
      return one
    }
  }
}

const own = <Value>(of: { readonly [name: string]: Value }, name: string): Value | undefined =>
  Object.hasOwn(of, name) ? of[name] : undefined

const REMEMBERED = 10_000

const unknown = (kinds: ReadonlyArray<Facts>): FoundModel => ({
  facts: { ...mergedFacts(kinds), ...noFacts },
  model: undefined,
  resold: undefined,
  name: ""
})

/** What holds for all models of a kind, wherever they are served. A server that anybody may run has limits of its own. */
const baseOf = (glob: Glob | undefined, isSeller: boolean): Base | undefined =>
  glob?.base === true ? { glob, isSeller } : undefined

interface Base {
  readonly glob: Glob
  readonly isSeller: boolean
}

const foundIn = (
  file: CatalogueFile,
  found: ModelMatch | undefined,
  base: Base | undefined,
  kinds: ReadonlyArray<Facts>
): FoundModel => {
  if (found === undefined) return unknown(kinds)
  const model = found.key === undefined ? found.glob?.configured : file.models[found.key]
  const own = model ?? found.glob!
  const traits = traitsOf(file, [...(base?.glob.is ?? []), ...(own.is ?? [])])
  const said = [
    ...traits,
    ...(base === undefined ? [] : [factsIn(base.glob)]),
    ...(own === base?.glob ? [] : [factsIn(own)])
  ]
  const general = base?.isSeller === false ? said.map(({ limits: _, ...others }) => others) : said
  const merged = mergedFacts([...kinds, ...resoldFacts(general, found.resold), factsIn(found.resold ?? {})])
  const rules = [...(merged.rules ?? []), ...tierRules(found.resold ?? model ?? {})]
  const understood = rules.filter(isUnderstood)
  const facts: ModelFacts = {
    ...merged,
    ...(rules.length === 0 ? {} : { rules: understood }),
    key: found.key,
    how: found.how,
    ...(model?.shutdown === undefined ? {} : { shutdown: model.shutdown }),
    ...(rules.some((rule) => rule.price !== undefined && !isUnderstood(rule)) ? { hasUnknownPriceRule: true } : {})
  }
  return { facts, model, resold: found.resold, name: found.key ?? found.glob!.match }
}

/** The configuration wins over what was learnt; rules are added to those before them. */
const withLearnt = (found: FoundModel, learnt: Learnt | undefined, configured: object = {}): FoundModel => {
  if (learnt === undefined) return found
  const { rules = [], ...others } = factsIn(learnt)
  const { rules: _, ...wins } = factsIn(configured)
  const added = { ...others, ...(rules.length === 0 ? {} : { rules: rules.filter(isUnderstood) }) }
  return { ...found, learnt, facts: { ...found.facts, ...mergedFacts([found.facts, added, wins]) } }
}

/** A tier that is not offered is left out of a request. */
const tierRules = ({ tiers = {} }: Pick<Model, "tiers">): ReadonlyArray<Rule> =>
  Object.entries(tiers).flatMap(([tier, price]): ReadonlyArray<Rule> =>
    price === null
      ? [{ when: [`tier:${tier}`], do: "drop", field: "service_tier", note: `it has no tier ${tier}` }]
      : []
  )

/** A reseller has operations of its own; a server that anybody may run has limits of its own, too. */
const resoldFacts = (facts: ReadonlyArray<Facts>, resold: Resold | undefined): ReadonlyArray<Facts> => {
  if (resold === undefined || resold.sameApi === true) return facts
  return facts.map(({ limits, operations: _, ...others }) =>
    limits === undefined || resold.priced === false ? others : { ...others, limits }
  )
}

const FACTS: ReadonlySet<string> = new Set(Object.keys(factFields))

const factsIn = (from: object): Facts => Object.fromEntries(Object.entries(from).filter(([name]) => FACTS.has(name)))

/** Each once, from the most general. */
const traitsOf = ({ traits = {} }: CatalogueFile, names: ReadonlyArray<string>): ReadonlyArray<Facts> => {
  const ordered = new Set<string>()
  const add = (name: string, depth: number): void => {
    if (ordered.has(name) || depth > 50) return
    for (const other of traits[name]?.is ?? []) add(other, depth + 1)
    ordered.add(name)
  }
  for (const name of names) add(name, 0)
  return [...ordered].map((name) => factsIn(traits[name] ?? {}))
}
