/** One line of a script: what an upstream does with one request, and how that becomes a response in time. */
import { Duration } from "effect"
import type { JsonObject } from "../core/domain/Json.ts"
import { TransportFailure, type UpstreamRequest } from "../core/pool/Transport.ts"
import type { WireUsage } from "../providers/demo/chat/DemoChatWire.ts"
import { tokensOf } from "../providers/demo/chat/DemoRequest.ts"
import type { Playback } from "../providers/transport/Playback.ts"
import { wireOf, type ScriptedAnswer } from "./ScriptWire.ts"

export interface AnswerOptions {
  /** Default `{ input: 10, output: 5 }`; `null`: the provider reports none. `input` includes `cached`, `output` includes `reasoning`. */
  readonly usage?: WireUsage | null
  /** In OpenAI's words; default `tool_calls` with tool calls, else `stop`. `null`: none comes. */
  readonly finish?: string | null
  readonly reasoning?: string
  /** `arguments`: any JSON value. */
  readonly toolCalls?: ReadonlyArray<{ readonly name: string; readonly arguments: unknown; readonly id?: string }>
  /** Time between two events of a stream; default none. */
  readonly every?: Duration.Input
}

export interface ErrorOptions {
  readonly message?: string
  readonly type?: string
  readonly code?: string
  readonly param?: string
  /** Sent as `retry-after`, in whole seconds. */
  readonly retryAfter?: Duration.Input
  readonly headers?: { readonly [name: string]: string }
}

export interface RawAnswer {
  /** Default 200. */
  readonly status?: number
  readonly headers?: { readonly [name: string]: string }
  /** The body, or the chunks it comes in. */
  readonly body: string | Uint8Array | ReadonlyArray<string | Uint8Array>
  /** Time between two chunks; default none. */
  readonly every?: Duration.Input
}

export type Step =
  | { readonly kind: "answer"; readonly pieces: ReadonlyArray<string> | null; readonly options: AnswerOptions }
  | { readonly kind: "status"; readonly status: number; readonly options: ErrorOptions }
  | { readonly kind: "raw"; readonly answer: RawAnswer }
  | { readonly kind: "broken"; readonly after: number; readonly ending: "reset" | "silence"; readonly step: Step }
  | { readonly kind: "failure"; readonly failure: TransportFailure["kind"] }
  | { readonly kind: "hang" }
  | { readonly kind: "delay"; readonly ms: number; readonly step: Step }
  | { readonly kind: "exhausted" }

/** The request that a step responds to, as far as steps read it. */
export interface AnsweredRequest {
  readonly request: UpstreamRequest
  readonly body: JsonObject
  /** The script's name, for messages and ids. */
  readonly key: string
  /** Counts the requests to this script, from 1. */
  readonly nth: number
  /** Epoch seconds. */
  readonly created: number
}

const encoder = new TextEncoder()
const jsonType = { "content-type": "application/json" }
const eventType = { "content-type": "text/event-stream; charset=utf-8" }

export const playbackOf = (step: Step, asked: AnsweredRequest): Playback => {
  switch (step.kind) {
    case "answer":
      return answering(step.pieces, step.options, asked)
    case "status":
      return refusing(step.status, step.options, asked)
    case "raw":
      return playing(
        step.answer.status ?? 200,
        step.answer.headers ?? jsonType,
        chunksOf(step.answer.body),
        step.answer.every
      )
    case "broken":
      return breaking(playbackOf(step.step, asked), step.after, step.ending)
    case "delay":
      return later(playbackOf(step.step, asked), step.ms)
    case "hang":
      return later(playing(200, {}, []), Infinity)
    case "failure":
      return failing(step.failure, `the script ${asked.key} says ${step.failure}`)
    case "exhausted":
      return failing("refused", `the script ${asked.key} is exhausted: this is request ${asked.nth}`)
  }
}

export const failing = (kind: TransportFailure["kind"], message: string): Playback => ({
  failure: new TransportFailure({ kind, message }),
  at: 0
})

const playing = (
  status: number,
  headers: { readonly [name: string]: string },
  chunks: ReadonlyArray<Uint8Array>,
  every: Duration.Input = 0
): Playback => {
  const gap = Duration.toMillis(every)
  return {
    status,
    headers: Object.fromEntries(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value])),
    headAt: 0,
    pieces: chunks.map((bytes, index) => ({ at: index * gap, bytes })),
    ending: "complete"
  }
}

const answering = (pieces: ReadonlyArray<string> | null, options: AnswerOptions, asked: AnsweredRequest): Playback => {
  const { request, body, key, nth, created } = asked
  const toolCalls = (options.toolCalls ?? []).map((call, index) => ({
    id: call.id ?? `call_${nth}_${index}`,
    name: call.name,
    arguments: tokensOf(JSON.stringify(call.arguments))
  }))
  const said: ScriptedAnswer = {
    id: `${key.replaceAll(/[^A-Za-z0-9]/g, "-")}-${nth}`,
    created,
    model: typeof body["model"] === "string" ? body["model"] : "",
    choice: {
      reasoning: tokensOf(options.reasoning ?? ""),
      content: pieces,
      toolCalls,
      finish: options.finish === undefined ? (toolCalls.length > 0 ? "tool_calls" : "stop") : options.finish
    },
    usage: options.usage === null ? undefined : (options.usage ?? { input: 10, output: 5 })
  }
  const wire = wireOf(request.path)
  if (body["stream"] !== true) return playing(200, jsonType, chunksOf(wire.body(said)))
  return playing(200, eventType, chunksOf(wire.events(said, asksForUsage(body))), options.every)
}

const asksForUsage = ({ stream_options: options }: JsonObject): boolean =>
  typeof options === "object" && options !== null && "include_usage" in options && options.include_usage === true

const refusing = (status: number, options: ErrorOptions, { request }: AnsweredRequest): Playback => {
  const { message = `scripted ${status}`, type, code, param, retryAfter, headers } = options
  const wait = retryAfter === undefined ? {} : { "retry-after": String(Math.ceil(Duration.toSeconds(retryAfter))) }
  const text = wireOf(request.path).error({ status, message, type, code, param })
  return playing(status, { ...jsonType, ...wait, ...headers }, chunksOf(text))
}

/** A body in one piece breaks in its middle. */
const breaking = (playback: Playback, after: number, ending: "reset" | "silence"): Playback => {
  if ("failure" in playback) return playback
  const { pieces } = playback
  const [only] = pieces
  const kept =
    pieces.length === 1 && only !== undefined
      ? [{ ...only, bytes: only.bytes.subarray(0, only.bytes.length >> 1) }]
      : pieces.slice(0, after)
  return { ...playback, pieces: kept, ending }
}

const later = (playback: Playback, ms: number): Playback =>
  "failure" in playback
    ? { ...playback, at: playback.at + ms }
    : {
        ...playback,
        headAt: playback.headAt + ms,
        pieces: playback.pieces.map((piece) => ({ ...piece, at: piece.at + ms }))
      }

const chunksOf = (body: RawAnswer["body"]): ReadonlyArray<Uint8Array> =>
  (typeof body === "string" || body instanceof Uint8Array ? [body] : body).map((chunk) =>
    typeof chunk === "string" ? encoder.encode(chunk) : chunk
  )
