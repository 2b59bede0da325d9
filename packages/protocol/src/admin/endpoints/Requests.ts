/** `/admin/requests` and `/admin/route`: what became of requests, and what would. */
import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup, HttpApiSchema, OpenApi } from "effect/http-api"
import { ListReceiptsQuery, Receipt, ReceiptPage, WatchReceiptsQuery } from "../../Receipts.ts"
import { RequestContent } from "../../RequestContent.ts"
import { ExplainRoute, RouteExplanation } from "../Routing.ts"
import { administrative, pageLimit, reading } from "./Administrative.ts"

const conditionNumbers = {
  min_cost_usd: { type: "number", minimum: 0, description: "Only requests that cost at least this, USD." },
  min_duration_ms: { type: "integer", minimum: 0, description: "Only requests that took at least this, milliseconds." }
} as const

export const requests = HttpApiGroup.make("requests")
  .add(
    HttpApiEndpoint.get("listRequests", "/admin/requests", {
      query: ListReceiptsQuery,
      success: ReceiptPage
    }).annotateMerge(
      administrative({
        access: reading("requests.list"),
        numbers: {
          limit: pageLimit("Receipts"),
          ...conditionNumbers
        },
        summary: "List requests",
        description:
          "The receipts of requests that are over, those that ended last first, in pages. Requests that end meanwhile move nothing: every receipt is on one page."
      })
    ),
    HttpApiEndpoint.get("streamRequests", "/admin/requests/stream", {
      query: WatchReceiptsQuery,
      headers: {
        "last-event-id": Schema.optionalKey(
          Schema.String.annotate({
            description: "The id of the last receipt that was seen: the stream begins after it."
          })
        )
      },
      success: Schema.String.pipe(HttpApiSchema.asText({ contentType: "text/event-stream" }))
    }).annotateMerge(
      administrative({
        access: reading("requests.stream"),
        numbers: {
          ...conditionNumbers,
          max_per_second: {
            type: "integer",
            minimum: 1,
            maximum: 1000,
            description: "Receipts a second; of more the rest is counted as `dropped`. Default: all of them."
          }
        },
        summary: "Watch requests end",
        description:
          "Server-sent events. `receipt`: a receipt, whose id is the event's. `dropped`: `{count}` receipts that the reader was too slow for, or `null` where nobody knows how many were missed since `Last-Event-ID`. At most 20 streams at once; more get 503. It ends with the session."
      })
    ),
    HttpApiEndpoint.get("getRequest", "/admin/requests/:id", {
      params: {
        id: Schema.String.annotate({ description: "The id of the receipt, `rcpt_…`, or of the request, `req_…`." })
      },
      success: Receipt
    }).annotateMerge(
      administrative({
        access: reading("requests.read"),
        failures: [404],
        summary: "Inspect a request",
        description:
          "Its receipt: how it was routed, every attempt, what it cost. A request that still runs has none yet."
      })
    ),
    HttpApiEndpoint.get("getRequestContent", "/admin/requests/:id/content", {
      params: {
        id: Schema.String.annotate({ description: "The id of the receipt, `rcpt_…`, or of the request, `req_…`." })
      },
      success: RequestContent
    }).annotateMerge(
      administrative({
        access: { action: "requests.read_content", effect: "read", admin: "all", team_admin: "team" },
        failures: [404],
        summary: "Read the content of a request",
        description:
          "Its prompt and response, redacted, if the operator logs content into files. Each read is an entry of the audit log."
      })
    )
  )
  .annotateMerge(OpenApi.annotations({ title: "Requests", description: "What happened to each request." }))

export const routing = HttpApiGroup.make("routing")
  .add(
    HttpApiEndpoint.post("explainRoute", "/admin/route/explain", {
      payload: ExplainRoute,
      success: RouteExplanation
    }).annotateMerge(
      administrative({
        access: reading("route.explain"),
        failures: [404, 413, 415],
        summary: "Explain a decision",
        description:
          "What would be done with this request, and why: score, bucket, cut points, what weighed most, and what becomes of every deployment. Send a chat body as it is, or wrapped as `request` beside the endpoint, the key and the hints. No provider is called, nothing is booked or remembered."
      })
    )
  )
  .annotateMerge(OpenApi.annotations({ title: "Routing", description: "How `auto` decides." }))
