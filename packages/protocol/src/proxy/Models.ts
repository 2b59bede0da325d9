/** The models a key may use. */
import { Schema } from "effect"

const open = <const Fields extends Schema.Struct.Fields>(fields: Fields) =>
  Schema.StructWithRest(Schema.Struct(fields), [Schema.Record(Schema.String, Schema.Json)])

const price = (what: string) => Schema.Finite.annotate({ description: `${what}, USD per million tokens.` })

export const Model = open({
  id: Schema.String.annotate({ description: "What to send as `model`.", examples: ["auto"] }),
  object: Schema.Literal("model"),
  created: Schema.Int.annotate({ description: "Seconds since 1970." }),
  owned_by: Schema.String,
  supported_parameters: Schema.Array(Schema.String).annotate({
    description:
      "What a request may ask for. Tools and schemas choose between the deployments that serve it; a `reasoning_effort` does not, and is left out for one that does not reason.",
    examples: [["tools", "tool_choice", "response_format", "structured_outputs", "reasoning_effort"]]
  }),
  gateway: open({
    kind: Schema.Literals(["auto", "alias", "deployment"]),
    bucket: Schema.NullOr(Schema.String).annotate({ description: "The bucket of `auto` that it serves." }),
    deployments: Schema.Array(Schema.String).annotate({ description: "The ids of those that serve it, in order." }),
    context_window: Schema.NullOr(Schema.Int).annotate({
      description: "Tokens of input and output together, at most."
    }),
    max_output_tokens: Schema.NullOr(Schema.Int).annotate({ description: "Tokens of one answer, at most." }),
    price: Schema.NullOr(
      Schema.Struct({
        input: price("Input"),
        cached_input: price("Input read from the provider's cache"),
        output: price("Output")
      })
    ).annotate({ description: "That of the first deployment; null: unknown, or it depends." }),
    modalities: Schema.Array(Schema.String).annotate({ examples: [["text", "image"]] }),
    health: Schema.Literals(["ok", "unavailable"])
  }).annotate({ description: "What the gateway knows of it." })
}).annotate({ identifier: "Model", title: "Model" })

export const ModelList = open({
  object: Schema.Literal("list"),
  data: Schema.Array(Model).annotate({ description: "`auto` first, where it is configured." })
}).annotate({ identifier: "ModelList", title: "Models", description: "What the calling key may use." })
