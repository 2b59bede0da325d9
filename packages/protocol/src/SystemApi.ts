/** The endpoints for machines that run or read the gateway. They need no credential, unless the configuration says so. */
import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup, HttpApiSchema, OpenApi } from "effect/http-api"
import { documented } from "./Documented.ts"

const Status = Schema.Struct({ status: Schema.Literals(["ok", "ready"]) }).annotate({
  identifier: "Status",
  title: "Status"
})

export const system = HttpApiGroup.make("system")
  .add(
    HttpApiEndpoint.get("getHealth", "/healthz", { success: Status }).annotateMerge(
      documented({ failures: [], summary: "Whether the process lives", description: "It asks nothing and nobody." })
    ),
    HttpApiEndpoint.get("getReadiness", "/readyz", { success: Status }).annotateMerge(
      documented({
        failures: [503],
        summary: "Whether it takes new work",
        description:
          "503 from the moment it begins to shut down, and while its store refuses writes; `failing` beside `error` then names each check that fails (`draining`, `store`), since when, and of the store the `reason`. No model is called for this."
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
  .annotateMerge(OpenApi.annotations({ title: "System", description: "For load balancers and tools." }))
