/** `/admin/deployments`. */
import { HttpApiEndpoint, HttpApiGroup, OpenApi } from "effect/http-api"
import { DeploymentList, DeploymentSelection } from "../Deployments.ts"
import { administrative, operating, readingOperations } from "./Administrative.ts"

export const deployments = HttpApiGroup.make("deployments")
  .add(
    HttpApiEndpoint.get("listDeployments", "/admin/deployments", {
      success: DeploymentList
    }).annotateMerge(
      administrative({
        access: readingOperations("deployments.list"),
        summary: "List configured deployments",
        description: "With their health, as the traffic of the last 30 seconds shows it. No model is called for this."
      })
    ),
    HttpApiEndpoint.post("disableDeployments", "/admin/deployments/disable", {
      payload: DeploymentSelection,
      success: DeploymentList
    }).annotateMerge(
      administrative({
        access: operating("deployments.disable"),
        failures: [404, 413, 415],
        summary: "Take deployments out of rotation",
        description:
          "Lasts over restarts. Requests in flight finish. Repeating it is harmless; an unknown id changes nothing at all."
      })
    ),
    HttpApiEndpoint.post("enableDeployments", "/admin/deployments/enable", {
      payload: DeploymentSelection,
      success: DeploymentList
    }).annotateMerge(
      administrative({
        access: operating("deployments.enable"),
        failures: [404, 413, 415],
        summary: "Put deployments back in rotation",
        description: "Lasts over restarts. Repeating it is harmless; an unknown id changes nothing at all."
      })
    ),
    HttpApiEndpoint.post("resetDeployments", "/admin/deployments/reset", {
      payload: DeploymentSelection,
      success: DeploymentList
    }).annotateMerge(
      administrative({
        access: operating("deployments.reset"),
        failures: [404, 413, 415],
        summary: "Close the circuits of deployments",
        description:
          "They are called again at once, as if they had never failed. A circuit that has reason to opens anew. An unknown id changes nothing at all."
      })
    )
  )
  .annotateMerge(
    OpenApi.annotations({ title: "Deployments", description: "What may be called: one model at one provider each." })
  )
