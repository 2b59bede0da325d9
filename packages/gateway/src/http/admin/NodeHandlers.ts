/** `/admin/nodes`. */
import { type Node, ServedApi } from "@model-gateway/protocol"
import { Effect } from "effect"
import { HttpApiBuilder } from "effect/http-api"
import { type NodeRecord, Nodes } from "../../core/admin/Nodes.ts"
import { answering } from "../shared/Answer.ts"
import { listOf } from "./AdminPages.ts"
import { rfc3339 } from "../errors/WireFormat.ts"

export const nodeHandlers = HttpApiBuilder.group(
  ServedApi,
  "nodes",
  Effect.fnUntraced(function* (handlers) {
    const nodes = yield* Nodes
    const list = Effect.map(nodes.list, ({ nodes: all, trouble = null }) => ({ ...listOf(all.map(wireNode)), trouble }))
    return handlers.handle("listNodes", () => answering(list))
  })
)

const wireNode = (node: NodeRecord): Node => ({
  object: "node",
  id: node.id,
  name: node.name,
  version: node.version,
  since: rfc3339(node.joinedAt),
  lease_ms: node.leaseMs,
  last_beat_at: node.heardAt === null ? null : rfc3339(node.heardAt),
  flush_lag_ms: Math.round(node.lagMs),
  shares_held: node.sharesHeld,
  state: node.state,
  is_this: node.isThis
})
