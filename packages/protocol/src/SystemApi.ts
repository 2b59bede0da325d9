/** The endpoints for machines that run or read the gateway. They need no credential, unless the configuration says so. */
import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup, HttpApiSchema, OpenApi } from "effect/http-api"
import { documented } from "./Documented.ts"
import { InvalidParameters } from "./Security.ts"

const Status = Schema.Struct({ status: Schema.Literals(["ok", "ready"]) }).annotate({
  identifier: "Status",
  title: "Status"
})

export const system = HttpApiGroup.make("system")
  .add(
    HttpApiEndpoint.get("getHealth", "/healthz", { success: Status }).annotateMerge(
      documented({ failures: [], summary: "Whether the process lives", description: "It asks nothing and nobody." })
    ),
    HttpApiEndpoint.get("getReadiness", "/readyz", {
      query: {
        exclude: Schema.optionalKey(Schema.Literals(["store"]).annotate({ description: "A check that is ignored." }))
      },
      success: Status
    }).annotateMerge(
      documented({
        failures: [400, 503],
        summary: "Whether it takes new work",
        description:
          "503 as soon as a shutdown begins, and while the store refuses writes. `failing` beside `error` names each failing check (`draining`, `store`), since when, and for the store the `reason`. `exclude=store` ignores the store: use it for a load balancer that should pass on the gateway's own 503 `store_unavailable`. No model is called."
      })
    ),
    HttpApiEndpoint.get("getMetrics", "/metrics", {
      success: Schema.String.pipe(HttpApiSchema.asText({ contentType: "text/plain" }))
    }).annotateMerge(
      documented({
        failures: [401, 403, 404],
        summary: "Metrics",
        description:
          "Prometheus' text format 0.0.4. Open to everybody who can reach the port, unless `server.metrics` is `master_key` or `off` (404)."
      })
    ),
    HttpApiEndpoint.get("getOpenApi", "/openapi.json", { success: Schema.JsonObject }).annotateMerge(
      documented({ failures: [], summary: "This description", description: "OpenAPI 3.1, for generating clients." })
    )
  )
  .middleware(InvalidParameters)
  .annotateMerge(OpenApi.annotations({ title: "System", description: "For load balancers and tools." }))
