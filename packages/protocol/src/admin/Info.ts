/** What a gateway is. */
import { Schema } from "effect"
import { Timestamp } from "../Values.ts"

export const Info = Schema.Struct({
  object: Schema.Literal("info"),
  version: Schema.String,
  node: Schema.String.annotate({ description: "The runtime.", examples: ["24.21.0"] }),
  started_at: Timestamp,
  uptime_seconds: Schema.Int,
  store: Schema.NullOr(
    Schema.Struct({
      path: Schema.NullOr(Schema.String).annotate({ description: "null: in memory." }),
      bytes: Schema.Int,
      schema: Schema.Int.annotate({ description: "The number of the last change of its tables." })
    })
  ).annotate({ description: "null: only global roles see it." }),
  receipts_keep_seconds: Schema.Int.annotate({ description: "How long receipts are kept; 0: none are." }),
  price_list: Schema.NullOr(Schema.Struct({ source: Schema.String, version: Schema.String })).annotate({
    description: "Where prices come from that the configuration does not give; null: it gives them all."
  }),
  demo: Schema.Boolean.annotate({ description: "Every provider is the demo's." }),
  keys: Schema.NullOr(Schema.Int).annotate({
    description: "Virtual keys that are not revoked; null: only global roles see it."
  }),
  alerts: Schema.Int.annotate({ description: "Alerts that are configured." })
}).annotate({ identifier: "Info", title: "About the gateway" })
export type Info = typeof Info.Type
