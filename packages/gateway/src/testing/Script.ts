/**
 * Scripted upstreams: a `Transport` that responds from a list of steps and records the requests. Nothing leaves the process,
 * and all waiting is Effect's: `TestClock.adjust` moves it.
 *
 * ```ts
 * const upstreams = Script.layer({
 *   "openai/gpt-5-mini": [Script.status(503), Script.answer("hello")],
 *   anthropic: [Script.delay("2 seconds", Script.stream(["a", "b"]))]
 * })
 * ```
 *
 * A script is found by, in this order: `<provider>/<model>`, the base URL, the provider, the model, `*`. The provider is read off
 * the base URL: the host's name without its ending (`https://api.openai.com/v1` and `http://openai.test/v1` are both `openai`), or
 * what follows the colon in `script:openai`. Steps are taken in order; the last one repeats.
 */
import { Clock, Context, Duration, Effect, Exit, Layer, Option, Pull, Schema } from "effect"
import type { JsonObject } from "../core/domain/Json.ts"
import { noLoad, Transport, type TransportFailure, type UpstreamRequest } from "../core/pool/Transport.ts"
import { playOpen, playWhole, type Playback } from "../providers/transport/Playback.ts"
import { bytesOf } from "../providers/transport/UpstreamBody.ts"
import { tokensOf } from "../providers/demo/chat/DemoRequest.ts"
import { failing, playbackOf, type AnswerOptions, type ErrorOptions, type RawAnswer, type Step } from "./ScriptStep.ts"

export type Scripts = { readonly [key: string]: ReadonlyArray<Step> }

/** A request as an upstream saw it. */
export interface ScriptedRequest {
  /** The script that responded; undefined if there was none. */
  readonly key: string | undefined
  readonly url: string
  readonly headers: { readonly [name: string]: string }
  /** The parsed body; empty when it was no JSON object. */
  readonly body: JsonObject
  /** Epoch milliseconds. */
  readonly at: number
  /** `failed`: the script broke it. `abandoned`: the client disconnected before the end. `open`: still running. */
  readonly outcome: "open" | "complete" | "failed" | "abandoned"
}

type RecordedRequest = { -readonly [Field in keyof ScriptedRequest]: ScriptedRequest[Field] }

export class Script extends Context.Service<
  Script,
  {
    /** All requests so far, oldest first. */
    readonly requests: Effect.Effect<ReadonlyArray<ScriptedRequest>>
    /** Requests to one script so far. */
    readonly requestsTo: (key: string) => Effect.Effect<ReadonlyArray<ScriptedRequest>>
    /** From now on this script goes like this, from its first step. */
    readonly rewrite: (key: string, steps: ReadonlyArray<Step>) => Effect.Effect<void>
  }
>()("gateway/testing/Script") {
  /** The transport and, to look at and rewrite it, the script. */
  static readonly layer = (scripts: Scripts): Layer.Layer<Transport | Script> =>
    Layer.effectContext(Effect.sync(() => perform(scripts)))

  /** A base URL whose provider is `provider`. */
  static readonly baseUrl = (provider: string): string => `http://${provider}.test/v1`

  /** Responds with `text`; a stream gets it word by word. */
  static readonly answer = (text: string, options: AnswerOptions = {}): Step => ({
    kind: "answer",
    pieces: text === "" && options.toolCalls !== undefined ? null : tokensOf(text),
    options
  })

  /** Responds with the pieces: one event each in a stream, joined in a complete response. */
  static readonly stream = (pieces: ReadonlyArray<string>, options: AnswerOptions = {}): Step => ({
    kind: "answer",
    pieces,
    options
  })

  /** Refuses with a status and the vendor's error body; type and code default to the usual ones. */
  static readonly status = (status: number, options: ErrorOptions = {}): Step => ({ kind: "status", status, options })

  /** Sends exactly this; JSON unless the headers say otherwise. */
  static readonly raw = (answer: RawAnswer): Step => ({ kind: "raw", answer })

  /** Breaks the connection after so many events (the one with the role is the first); a plain response breaks in its middle. */
  static readonly cutAfter = (events: number, step: Step = Script.answer("This will be cut.")): Step => ({
    kind: "broken",
    after: events,
    ending: "reset",
    step
  })

  /** As `cutAfter`, but the connection stays open and silent: the caller's `idle` limit decides. */
  static readonly silentAfter = (events: number, step: Step = Script.answer("This will stop.")): Step => ({
    kind: "broken",
    after: events,
    ending: "silence",
    step
  })

  /** No response reaches the caller: the transport fails with this kind, immediately. */
  static readonly failure = (kind: TransportFailure["kind"]): Step => ({ kind: "failure", failure: kind })

  /** Never responds: the `firstToken` time limit decides. */
  static readonly hang: Step = { kind: "hang" }

  /** The same, later. */
  static readonly delay = (duration: Duration.Input, step: Step): Step => ({
    kind: "delay",
    ms: Duration.toMillis(duration),
    step
  })

  /** As the last step: further requests are refused with an error that names the script, instead of repeating the last response. */
  static readonly exhausted: Step = { kind: "exhausted" }
}

interface BegunPlayback {
  readonly entry: RecordedRequest
  readonly playback: Playback
}

const perform = (scripts: Scripts): Context.Context<Transport | Script> => {
  const playing = new Map(Object.entries(scripts).map(([key, steps]) => [key, { steps, asked: 0 }]))
  const entries: Array<RecordedRequest> = []

  const begin = (request: UpstreamRequest) =>
    Effect.zipWith(Clock.currentTimeMillis, bytesOf(request.body), (now, bytes): BegunPlayback => {
      const body = parsed(Buffer.from(bytes).toString())
      const names = namesOf(request.baseUrl, body)
      const key = names.find((name) => playing.has(name))
      const url = request.baseUrl + request.path
      const entry: RecordedRequest = { key, url, headers: request.headers, body, at: now, outcome: "open" }
      entries.push(entry)
      if (key === undefined) {
        const known = [...playing.keys()].join(", ")
        return { entry, playback: failing("refused", `no script for ${names[0]}; there are: ${known}`) }
      }
      const script = playing.get(key)!
      const nth = ++script.asked
      const step = script.steps[Math.min(nth, script.steps.length) - 1] ?? Script.exhausted
      return { entry, playback: playbackOf(step, { request, body, key, nth, created: Math.floor(now / 1000) }) }
    })

  const whole = Effect.fnUntraced(function* (request: UpstreamRequest) {
    const { entry, playback } = yield* begin(request)
    return yield* Effect.onExit(playWhole(nameOf(entry), request, playback), (exit) => concluded(entry, exit))
  })

  const open = Effect.fnUntraced(function* (request: UpstreamRequest) {
    const { entry, playback } = yield* begin(request)
    yield* Effect.addFinalizer(() => Effect.sync(() => abandon(entry)))
    const answer = yield* playOpen(nameOf(entry), request, playback).pipe(
      Effect.onError((cause) => concluded(entry, Exit.failCause(cause)))
    )
    let left = "failure" in playback || playback.ending !== "complete" ? Infinity : playback.pieces.length
    // Who has read the last event need not wait for the end of the body.
    const read = Effect.tap(answer.chunks, (batch) => {
      left -= batch.length
      return left === 0 ? concluded(entry, Exit.void) : Effect.void
    })
    const chunks = Effect.onExit(read, (exit) => {
      if (Exit.isSuccess(exit)) return Effect.void
      const isDone = Pull.isDoneCause(exit.cause)
      if (!isDone) return concluded(entry, exit)
      return left > 0 ? Effect.void : concluded(entry, Exit.void)
    })
    return { ...answer, chunks }
  })

  const snapshot = (wanted: (entry: RecordedRequest) => boolean) =>
    Effect.sync(() => entries.filter(wanted).map((entry) => ({ ...entry })))

  return Context.make(Transport, { whole, open, load: () => noLoad }).pipe(
    Context.add(Script, {
      requests: snapshot(() => true),
      requestsTo: (key) => snapshot((entry) => entry.key === key),
      rewrite: (key, steps) => Effect.sync(() => void playing.set(key, { steps, asked: 0 }))
    })
  )
}

const nameOf = ({ key, url }: RecordedRequest): string => `the script ${key ?? url}`

const abandon = (entry: RecordedRequest): void => {
  if (entry.outcome === "open") entry.outcome = "abandoned"
}

const concluded = (entry: RecordedRequest, exit: Exit.Exit<unknown, unknown>) =>
  Effect.sync(() => {
    if (entry.outcome !== "open") return
    entry.outcome = Exit.isSuccess(exit) ? "complete" : Exit.hasInterrupts(exit) ? "abandoned" : "failed"
  })

const JsonObjectText = Schema.fromJsonString(Schema.Record(Schema.String, Schema.Unknown))
const decodeObject = Schema.decodeUnknownOption(JsonObjectText)

const parsed = (text: string): JsonObject => Option.getOrElse(decodeObject(text), () => ({}))

/** What a script for this call may be called, most exact first. */
const namesOf = (baseUrl: string, { model }: JsonObject): ReadonlyArray<string> => {
  const provider = providerOf(baseUrl)
  return [`${provider}/${String(model)}`, baseUrl, provider, String(model), "*"]
}

const providerOf = (baseUrl: string): string => {
  const url = URL.parse(baseUrl)
  if (url === null) return baseUrl
  if (url.hostname === "") return url.pathname === "" ? url.protocol.slice(0, -1) : url.pathname
  const labels = url.hostname.split(".")
  return /^[\d.]+$|^\[/.test(url.hostname) ? url.host : (labels.at(-2) ?? url.hostname)
}
