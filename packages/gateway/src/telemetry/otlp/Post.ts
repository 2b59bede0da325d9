/** One HTTP POST to a collector: bounded in time, tried again where that may help, and it leaves no connection half read. */
import { Effect, Schedule } from "effect"
import { type HttpBody, HttpClient, HttpClientError, HttpClientRequest, type HttpClientResponse } from "effect/http"
import type { OtlpTarget } from "./OtlpSettings.ts"

const RETRIES = 2
const backOff = Schedule.exponential("500 millis")

/** A client whose calls all end in time. */
export const bounded = (client: HttpClient.HttpClient, timeoutMs: number): HttpClient.HttpClient =>
  HttpClient.transform(client, (response, request) =>
    Effect.timeoutOrElse(response, {
      duration: timeoutMs,
      orElse: () =>
        Effect.fail(
          new HttpClientError.HttpClientError({
            reason: new HttpClientError.TransportError({ request, description: "no response in time" })
          })
        )
    })
  )

/** Fails when the collector did not take it. */
export const poster = (client: HttpClient.HttpClient, target: OtlpTarget) => {
  const sender = bounded(client, target.timeoutMs).pipe(
    HttpClient.filterStatusOk,
    HttpClient.retryTransient({ schedule: backOff, times: RETRIES })
  )
  const request = HttpClientRequest.post(target.url, { headers: target.headers })
  const drained = (response: HttpClientResponse.HttpClientResponse) =>
    Effect.timeoutOption(Effect.ignore(response.arrayBuffer), target.timeoutMs)
  return (body: HttpBody.HttpBody) => {
    const full = HttpClientRequest.setBody(request, body)
    const sent = target.gzip
      ? Effect.flatMap(HttpClientRequest.compressBody(full, "gzip"), sender.execute)
      : sender.execute(full)
    return sent.pipe(Effect.flatMap(drained), Effect.withTracerEnabled(false))
  }
}
