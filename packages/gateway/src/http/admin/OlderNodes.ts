/** Gateways of an older version would not count requests under the scopes that this one knows. */
import { Effect } from "effect"
import type { Nodes } from "../../core/admin/Nodes.ts"
import { OlderGateways } from "../../core/domain/Errors.ts"

/** Fails while one works on the store. None can join: it refuses the schema. */
export const refuseOlder = ({ older }: Nodes["Service"]) =>
  Effect.flatMap(older, (names) => (names.length === 0 ? Effect.void : Effect.fail(new OlderGateways({ names }))))
