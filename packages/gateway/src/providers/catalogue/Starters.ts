/** The models that `init` writes for a vendor: the catalogue names them. */
import { demoModels } from "../demo/DemoModels.ts"
import { Demo } from "../vendors/DemoVendor.ts"
import { shippedCatalogue } from "./facts/Shipped.ts"

/** One for each bucket, from the lowest; empty: the vendor has none. */
export const startersOf = (vendor: string): ReadonlyArray<string> =>
  vendor === Demo.name ? demoModels.map(({ name }) => name) : (shippedCatalogue().file.starters?.[vendor] ?? [])
