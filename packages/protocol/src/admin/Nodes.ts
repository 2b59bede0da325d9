/** The gateways on one store. */
import { Schema } from "effect"
import { page, Timestamp } from "../Values.ts"

export const Node = Schema.Struct({
  object: Schema.Literal("node"),
  id: Schema.Int.annotate({
    description:
      "Another one after each start, and the first half of the ids of its rows in the ledger. 0: the process that owns a file."
  }),
  name: Schema.String.annotate({ description: "The name of its machine." }),
  version: Schema.String.annotate({ description: "Of the program; empty until it has told it." }),
  since: Timestamp.annotate({ description: "When it joined." }),
  lease_ms: Schema.NullOr(Schema.Int).annotate({
    description: "For so long it may work without a word from the store; null: the store is a file of its own."
  }),
  last_beat_at: Schema.NullOr(Timestamp).annotate({
    description: "When the store last heard of it, by the store's clock; null: the store is a file of its own."
  }),
  flush_lag_ms: Schema.Int.annotate({ description: "How long its oldest unwritten row has been waiting." }),
  shares_held: Schema.Int.annotate({ description: "Limits and budgets of which it holds a share." }),
  state: Schema.Literals(["working", "refusing", "silent"]).annotate({
    description:
      "`refusing`: it lives and takes no new work, since the store refuses its writes. `silent`: the store has not heard of it for longer than its lease."
  }),
  is_this: Schema.Boolean.annotate({ description: "It is the one that answers." })
}).annotate({ identifier: "Node", title: "Gateway on the store" })
export type Node = typeof Node.Type

export const NodeList = Schema.Struct({
  ...page(Node, "The longest at work first.").fields,
  trouble: Schema.NullOr(Schema.String).annotate({
    description: "Why the store could not be asked: the others are as they were last known. null: it was asked."
  })
}).annotate({
  identifier: "NodeList",
  title: "Gateways on the store"
})
