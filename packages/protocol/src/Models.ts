/** The models a key may use. */
import { Schema } from "effect"
import { Price } from "./Deployments.ts"

const open = <const Fields extends Schema.Struct.Fields>(fields: Fields) =>
  Schema.StructWithRest(Schema.Struct(fields), [Schema.Record(Schema.String, Schema.Json)])

export const Model = open({
  id: Schema.String.annotate({ description: "What to send as `model`.", examples: ["auto"] }),
  object: Schema.Literal("model"),
  created: Schema.Int.annotate({ description: "Seconds since 1970." }),
  owned_by: Schema.String,
  gateway: open({
    kind: Schema.Literals(["auto", "alias", "deployment"]),
    deployments: Schema.Array(Schema.String).annotate({ description: "The ids of those that serve it, in order." }),
    bucket: Schema.NullOr(Schema.String),
    context_window: Schema.NullOr(Schema.Int).annotate({ description: "Tokens of input and output together." }),
    price: Schema.NullOr(Price)
  }).annotate({ description: "What the gateway knows of it." })
}).annotate({ identifier: "Model", title: "Model" })

export const ModelList = open({
  object: Schema.Literal("list"),
  data: Schema.Array(Model)
}).annotate({ identifier: "ModelList", title: "Models" })
