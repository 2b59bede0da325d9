/** What `auto` would do with a request, and why. */
import { Schema } from "effect"
import { RouteFate, RouteFeature, ShadowDecision } from "../Receipts.ts"
import { Timestamp, Usd } from "../Values.ts"

/** What a caller may prefer, in `X-Gateway-Route-Prefer`. */
export const routePreferences = ["cost", "quality"] as const

export const explainedEndpoints = [
  "/v1/chat/completions",
  "/v1/messages",
  "/v1/responses",
  "/v1/completions",
  "/v1/embeddings"
] as const

const openObject = Schema.Record(Schema.String, Schema.Unknown)

export const RouteQuestion = Schema.Struct({
  request: openObject.annotate({
    description: "The body as it would be sent to the endpoint. Without `model` it asks for `auto`."
  }),
  endpoint: Schema.optionalKey(
    Schema.Literals(explainedEndpoints).annotate({ description: "Default: `/v1/chat/completions`." })
  ),
  key: Schema.optionalKey(
    Schema.String.annotate({
      description: "The id of the virtual key whose rights apply. Default: every deployment is allowed.",
      examples: ["key_abcdefghijkl"]
    })
  ),
  prefer: Schema.optionalKey(
    Schema.Literals(routePreferences).annotate({ description: "As `X-Gateway-Route-Prefer`." })
  ),
  session_id: Schema.optionalKey(Schema.String.annotate({ description: "As `X-Gateway-Session-Id`; with `key`." }))
}).annotate({
  identifier: "RouteQuestion",
  title: "A request, and who sends it how",
  examples: [
    { request: { model: "auto", messages: [{ role: "user", content: "Prove that 2 is prime" }] }, prefer: "cost" }
  ]
})
export type RouteQuestion = typeof RouteQuestion.Type

export const ExplainRoute = Schema.Union([
  RouteQuestion,
  openObject.annotate({ title: "A chat request", description: "The body of a chat request as it is." })
])
export type ExplainRoute = typeof ExplainRoute.Type

export const RouteCandidate = Schema.Struct({
  deployment: Schema.String,
  provider: Schema.String,
  model: Schema.String,
  bucket: Schema.NullOr(Schema.String).annotate({
    description: "null: no bucket was asked for. A deployment in several buckets is listed in each."
  }),
  fate: RouteFate.annotate({
    description:
      "`chosen`: it is tried first. `spare`: it is tried when those before it failed. `unhealthy`: it is tried last, since its circuit is open, it is full or it asked for a pause. `filtered`: it can't serve this request. `lower_bucket`: it is in a bucket below the prompt's, which is never used. `not_needed`: it could, and is not tried."
  }),
  place: Schema.NullOr(Schema.Int).annotate({
    description: "Its place among those that are tried, from 1; null: it is not."
  }),
  why: Schema.NullOr(Schema.String).annotate({ description: "Why it is filtered." }),
  expected_cost_usd: Schema.NullOr(Usd).annotate({ description: "null: nobody knows its price." })
}).annotate({ identifier: "RouteCandidate", title: "Candidate", description: "A deployment, and what becomes of it." })
export type RouteCandidate = typeof RouteCandidate.Type

export const RouterModel = Schema.Struct({
  name: Schema.String,
  date: Schema.String.annotate({ description: "Of its training, `YYYY-MM-DD`." }),
  file: Schema.NullOr(Schema.String).annotate({ description: "null: the model that ships." }),
  loaded_at: Timestamp,
  refused: Schema.NullOr(Schema.Struct({ at: Timestamp, message: Schema.String })).annotate({
    description: "The file holds something else by now that can't be used; the model before it goes on."
  })
}).annotate({ identifier: "RouterModel", title: "The model that scores prompts" })

export const RouteExplanation = Schema.Struct({
  object: Schema.Literal("route.explanation"),
  endpoint: Schema.String,
  requested_model: Schema.String,
  bucket: Schema.String.annotate({ description: "The prompt's, by its score; `none` for embeddings." }),
  score: Schema.Finite.annotate({
    description:
      "The prompt's rank in the reference mix, 0 to 1: 0.7 means that 30 % of the mix needs a strong model more."
  }),
  cut_points: Schema.Array(Schema.Finite).annotate({
    description: "Where each bucket ends and the next begins, as `prefer` moved them."
  }),
  prefer: Schema.NullOr(Schema.Literals(routePreferences)),
  features: Schema.Array(RouteFeature).annotate({ description: "What weighed most, strongest first." }),
  decision: Schema.NullOr(
    Schema.Struct({
      provider: Schema.String,
      model: Schema.String,
      deployment: Schema.String,
      bucket: Schema.String.annotate({ description: "`none` where the caller names the model." }),
      score: Schema.Finite.annotate({ description: "0 when no score decides." }),
      reasons: Schema.Array(Schema.String)
    })
  ).annotate({ description: "What would be done now; null: the request would be refused." }),
  refusal: Schema.NullOr(
    Schema.Struct({ status: Schema.Int, type: Schema.String, code: Schema.String, message: Schema.String })
  ).annotate({ description: "The error that the caller would get." }),
  candidates: Schema.Array(RouteCandidate).annotate({ description: "By bucket, lowest first." }),
  expected_cost: Schema.Struct({
    usd: Schema.NullOr(Usd).annotate({ description: "At the deployment that is tried first; null: nobody knows." }),
    input_tokens: Schema.Int,
    output_tokens: Schema.Int,
    assumption: Schema.String
  }),
  shadow: Schema.NullOr(ShadowDecision),
  model: RouterModel
}).annotate({
  identifier: "RouteExplanation",
  title: "Explanation",
  description: "What would be done with a request, and why. Nobody is called, nothing is booked, nothing is remembered."
})
export type RouteExplanation = typeof RouteExplanation.Type
