/**
 * The HTTP client of the admin commands: it knows one gateway, adds the master key, and turns whatever is no response of a gateway
 * into a sentence.
 */
import { Effect, flow, Schema } from "effect"
import { HttpClient, type HttpClientError, HttpClientRequest, HttpClientResponse } from "effect/http"
import { CommandFailed } from "../Failure.ts"
import { printable } from "../output/TextOutput.ts"
import type { Access } from "./AccessCommand.ts"

/** Admin calls are look-ups: what takes longer is stuck. */
const PATIENCE = "30 seconds"

export const adminHttp = Effect.fnUntraced(function* (
  access: Access
): Effect.fn.Return<HttpClient.HttpClient.With<CommandFailed>, never, HttpClient.HttpClient> {
  const client = yield* HttpClient.HttpClient
  return client.pipe(
    HttpClient.mapRequest(
      flow(
        HttpClientRequest.prependUrl(access.url),
        HttpClientRequest.bearerToken(access.key),
        HttpClientRequest.acceptJson
      )
    ),
    HttpClient.transformResponse((answer) =>
      answer.pipe(
        Effect.mapError((error) => silence(access, error)),
        Effect.timeoutOrElse({
          duration: PATIENCE,
          orElse: () => Effect.fail(failed(`${access.url} did not respond within ${PATIENCE}: try again later`))
        }),
        Effect.filterOrElse(
          (response) => response.status < 300,
          (response) => refusal(access, response)
        )
      )
    )
  )
})

/** The server at the address is no gateway, or one whose responses this program can't read. */
export const unreadable = (access: Access): CommandFailed =>
  failed(`${access.url} responds, but not as this version of model-gateway expects. Check the address.`)

const failed = (message: string) => new CommandFailed({ message })

const silence = (access: Access, error: HttpClientError.HttpClientError): CommandFailed => {
  const why = systemCode(error)
  // A server that is simply not there needs no further words.
  const detail = why === undefined || why === "ECONNREFUSED" ? "" : ` (${why})`
  return failed(`nothing responds at ${access.url}${detail}: is the gateway running? (model-gateway serve)`)
}

/** `ENOTFOUND`, `CERT_HAS_EXPIRED`: somewhere down the chain of causes. */
const systemCode = (error: unknown, depth = 0): string | undefined => {
  if (!(error instanceof Error) || depth > 5) return undefined
  const code = "code" in error && typeof error.code === "string" ? error.code : undefined
  return code ?? systemCode(error.cause, depth + 1)
}

const ErrorMessage = Schema.Struct({ error: Schema.Struct({ message: Schema.String }) })

const refusal = (access: Access, response: HttpClientResponse.HttpClientResponse) =>
  HttpClientResponse.schemaBodyJson(ErrorMessage)(response).pipe(
    Effect.mapError(() => unreadable(access)),
    Effect.flatMap(({ error }) => {
      // What is wrong with a configuration has a line for each mistake.
      const said = error.message.split("\n").map(printable).join("\n")
      const message = inWords(access, response.status, said)
      return Effect.fail(new CommandFailed({ message, status: response.status }))
    })
  )

const inWords = (access: Access, status: number, message: string): string => {
  switch (status) {
    case 401:
      return `${access.url} does not know the credential, which was taken from ${access.keyFrom}: ${message}`
    case 403:
      return `${access.url} refuses this to the credential that was taken from ${access.keyFrom}: ${message}`
    default:
      return message
  }
}
