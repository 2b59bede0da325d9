/** Google's models, wherever Google serves them. What each can do is in the model catalogue. */
import type { Vendor } from "../../../core/pool/Vendor.ts"
import { operationsByName } from "../Families.ts"

/** Models that draw answer chats as well. */
export const googleOperations: NonNullable<Vendor["operations"]> = (model, _options, facts) =>
  facts?.operations ?? operationsByName(model, ["chat"])
