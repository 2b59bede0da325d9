/**
 * The whole HTTP API in one description: clients, the OpenAPI document and the router of the gateway are made from it.
 *
 * `ServedApi` is the part whose handlers are made from this description, `Api` is all of it: `/v1` is described here and served
 * by hand, for speed.
 */
import { HttpApi, OpenApi } from "effect/http-api"
import { AdminApi } from "./admin/AdminApi.ts"
import { ChatCompletionChunk } from "./proxy/Chat.ts"
import { markedForClients } from "./ClientOperations.ts"
import { ErrorBody } from "./Errors.ts"
import { ProxyApi } from "./proxy/ProxyApi.ts"
import { openAnswers } from "./OpenAnswers.ts"
import { system } from "./SystemApi.ts"

export const ServedApi = AdminApi.add(system)

export const Api = HttpApi.make("model-gateway")
  .addHttpApi(ProxyApi)
  .addHttpApi(ServedApi)
  .annotate(HttpApi.AdditionalSchemas, [ErrorBody, ChatCompletionChunk])
  .annotateMerge(
    OpenApi.annotations({
      title: "Model Gateway",
      version: "0.1.0",
      summary: "An HTTP gateway in front of model providers.",
      description:
        "Callers use the vendor-defined API under `/v1` with a virtual key; administrators manage keys, teams, deployments, spend and requests under `/admin` with the master key. Money is USD, times are RFC 3339 in UTC, and every error has the same body.",
      license: { name: "Apache-2.0", url: "https://www.apache.org/licenses/LICENSE-2.0" },
      transform: (document) => markedForClients(openAnswers(document))
    })
  )

/** The OpenAPI document as it is published: the same text for the same description. */
export const openApiJson = (): string => `${JSON.stringify(OpenApi.fromApi(Api), null, 2)}\n`
