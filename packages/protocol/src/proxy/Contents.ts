/** Google's `generateContent`, as far as the gateway itself reads or adds to it. The rest passes through. */
import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup, HttpApiSchema, OpenApi } from "effect/http-api"
import { open, optional } from "../Open.ts"
import { callFailures, documented, googleError } from "../Documented.ts"
import { GatewayInfo } from "./Chat.ts"
import { numericHeaders, RequestHeaders, RoutingHeaders } from "./Headers.ts"
import { TokensCount } from "./Messages.ts"

const Content = open({
  role: Schema.optionalKey(Schema.String.annotate({ description: "`user` or `model`." })),
  parts: Schema.Array(Schema.JsonObject).annotate({ description: "Texts, media, calls and their results." })
}).annotate({ identifier: "Content" })

const GenerateContentRequest = open({
  contents: Schema.Array(Content),
  systemInstruction: optional(Content),
  tools: optional(Schema.Array(Schema.JsonObject)),
  toolConfig: optional(Schema.JsonObject),
  generationConfig: optional(Schema.JsonObject)
}).annotate({
  identifier: "GenerateContentRequest",
  title: "Request for contents",
  description: "A request of Google's API. Names in snake case are read as well.",
  examples: [{ contents: [{ role: "user", parts: [{ text: "Say hello." }] }] }]
})

const GenerateContentResponse = open({
  candidates: Schema.Array(Schema.JsonObject),
  usageMetadata: Schema.optionalKey(Schema.JsonObject),
  modelVersion: Schema.optionalKey(Schema.String),
  responseId: Schema.optionalKey(Schema.String),
  gateway: Schema.optionalKey(GatewayInfo)
}).annotate({ identifier: "GenerateContentResponse", title: "Contents" })

const ContentEvents = Schema.String.pipe(HttpApiSchema.asText({ contentType: "text/event-stream" })).annotate({
  description:
    'With `alt=sse`: one `data: <GenerateContentResponse>` per event and no end mark; the last one has `gateway`. A stream that broke off ends with one `data: {"error": …}`.'
})

const common = {
  params: { model: Schema.String.annotate({ description: "As `model` elsewhere; a slash in it may stay as it is." }) },
  headers: RequestHeaders,
  payload: GenerateContentRequest
}
const usual = { failures: callFailures, error: googleError, numbers: numericHeaders }

export const contents = HttpApiGroup.make("contents")
  .add(
    HttpApiEndpoint.post("generateContent", "/v1/models/:model:generateContent", {
      ...common,
      success: HttpApiSchema.WithHeaders(GenerateContentResponse, RoutingHeaders)
    }).annotateMerge(
      documented({
        ...usual,
        summary: "Generate contents",
        description:
          "Google's API, on every deployment that can chat. `/v1beta/models/…`, the path of Google's clients, and `/v1beta1/publishers/google/models/…` are the same endpoint. Responses of Google's models come back as they are; for other models requests and responses are translated."
      })
    ),
    HttpApiEndpoint.post("streamGenerateContent", "/v1/models/:model:streamGenerateContent", {
      ...common,
      query: { alt: Schema.optionalKey(Schema.String.annotate({ description: "`sse`: server-sent events." })) },
      success: [
        HttpApiSchema.WithHeaders(
          Schema.Array(GenerateContentResponse).annotate({ description: "Without `alt=sse`: a list, item by item." }),
          RoutingHeaders
        ),
        ContentEvents
      ]
    }).annotateMerge(
      documented({
        ...usual,
        summary: "Generate contents as a stream",
        description: "A list that broke off ends with an item `error`, and without its closing bracket."
      })
    ),
    HttpApiEndpoint.post("countContentTokens", "/v1/models/:model:countTokens", {
      ...common,
      success: HttpApiSchema.WithHeaders(
        open({ totalTokens: Schema.Int, gateway: TokensCount.schema.fields.gateway }).annotate({
          identifier: "ContentTokensCount"
        }),
        RoutingHeaders
      )
    }).annotateMerge(
      documented({
        ...usual,
        summary: "Count the tokens of contents",
        description:
          "Free. Google counts for its own models; for others the gateway counts, and says so with `gateway.estimated`. `generateContentRequest` may hold the request."
      })
    )
  )
  .annotateMerge(OpenApi.annotations({ title: "Contents", description: "Google's generateContent." }))
