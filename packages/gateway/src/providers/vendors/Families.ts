/** How a vendor's own families of models are read. What the names of models tell anywhere is in the model catalogue (`kinds`). */
import { capabilities, type Capability } from "../../core/domain/Deployment.ts"
import type { Vendor, VendorFamily } from "../../core/pool/Vendor.ts"

/** Everything a chat model can do but what is left out. */
export const without = (...left: ReadonlyArray<Capability>): ReadonlySet<Capability> =>
  new Set(capabilities.filter((capability) => capability !== "embeddings" && !left.includes(capability)))

/** The first matching family that has the fact; undefined: it is unknown. */
export const factOf = <Fact extends Exclude<keyof VendorFamily, "match">>(
  { families = [] }: Pick<Vendor, "families">,
  model: string,
  fact: Fact
): VendorFamily[Fact] | undefined =>
  families.find((family) => family[fact] !== undefined && family.match.test(model))?.[fact]
