/** Prices by size and quality (`1024x1024`, `hd-1024x1792`, `2k`). The first is used if the request leaves them open. */
import type { PriceSheet } from "../../domain/pricing/Pricing.ts"

const NAME = /^(?:([a-z]+)-)?(\d+x\d+|\d+(?:\.\d)?k)$/

export const isImageVariant = (name: string): boolean => NAME.test(name)

interface Variant {
  readonly name: string
  /** Undefined: there is only one. */
  readonly quality: string | undefined
  readonly size: string | undefined
}

/** The prices for an image. Where several may hold (`auto`, an unknown size), the most expensive. Undefined: there is only one price. */
export const imageVariant = (
  sheet: PriceSheet,
  size: string | undefined,
  quality: string | undefined
): string | undefined => {
  const all = [...(sheet.serviceTiers?.keys() ?? [])].flatMap(read)
  const [usual] = all
  if (usual === undefined) return undefined
  const fits = (one: Variant) =>
    isOpen(size ?? usual.size, one.size) && (one.quality === undefined || isOpen(quality ?? usual.quality, one.quality))
  const fitting = all.filter(fits)
  return dearest(sheet, fitting.length === 0 ? all : fitting)
}

const read = (name: string): ReadonlyArray<Variant> => {
  const [, quality, size] = NAME.exec(name) ?? []
  return size === undefined ? [] : [{ name, quality, size }]
}

const isOpen = (asked: string | undefined, own: string | undefined): boolean => asked === "auto" || asked === own

const dearest = (sheet: PriceSheet, variants: ReadonlyArray<Variant>): string | undefined => {
  let most = Number.NEGATIVE_INFINITY
  let found: string | undefined
  for (const { name } of variants) {
    const { images } = (sheet.serviceTiers?.get(name) ?? sheet).ratesAt(0).base
    if (images > most) [most, found] = [images, name]
  }
  return found
}
