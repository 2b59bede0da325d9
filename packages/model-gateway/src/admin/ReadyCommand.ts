/** `model-gateway ready`: requests `/readyz` of the gateway in a configuration file. For health checks of containers. */
import * as NodeHttpClient from "@effect/platform-node/NodeHttpClient"
import { Console, Effect } from "effect"
import { Command } from "effect/cli"
import { HttpClient } from "effect/http"
import { CommandFailed } from "../Failure.ts"
import { printable } from "../output/TextOutput.ts"
import { accessFlags, findAddress } from "./AccessCommand.ts"

/** A health check that takes longer has failed. */
const TIME_LIMIT = "5 seconds"

const nothing = (url: string, { _tag }: { readonly _tag: string }) =>
  new CommandFailed({
    message:
      _tag === "TimeoutError" ? `${url}/readyz: no response within ${TIME_LIMIT}` : `${url}/readyz: no connection`
  })

export const ready = Command.make(
  "ready",
  accessFlags,
  Effect.fn("ready")(function* (flags) {
    const url = yield* findAddress(flags)
    const client = yield* HttpClient.HttpClient
    const { body, status } = yield* client.get(`${url}/readyz`).pipe(
      Effect.flatMap((response) => Effect.map(response.text, (body) => ({ body, status: response.status }))),
      Effect.timeout(TIME_LIMIT),
      Effect.mapError((error) => nothing(url, error))
    )
    if (status === 200) return yield* Console.log("ready")
    return yield* new CommandFailed({ message: `not ready (HTTP ${status}): ${printable(body).slice(0, 500)}` })
  }, Effect.provide(NodeHttpClient.layerUndici))
).pipe(
  Command.withDescription(
    "Check whether the gateway accepts new requests (/readyz). The address comes from --url, the environment or the configuration file. Exit code 0: ready. It needs no key."
  ),
  Command.withShortDescription("Check whether the gateway accepts new requests"),
  Command.withExamples([{ command: "model-gateway ready --config /etc/model-gateway/gateway.yaml" }])
)
