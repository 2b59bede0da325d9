/** The catalogue that ships with the gateway. Read once, when the first deployment is looked up. */
import { readFileSync } from "node:fs"
import { type Catalogue, catalogueOf } from "./CatalogueInForce.ts"
import type { CatalogueFile } from "../../../core/domain/models/CatalogueFormat.ts"

/** Of `npm run catalogue -- build`, which validates it. */
const FILE = new URL("./catalogue.json", import.meta.url)

let shipped: Catalogue | undefined

export const shippedCatalogue = (): Catalogue =>
  (shipped ??= catalogueOf(JSON.parse(readFileSync(FILE, "utf8")) as CatalogueFile))
