/** The models that `init` writes for a vendor: the catalogue names them. */
import { demoModels } from "@model-gateway/gateway/internal/providers/demo/DemoAnswer"
import { Demo } from "@model-gateway/gateway/internal/providers/vendors/DemoVendor"
import { shippedCatalogue } from "@model-gateway/gateway/internal/providers/catalogue/facts/Shipped"

/** One for each bucket, from the lowest; empty: the vendor has none. */
export const startersOf = (vendor: string): ReadonlyArray<string> =>
  vendor === Demo.name ? demoModels.map(({ name }) => name) : (shippedCatalogue().file.starters?.[vendor] ?? [])
