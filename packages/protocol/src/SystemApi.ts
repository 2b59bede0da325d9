/** The endpoints for machines that run or read the gateway. They need no credential. */
import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup, OpenApi } from "effect/http-api"
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
        description: "503 from the moment it begins to shut down. No model is called for this."
      })
    ),
    HttpApiEndpoint.get("getOpenApi", "/openapi.json", { success: Schema.JsonObject }).annotateMerge(
      documented({ failures: [], summary: "This description", description: "OpenAPI 3.1, for generating clients." })
    )
  )
  .annotateMerge(OpenApi.annotations({ title: "System", description: "For load balancers and tools." }))
