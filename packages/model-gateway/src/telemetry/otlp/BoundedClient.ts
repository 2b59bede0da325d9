/** An HTTP client whose calls all end in time, for the exporters: Effect's wait for a collector as long as it likes. */
import { Effect } from "effect"
import { HttpClient, HttpClientError } from "effect/http"

/** `timeoutMs`: for the complete response. */
export const boundedClient = (timeoutMs: number): Effect.Effect<HttpClient.HttpClient, never, HttpClient.HttpClient> =>
  Effect.map(HttpClient.HttpClient, (client) =>
    HttpClient.transform(client, (response, request) =>
      Effect.timeoutOrElse(
        Effect.tap(response, ({ arrayBuffer }) => Effect.ignore(arrayBuffer)),
        {
          duration: timeoutMs,
          orElse: () =>
            Effect.fail(
              new HttpClientError.HttpClientError({
                reason: new HttpClientError.TransportError({ request, description: "no response in time" })
              })
            )
        }
      )
    )
  )
