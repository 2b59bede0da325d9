/** Effect's HTTP client, as one that knows the gateway: its address, its keys, its errors, and what may be asked again. */
import { Effect, flow, type Redacted, Stream } from "effect"
import {
  FetchHttpClient,
  HttpClient,
  type HttpClientError,
  HttpClientRequest,
  type HttpClientResponse
} from "effect/http"
import type { Connection } from "../connection/Connection.ts"
import { beginningOf, MOST_OF_ERROR, textOf } from "../connection/Body.ts"
import { errorOfAnswer } from "../connection/ErrorAnswer.ts"
import { isRefusal, pauseBefore, REFUSED } from "../connection/Retry.ts"
import * as Plain from "../Errors.ts"
import { type Settings, noKey } from "../Settings.ts"
import { failureOf, type GatewayFailure } from "./Errors.ts"

export interface Keys {
  readonly apiKey?: Redacted.Redacted<string> | undefined
  readonly masterKey?: Redacted.Redacted<string> | undefined
}

/** `connection`: what takes the keys out of words. */
export const gatewayHttp = (
  client: HttpClient.HttpClient,
  settings: Settings,
  keys: Keys,
  connection: Connection
): HttpClient.HttpClient.With<GatewayFailure | HttpClientError.HttpClientError> => {
  const attempt = (
    once: Effect.Effect<HttpClientResponse.HttpClientResponse, HttpClientError.HttpClientError>,
    request: HttpClientRequest.HttpClientRequest
  ) => {
    const asked = once.pipe(
      // Whoever followed a redirect would take the key and the prompt along.
      Effect.provideService(FetchHttpClient.RequestInit, { redirect: "manual" }),
      Effect.mapError((error) => connectionError(connection, error)),
      Effect.flatMap((response) => refused(connection, response)),
      inTime(settings.timeout)
    )
    const again = (failures: number): typeof asked =>
      asked.pipe(
        Effect.catch((error) => {
          const isWorthIt = failures < settings.maxRetries
          const pause = isWorthIt ? pauseBefore(error, failures, request.method === "GET") : undefined
          return pause === undefined ? Effect.fail(error) : Effect.andThen(Effect.sleep(pause), again(failures + 1))
        })
      )
    return again(0)
  }
  return client.pipe(
    HttpClient.transform(attempt),
    HttpClient.mapRequestEffect((request) =>
      Effect.map(keyFor(request, keys), (key) =>
        request.pipe(HttpClientRequest.bearerToken(key), HttpClientRequest.setHeaders(settings.headers))
      )
    ),
    HttpClient.mapRequest(flow(HttpClientRequest.prependUrl(settings.origin), HttpClientRequest.acceptJson)),
    HttpClient.transformResponse(
      Effect.mapError((error) => (error instanceof Plain.GatewayError ? failureOf(error) : error))
    )
  )
}

/** Fails when nothing comes for so many milliseconds; 0: no limit. */
export const inTime =
  (ms: number) =>
  <A, E, R>(effect: Effect.Effect<A, E, R>): Effect.Effect<A, E | Plain.GatewayError, R> =>
    ms === 0
      ? effect
      : Effect.timeoutOrElse(effect, {
          duration: ms,
          orElse: () => Effect.fail(new Plain.TimeoutError(`The gateway sent nothing for ${ms} ms (\`timeout\`).`))
        })

const keyFor = (request: HttpClientRequest.HttpClientRequest, { apiKey, masterKey }: Keys) => {
  if (new URL(request.url, "http://gateway").pathname.includes("/admin/")) {
    return masterKey === undefined
      ? Effect.fail(noKey("master key", "masterKey", "GATEWAY_MASTER_KEY"))
      : Effect.succeed(masterKey)
  }
  return apiKey === undefined ? Effect.fail(noKey("key", "apiKey", "GATEWAY_API_KEY")) : Effect.succeed(apiKey)
}

const connectionError = (connection: Connection, error: HttpClientError.HttpClientError): Plain.GatewayError => {
  const { cause } = error.reason as { readonly cause?: unknown }
  const why = connection.clean(
    cause instanceof Error ? String((cause.cause as Error | undefined)?.message ?? cause.message) : error.message
  )
  const failed = new Plain.ConnectionError(`No answer from ${connection.origin}: ${why}. Does the gateway run there?`)
  return isRefusal(cause) ? Object.defineProperty(failed, REFUSED, { value: true }) : failed
}

/** Whatever is no success, as the error that it is. */
const refused = (
  connection: Connection,
  response: HttpClientResponse.HttpClientResponse
): Effect.Effect<HttpClientResponse.HttpClientResponse, Plain.GatewayError> => {
  const { status } = response
  if (status >= 200 && status < 300) return Effect.succeed(response)
  return Stream.toReadableStreamEffect(response.stream).pipe(
    Effect.flatMap((body) => Effect.promise(() => beginningOf(body, MOST_OF_ERROR).then(textOf, () => ""))),
    Effect.flatMap((text) =>
      Effect.fail(
        errorOfAnswer({ status, headers: new Headers(response.headers) }, connection.clean(text), connection.origin)
      )
    )
  )
}
