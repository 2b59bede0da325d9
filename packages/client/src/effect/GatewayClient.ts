/**
 * The gateway as an Effect service: `api` has every operation, typed by the API's own description; `chat` and `chatStream` are the
 * two that everybody uses, with the decision as everywhere in this package.
 */
import { Api, ChatCompletion } from "@model-gateway/protocol"
import { Config, Context, Effect, flow, Layer, Option, Redacted, Stream } from "effect"
import { HttpClient, type HttpClientError, HttpClientRequest, HttpClientResponse } from "effect/http"
import { HttpApiClient } from "effect/http-api"
import { Connection } from "../connection/Connection.ts"
import { Deadline } from "../connection/Deadline.ts"
import { type Answered, decisionOfBody } from "../Decision.ts"
import * as Plain from "../Errors.ts"
import { type CallOptions, headersOf, readSettings } from "../Settings.ts"
import { chatCollector } from "../stream/ChatCollector.ts"
import { GatewayStream } from "../stream/GatewayStream.ts"
import type * as Wire from "../wire/Inference.ts"
import {
  type ConfigurationError,
  ConnectionError,
  type GatewayFailure,
  failureOf,
  InvalidAnswerError
} from "./Errors.ts"
import { gatewayHttp, inTime } from "./GatewayHttp.ts"

export interface LayerOptions {
  /** Where the gateway is, with or without `/v1`. */
  readonly baseUrl: string | URL
  readonly apiKey?: Redacted.Redacted<string> | undefined
  /** For the operations under `/admin`. */
  readonly masterKey?: Redacted.Redacted<string> | undefined
  /** Milliseconds. Default: ten minutes; 0: no limit. */
  readonly timeout?: number | undefined
  /** Default: 2. */
  readonly maxRetries?: number | undefined
  readonly headers?: Readonly<Record<string, string>> | undefined
}

/** What is asked of the gateway for one call; the rest is Effect's: `Effect.timeout`, `Effect.retry`, interruption. */
export type AskOptions = Omit<CallOptions, "signal" | "timeout" | "maxRetries">

export class GatewayClient extends Context.Service<
  GatewayClient,
  {
    /** `api.keys.createKey({ payload })`, `api.chat.createChatCompletion({ payload, headers: {} })`, … */
    readonly api: HttpApiClient.ForApi<typeof Api, GatewayFailure>
    readonly chat: (
      request: Wire.ChatRequest,
      options?: AskOptions
    ) => Effect.Effect<Answered<Wire.ChatCompletion>, GatewayFailure>
    /** The chunks; the last that carries data has `gateway`, with the exact cost. Leaving it closes the connection. */
    readonly chatStream: (
      request: Wire.ChatRequest,
      options?: AskOptions
    ) => Stream.Stream<Wire.ChatCompletionChunk, GatewayFailure>
  }
>()("@model-gateway/client/effect/GatewayClient") {
  static readonly layer = (
    options: LayerOptions
  ): Layer.Layer<GatewayClient, ConfigurationError, HttpClient.HttpClient> => Layer.effect(GatewayClient, make(options))

  /** From `GATEWAY_BASE_URL`, `GATEWAY_API_KEY` and `GATEWAY_MASTER_KEY`. */
  static readonly layerConfig = Layer.unwrap(
    Effect.gen(function* () {
      const baseUrl = yield* Config.String("GATEWAY_BASE_URL")
      const apiKey = yield* Config.option(Config.Redacted("GATEWAY_API_KEY"))
      const masterKey = yield* Config.option(Config.Redacted("GATEWAY_MASTER_KEY"))
      return GatewayClient.layer({
        baseUrl,
        apiKey: Option.getOrUndefined(apiKey),
        masterKey: Option.getOrUndefined(masterKey)
      })
    })
  )
}

const make = Effect.fnUntraced(function* (options: LayerOptions) {
  const settings = yield* Effect.try({
    try: () =>
      readSettings({
        ...options,
        apiKey: options.apiKey === undefined ? undefined : Redacted.value(options.apiKey),
        masterKey: options.masterKey === undefined ? undefined : Redacted.value(options.masterKey)
      }),
    catch: (error) => failureOf(error as Plain.ConfigurationError) as ConfigurationError
  })
  const connection = new Connection(settings)
  const http = gatewayHttp(yield* HttpClient.HttpClient, settings, options, connection)
  const inTimeHere = flow(
    inTime(settings.timeout),
    Effect.mapError((error) => (error instanceof Plain.GatewayError ? failureOf(error) : error))
  )
  const api = yield* HttpApiClient.makeWith(Api, { httpClient: http, transformResponse: inTimeHere })

  const send = (request: Wire.ChatRequest, options: AskOptions | undefined) =>
    HttpClientRequest.post("/v1/chat/completions").pipe(
      HttpClientRequest.setHeaders(headersOf(options)),
      HttpClientRequest.bodyJson(request),
      Effect.mapError(() => new InvalidAnswerError({ message: "The request can't be written as JSON." })),
      Effect.flatMap(http.execute),
      Effect.catchTag("HttpClientError", (error) => Effect.fail(unsent(connection, error)))
    )

  const chat = Effect.fn("GatewayClient.chat")(function* (request: Wire.ChatRequest, options?: AskOptions) {
    const response = yield* send(request, options)
    const headers = new Headers(response.headers)
    const answer = yield* HttpClientResponse.schemaBodyJson(ChatCompletion)(response).pipe(
      Effect.mapError((error) => invalid(connection, headers, error)),
      inTime(settings.timeout),
      Effect.mapError((error) => (error instanceof Plain.GatewayError ? failureOf(error) : error))
    )
    return { ...answer, gateway: decisionOfBody(answer.gateway, headers) }
  })

  const chatStream = (request: Wire.ChatRequest, options?: AskOptions) =>
    Stream.unwrap(
      Effect.gen(function* () {
        const answer = yield* send({ ...request, stream: true }, options)
        const headers = new Headers(answer.headers)
        if (!/^text\/event-stream\b/i.test(headers.get("content-type") ?? "")) {
          return yield* invalid(connection, headers, "it is no stream of events")
        }
        const body = yield* Stream.toReadableStreamEffect(answer.stream)
        const response = new Response(body as ReadableStream<Uint8Array<ArrayBuffer>>, { headers })
        const deadline = new Deadline(settings.timeout, undefined)
        const chunks = new GatewayStream(connection, { response, deadline }, chatCollector())
        return Stream.fromAsyncIterable(chunks, (error) =>
          error instanceof Plain.GatewayError ? failureOf(error) : invalid(connection, headers, error)
        )
      })
    )

  return GatewayClient.of({ api, chat, chatStream })
})

/** The request itself could not be made. */
const unsent = (connection: Connection, error: HttpClientError.HttpClientError): ConnectionError =>
  new ConnectionError({ message: connection.clean(error.message) })

const invalid = (connection: Connection, headers: Headers, why: unknown): InvalidAnswerError => {
  const requestId = headers.get("x-request-id")
  const message = `The answer of ${connection.origin} is not what was asked for: ${connection.clean(String(why)).slice(0, 300)}`
  return new InvalidAnswerError({ message, ...(requestId === null ? {} : { requestId }) })
}
