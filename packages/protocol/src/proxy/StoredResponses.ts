/** Stored responses: what `previous_response_id` goes on from. */
import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup, HttpApiSchema, OpenApi } from "effect/http-api"
import { GatewayInfo } from "./Chat.ts"
import { open, optional } from "../Open.ts"
import { callFailures, documented } from "../Documented.ts"
import { numericHeaders, RequestHeaders, RoutingHeaders } from "./Headers.ts"
import { Response, ResponseRequest } from "./Responses.ts"

const id = { id: Schema.String.annotate({ description: "The id of a response of the calling key." }) }

const include = Schema.optionalKey(
  Schema.String.annotate({ description: "The vendor's names of further fields. All that was stored is there anyway." })
)

const ItemList = Schema.Struct({
  object: Schema.Literal("list"),
  data: Schema.Array(Schema.JsonObject),
  first_id: Schema.String,
  last_id: Schema.String,
  has_more: Schema.Boolean
}).annotate({ identifier: "ResponseItemList", title: "Page of items" })

const DeletedResponse = Schema.Struct({
  id: Schema.String,
  object: Schema.Literal("response"),
  deleted: Schema.Literal(true)
}).annotate({ identifier: "DeletedResponse", title: "Deleted response" })

const CompactionRequest = open({
  model: optional(Schema.String).annotate({ description: "As for responses.", examples: ["auto"] }),
  input: optional(Schema.Union([Schema.String, Schema.Array(Schema.JsonObject)])),
  previous_response_id: optional(Schema.String),
  instructions: optional(Schema.String)
}).annotate({
  identifier: "CompactionRequest",
  title: "Compaction request",
  examples: [{ model: "auto", previous_response_id: "resp_gw0123456789abcdef0123456789abcdef" }]
})

const Compaction = open({
  id: Schema.String,
  object: Schema.Literal("response.compaction"),
  created_at: Schema.Int.annotate({ description: "Seconds since 1970." }),
  output: Schema.Array(Schema.JsonObject).annotate({
    description: "The next `input` begins with these: the user's newest messages, and one `compaction` item."
  }),
  usage: Schema.JsonObject,
  gateway: Schema.optionalKey(GatewayInfo)
}).annotate({ identifier: "Compaction", title: "Compacted conversation" })

const InputTokens = open({
  object: Schema.Literal("response.input_tokens"),
  input_tokens: Schema.Int,
  gateway: Schema.optionalKey(GatewayInfo)
}).annotate({ identifier: "ResponseInputTokens", title: "Count of input tokens" })

const Events = Schema.String.pipe(HttpApiSchema.asText({ contentType: "text/event-stream" })).annotate({
  description: "With `stream=true`: the events of the response, each text in one piece and numbered anew."
})

const found = [401, 403, 404, 429, 500, 503] as const

export const storedResponses = HttpApiGroup.make("storedResponses")
  .add(
    HttpApiEndpoint.get("getResponse", "/v1/responses/:id", {
      params: id,
      query: {
        stream: Schema.optionalKey(
          Schema.Literals(["true", "false"]).annotate({ description: "Answer with server-sent events." })
        ),
        starting_after: Schema.optionalKey(
          Schema.String.annotate({
            description:
              "With `stream`: only events after this number. The last one is always sent, as it holds everything."
          })
        ),
        include
      },
      success: [Response, Events]
    }).annotateMerge(
      documented({
        failures: [400, ...found],
        numbers: { starting_after: { type: "integer", minimum: 0, description: "Only events after this number." } },
        summary: "Read a stored response",
        description:
          "As it was answered, with its cost. A response that is unknown, deleted or expired, or that another key got, is not found."
      })
    ),
    HttpApiEndpoint.delete("deleteResponse", "/v1/responses/:id", {
      params: id,
      success: DeletedResponse
    }).annotateMerge(
      documented({
        failures: found,
        summary: "Delete a stored response",
        description: "With the items of its request. Responses that continued it can't be continued any more."
      })
    ),
    HttpApiEndpoint.get("listInputItems", "/v1/responses/:id/input_items", {
      params: id,
      query: {
        limit: Schema.optionalKey(Schema.String.annotate({ description: "1 to 100; 20 where it is left out." })),
        order: Schema.optionalKey(
          Schema.Literals(["asc", "desc"]).annotate({ description: "`desc`, the newest first, where it is left out." })
        ),
        after: Schema.optionalKey(Schema.String.annotate({ description: "The last item of the page before." })),
        include
      },
      success: ItemList
    }).annotateMerge(
      documented({
        failures: [400, ...found],
        numbers: { limit: { type: "integer", minimum: 1, maximum: 100, description: "20 where it is left out." } },
        summary: "List what the model was given",
        description: "The items of the conversation before this response, and those of its own request."
      })
    ),
    HttpApiEndpoint.post("compactResponse", "/v1/responses/compact", {
      headers: RequestHeaders,
      payload: CompactionRequest,
      success: HttpApiSchema.WithHeaders(Compaction, RoutingHeaders)
    }).annotateMerge(
      documented({
        failures: callFailures,
        numbers: numericHeaders,
        summary: "Make a conversation shorter",
        description:
          "A call of the model, which writes a summary. Every model goes on from it, whichever wrote it: the gateway puts its words in place of the `compaction` item, whose content is encoded and not secret. Where the model writes nothing, the conversation stays as it was."
      })
    ),
    HttpApiEndpoint.post("countInputTokens", "/v1/responses/input_tokens", {
      headers: RequestHeaders,
      payload: ResponseRequest,
      success: HttpApiSchema.WithHeaders(InputTokens, RoutingHeaders)
    }).annotateMerge(
      documented({
        failures: callFailures,
        numbers: numericHeaders,
        summary: "Count the input tokens of a response",
        description:
          "Counted by the gateway for the model's tokenizer, with the conversation that `previous_response_id` names. It is free, and counts as a request only."
      })
    )
  )
  .annotateMerge(
    OpenApi.annotations({ title: "Stored responses", description: "What `previous_response_id` goes on from." })
  )
