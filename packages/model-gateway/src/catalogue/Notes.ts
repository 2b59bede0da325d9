/** What an operator should know of the models of the deployments: shutdowns, redirects, coming prices, and models that are not known. */
import { didYouMean } from "@model-gateway/gateway/internal/core/collections/Suggest"
import type { Deployment } from "@model-gateway/gateway/internal/core/domain/Deployment"
import type { CatalogueFile } from "@model-gateway/gateway/internal/core/domain/models/CatalogueFormat"

const DAY_MS = 86_400_000
/** How long before a date it is named. */
const AHEAD_MS = 60 * DAY_MS

/** Sentences, in the order of the deployments. `now`: epoch ms. */
export const modelNotes = (deployments: ReadonlyArray<Deployment>, now: number): ReadonlyArray<string> =>
  deployments.flatMap((deployment) => [
    ...shutdownNotes(deployment, now),
    ...priceNotes(deployment, now),
    ...unknownNotes(deployment)
  ])

const shutdownNotes = ({ facts, id }: Deployment, now: number): ReadonlyArray<string> => {
  const { billedAs, on, redirectsTo, replacement } = facts?.shutdown ?? {}
  if (on === undefined) return []
  const left = Date.parse(on) - now
  const instead = replacement === undefined ? "" : `; its vendor names ${replacement} as its replacement`
  const other = redirectsTo ?? billedAs
  if (left > AHEAD_MS) return []
  if (other !== undefined) {
    const since = left > 0 ? `will be replaced from ${on} on` : `has been replaced since ${on}`
    return [`${id} ${since} by ${other}${billedAs === undefined ? "" : `, at the price of ${billedAs}`}`]
  }
  return left > 0
    ? [`${id} shuts down on ${on}, in ${Math.ceil(left / DAY_MS)} days${instead}`]
    : [`${id} was shut down on ${on}${instead}`]
}

const priceNotes = ({ id, price }: Deployment, now: number): ReadonlyArray<string> =>
  (price?.changes ?? []).flatMap((at) => {
    if (at <= now || at > now + AHEAD_MS) return []
    const [was, is] = [price!.ratesAt(at - 1).base, price!.ratesAt(at).base]
    const usd = (rate: number) => rate / 1e6
    const day = new Date(at).toISOString().slice(0, 10)
    return [
      `${id} costs ${usd(is.input)} / ${usd(is.output)} USD per million tokens from ${day} on, instead of ${usd(was.input)} / ${usd(was.output)}`
    ]
  })

const unknownNotes = ({ facts, id, price, vendor }: Deployment): ReadonlyArray<string> => {
  if (price !== undefined || vendor === "demo") return []
  return [
    facts?.how === "glob"
      ? `${id} is not in the catalogue: it behaves like its family, and has no price`
      : facts?.key === undefined
        ? `${id} is not in the catalogue, and has no price`
        : `${id} has no price`
  ]
}

/**
 * Models that the catalogue does not have, where it has one of the vendor with a similar name. `places`: where each deployment stands in
 * the configuration.
 */
export const mistypedModels = (
  deployments: ReadonlyArray<Deployment>,
  { models }: CatalogueFile,
  places: ReadonlyMap<string, string> = new Map()
): ReadonlyArray<string> =>
  deployments.flatMap(({ facts, id, model, price, vendor }) => {
    if (vendor === undefined || price !== undefined || facts?.key !== undefined) return []
    const start = `${vendor}/`
    const known = Object.entries(models).flatMap(([key, { aliases = [], snapshots = [] }]) =>
      key.startsWith(start) ? [key.slice(start.length), ...aliases, ...snapshots] : []
    )
    const suggestion = didYouMean(model, known)
    if (suggestion === "") return []
    return [`${places.get(id) ?? id}: the catalogue has no ${JSON.stringify(model)} of ${vendor}${suggestion}`]
  })
