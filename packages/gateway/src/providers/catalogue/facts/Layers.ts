/** The catalogue in force: the newer of the files that ship and were loaded, then what was learnt, then the configuration's words. */
import type { CatalogueFile, ConfiguredModel, Glob, Model } from "../../../core/domain/models/CatalogueFormat.ts"
import type { CatalogueSettings } from "../../../core/domain/Settings.ts"
import { type Catalogue, catalogueOf } from "./CatalogueInForce.ts"
import { shippedCatalogue } from "./Shipped.ts"

export type Layer = "shipped" | "loaded"

/** Of two the one made later. */
export const baseOf = (loaded: CatalogueFile | undefined): { readonly file: CatalogueFile; readonly layer: Layer } => {
  const shipped = shippedCatalogue().file
  return loaded !== undefined && loaded.made > shipped.made
    ? { file: loaded, layer: "loaded" }
    : { file: shipped, layer: "shipped" }
}

export const layeredCatalogue = (settings: CatalogueSettings | undefined): Catalogue => {
  const { file } = baseOf(settings?.loaded)
  const { models: configured = {}, learnt } = settings ?? {}
  const models = Object.entries(configured)
  if (models.length > 0) {
    return catalogueOf(withConfigured(file, models), { configured, learnt: learnt?.loaded?.models ?? {} })
  }
  if (learnt?.loaded !== undefined) return catalogueOf(file, { learnt: learnt.loaded.models })
  return file === shippedCatalogue().file ? shippedCatalogue() : catalogueOf(file)
}

/** Names in `like` that no model has, and traits that are unknown, as sentences. */
export const strayNames = (settings: CatalogueSettings | undefined): ReadonlyArray<string> => {
  const { loaded, models = {} } = settings ?? {}
  const { file } = baseOf(loaded)
  return Object.entries(models).flatMap(([name, { is = [], like }]) => [
    ...(like === undefined || Object.hasOwn(file.models, like)
      ? []
      : [`catalogue.models ${name}: like: there is no model ${JSON.stringify(like)} in catalogue ${file.version}`]),
    ...is.flatMap((trait) =>
      Object.hasOwn(file.traits ?? {}, trait)
        ? []
        : [`catalogue.models ${name}: is: there is no trait ${JSON.stringify(trait)} in catalogue ${file.version}`]
    )
  ])
}

const withConfigured = (
  file: CatalogueFile,
  configured: ReadonlyArray<readonly [name: string, model: ConfiguredModel]>
): CatalogueFile => {
  const models = { ...file.models }
  const globs: Array<Glob> = []
  for (const [name, { like, ...own }] of configured) {
    const one = merged([behaviourOf(like === undefined ? undefined : file.models[like]), file.models[name], own])
    if (name.includes("*")) globs.push({ match: name, configured: one })
    else models[name] = one
  }
  return { ...file, models, globs: [...globs, ...(file.globs ?? [])] }
}

/** Without what is of that very model: names, dates and prices. */
const behaviourOf = (model: Model | undefined): Model => {
  const {
    aliases: _aliases,
    confidence: _confidence,
    disputed: _disputed,
    fees: _fees,
    prices: _prices,
    released: _released,
    shutdown: _shutdown,
    snapshots: _snapshots,
    sources: _sources,
    status: _status,
    tiers: _tiers,
    ...behaviour
  } = model ?? {}
  return behaviour
}

/** Later ones win, group by group. Prices, tiers and rules are taken as a whole. */
const merged = (all: ReadonlyArray<Model | undefined>): Model => {
  const result: { [field: string]: unknown } = {}
  for (const model of all) {
    for (const [field, value] of Object.entries(model ?? {})) {
      const before = result[field]
      result[field] = field !== "tiers" && isGroup(before) && isGroup(value) ? { ...before, ...value } : value
    }
  }
  return result as Model
}

const isGroup = (value: unknown): value is object =>
  typeof value === "object" && value !== null && !Array.isArray(value)
