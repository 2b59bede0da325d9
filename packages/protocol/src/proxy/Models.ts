/** The models a key may use. */
import { Schema } from "effect"

const open = <const Fields extends Schema.Struct.Fields>(fields: Fields) =>
  Schema.StructWithRest(Schema.Struct(fields), [Schema.Record(Schema.String, Schema.Json)])

const price = (what: string) =>
  Schema.NullOr(Schema.Finite).annotate({
    description: `${what}, USD per million tokens; null: not billed by the token.`
  })

export const Model = open({
  id: Schema.String.annotate({ description: "What to send as `model`.", examples: ["auto"] }),
  object: Schema.Literal("model"),
  created: Schema.Int.annotate({ description: "Seconds since 1970." }),
  owned_by: Schema.String,
  name: Schema.String,
  context_length: Schema.NullOr(Schema.Int).annotate({ description: "As `gateway.context_window`." }),
  architecture: open({
    input_modalities: Schema.Array(Schema.String).annotate({ examples: [["text", "image"]] }),
    output_modalities: Schema.Array(Schema.String).annotate({ examples: [["text"]] })
  }),
  pricing: Schema.NullOr(
    open({
      prompt: Schema.NullOr(Schema.String).annotate({
        description: "USD per token of input, as a decimal; null: not billed by the token.",
        examples: ["0.00000015"]
      }),
      completion: Schema.NullOr(Schema.String).annotate({ description: "USD per token of output, as a decimal." })
    })
  ).annotate({ description: "As `gateway.price`, in the words of other gateways." }),
  expiration_date: Schema.optionalKey(Schema.String).annotate({
    description: "The day on which its vendor shuts it down, where that is known; of a single deployment.",
    examples: ["2026-12-11"]
  }),
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
      open({
        input: price("Input"),
        cached_input: price("Input read from the provider's cache"),
        output: price("Output")
      })
    ).annotate({
      description:
        "That of the first deployment; null: unknown, or it depends. What is billed otherwise is named as in the configuration: `images`, `audio_seconds`, `characters`, `web_searches` …"
    }),
    reasoning: Schema.optionalKey(
      open({
        efforts: Schema.Array(Schema.String).annotate({ examples: [["low", "medium", "high"]] }),
        default: Schema.NullOr(Schema.String).annotate({
          description: "The effort where none is asked for; null: unknown."
        })
      })
    ).annotate({ description: "The efforts that the model takes, where they are known; of a single deployment." }),
    operations: Schema.Array(Schema.String).annotate({
      description: "What it can be asked for, by any of its deployments.",
      examples: [["chat", "responses", "messages"]]
    }),
    modalities: Schema.Array(Schema.String).annotate({ examples: [["text", "image"]] }),
    health: Schema.Literals(["ok", "unavailable"])
  }).annotate({ description: "What the gateway knows of it." })
}).annotate({ identifier: "Model", title: "Model" })

export const ModelList = open({
  object: Schema.Literal("list"),
  data: Schema.Array(Model).annotate({ description: "`auto` first, where it is configured." }),
  models: Schema.Array(Schema.Record(Schema.String, Schema.Json)).annotate({
    description: "Those that serve Responses, in the form in which Codex reads its catalogue."
  })
}).annotate({ identifier: "ModelList", title: "Models", description: "What the calling key may use." })
