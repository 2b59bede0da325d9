/** The catalogue that ships with the gateway. Read once, when the first deployment is looked up. */
import { readFileSync } from "node:fs"
import { assetAt } from "../../../core/domain/Assets.ts"
import { type Catalogue, catalogueOf } from "./CatalogueInForce.ts"
import type { CatalogueFile } from "../../../core/domain/models/CatalogueFormat.ts"

/** Of `npm run catalogue -- build`, which validates it. */
const FILE = "catalogue.json"

let shipped: Catalogue | undefined

export const shippedCatalogue = (): Catalogue =>
  (shipped ??= catalogueOf(JSON.parse(readFileSync(assetAt(FILE), "utf8")) as CatalogueFile))
