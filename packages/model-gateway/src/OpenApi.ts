/** `model-gateway openapi`: the description of the whole HTTP API, for generating clients. */
import { Api } from "@model-gateway/protocol"
import { Console, Effect } from "effect"
import { Command } from "effect/cli"
import { OpenApi } from "effect/http-api"

export const openapi = Command.make(
  "openapi",
  {},
  Effect.fn("openapi")(function* () {
    yield* Console.log(JSON.stringify(OpenApi.fromApi(Api), null, 2))
  })
).pipe(
  Command.withDescription(
    "Print the OpenAPI description of the gateway's HTTP API, as JSON. A running gateway serves it at /openapi.json."
  ),
  Command.withShortDescription("Print the OpenAPI description of the HTTP API"),
  Command.withExamples([{ command: "model-gateway openapi > openapi.json" }])
)
