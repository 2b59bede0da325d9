/**
 * Recorded exchanges, sent through the whole gateway: the caller's request is the recorded one, and the provider answers with the
 * recorded bytes. What went up must be what was recorded but for reviewed changes; what came down must be valid; a stream that the
 * network splits elsewhere must come out the same, and one that is cut must show it.
 */
import { Cause, Effect, Stream } from "effect"
import type { JsonObject } from "../../src/core/domain/Json.ts"
import { noLoad, Transport, type UpstreamRequest } from "../../src/core/pool/Transport.ts"
import { bytesOf } from "../../src/providers/transport/UpstreamBody.ts"
import type { TestAnswer } from "../../src/testing/TestAnswer.ts"
import { TestGateway } from "../../src/testing/TestGateway.ts"
import { problemWith } from "../support/OpenAiSchema.ts"
import { messagesIn } from "../support/EventStreamMessages.ts"
import { type Exchange, loadFamily } from "../support/Transcripts.ts"
import type { Family } from "./Families.ts"
import { type Post, secondTurns } from "./SecondTurn.ts"

/** Why an exchange can't be replayed. The list is closed: everything else is a failure. */
export type Skip =
  | "no JSON request was recorded"
  | "no model was recorded"
  | "the answer was not recorded"
  | "it goes on from an answer that the gateway did not give"
  | "it asks for what the gateway refuses on purpose"

export interface Outcome {
  readonly exchange: string
  readonly skipped: Skip | undefined
  readonly problems: ReadonlyArray<string>
  /** How many times its response went back with another request. */
  readonly turns: number
}

export interface FamilyResult {
  readonly family: Family
  readonly outcomes: ReadonlyArray<Outcome>
}

/** How the provider sends a recorded answer. */
interface Delivery {
  readonly exchange: Exchange
  readonly pieces: ReadonlyArray<Uint8Array>
  /** The connection breaks after the last piece. */
  readonly isCut: boolean
}

class Recorder {
  delivery: Delivery | undefined
  sent: UpstreamRequest | undefined

  readonly transport: Transport["Service"] = {
    whole: (request) =>
      Effect.sync(() => {
        this.sent = request
        const { exchange } = this.delivery!
        const { bytes, headers, status } = exchange.response
        return { status, headers, bytes, text: Buffer.from(bytes).toString("utf8") }
      }),
    open: (request) =>
      Effect.suspend(() => {
        this.sent = request
        const { exchange, pieces } = this.delivery!
        const { headers, status } = exchange.response
        return Effect.map(Stream.toPull(Stream.fromIterable(pieces)), (chunks) => ({ status, headers, chunks }))
      }),
    load: () => noLoad
  }
}

/** Their responses go on. */
const CONVERSING: ReadonlySet<string> = new Set(["/v1/chat/completions", "/v1/messages", "/v1/responses"])

/** In a family's path. */
const MODEL = "{model}"

/** A gateway without any deployment can't be made. */
const ANY = "any"

/**
 * Replays a family; exchanges of one family share a gateway. `cuts`: at how many places a stream is cut at most, a third of them at its beginning, a
 * third at its end: long ones are all alike in the middle.
 */
export const replayFamily = Effect.fnUntraced(function* (family: Family, cuts: number) {
  const { only = () => true, prepared = (exchange) => exchange } = family
  const exchanges = loadFamily(family.name).filter(only)
  const recorder = new Recorder()
  const recorded = exchanges.flatMap((exchange) => modelIn(family, exchange) ?? [])
  const models = [...new Set([...recorded, family.model ?? ANY])]
  const provider = family.vendor ?? "recorded"
  const outcomes = yield* Effect.gen(function* () {
    const gateway = yield* TestGateway
    const key = yield* gateway.createKey()
    const send = (delivery: Delivery) =>
      Effect.suspend(() => {
        recorder.delivery = delivery
        recorder.sent = undefined
        const { model, ...fields } = askedBy(family, delivery.exchange) ?? {}
        const name = `${provider}/${String(model)}`
        const isInPath = family.path.includes(MODEL)
        return gateway.send({
          method: "POST",
          path: family.path.replace(MODEL, name),
          headers: {
            ...forwarded(delivery.exchange),
            authorization: `Bearer ${key}`,
            "content-type": "application/json"
          },
          body: typeof model !== "string" || isInPath ? fields : { ...fields, model: name }
        })
      })
    const post =
      (exchange: Exchange): Post =>
      (path, body) =>
        Effect.suspend(() => {
          recorder.delivery = { exchange, pieces: [exchange.response.bytes], isCut: false }
          recorder.sent = undefined
          const headers = { authorization: `Bearer ${key}`, "content-type": "application/json" }
          return Effect.map(
            gateway.send({ method: "POST", path, headers, body }),
            (said) => [said, recorder.sent] as const
          )
        })
    const replayedWith = Effect.fnUntraced(function* (given: Exchange) {
      const exchange = prepared(given)
      const outcome = yield* replayed(family, exchange, send, recorder, cuts)
      const model = modelOf(askedBy(family, exchange))
      if (outcome.skipped !== undefined || model === undefined || !CONVERSING.has(family.path)) return outcome
      const { count, problems } = yield* secondTurns(exchange, `${provider}/${model}`, post(exchange))
      return { ...outcome, turns: count, problems: [...outcome.problems, ...problems] }
    })
    // An odd recording is a problem of its own, and the others go on.
    return yield* Effect.forEach(exchanges, (exchange) =>
      Effect.catchCause(
        Effect.suspend(() => replayedWith(exchange)),
        (cause): Effect.Effect<Outcome> =>
          Effect.succeed({
            exchange: exchange.name,
            skipped: undefined,
            problems: [`the replay stopped: ${clip(Cause.pretty(cause))}`],
            turns: 0
          })
      )
    )
  }).pipe(
    Effect.provide(
      TestGateway.layerOver({
        providers: { [provider]: providerOf(family) },
        deployments: models.map((model) => ({
          provider,
          model,
          price: { input: 1, output: 2 },
          context_window: 10_000_000,
          ...(family.operations === undefined ? undefined : { operations: family.operations }),
          ...(family.path === "/v1/embeddings" ? { supports: ["embeddings"] } : undefined)
        })),
        failover: { attempts: 1 }
      })
    ),
    Effect.provideService(Transport, recorder.transport)
  )
  return { family, outcomes } satisfies FamilyResult as FamilyResult
})

type Send = (delivery: Delivery) => Effect.Effect<TestAnswer>

const replayed = Effect.fnUntraced(function* (
  family: Family,
  exchange: Exchange,
  send: Send,
  recorder: Recorder,
  cuts: number
) {
  const skipped = skipOf(exchange, family)
  if (skipped !== undefined)
    return { exchange: exchange.name, skipped, problems: [], turns: 0 } satisfies Outcome as Outcome
  const problems: Array<string> = []
  const { bytes, status } = exchange.response
  const answer = yield* send({ exchange, pieces: [bytes], isCut: false })
  const { sent } = recorder
  // What the provider refuses, the gateway may refuse before.
  if (sent === undefined && status >= 400 && answer.status >= 400)
    return { exchange: exchange.name, skipped, problems, turns: 0 }
  if (sent === undefined) problems.push(`nothing was sent: ${answer.status} ${Buffer.from(answer.bytes).toString()}`)
  else if (family.ask === undefined || family.plain !== undefined || family.changes !== undefined)
    problems.push(...requestProblems(family, exchange, Buffer.from(yield* bytesOf(sent.body)).toString()))
  if (status >= 400) {
    if (answer.status < 400) problems.push(`a refusal (${status}) came out as ${answer.status}`)
  } else if (exchange.streamed) {
    problems.push(...eventProblems(family, exchange, answer))
    problems.push(...(yield* splitProblems(exchange, answer, send)))
    problems.push(...(yield* cutProblems(exchange, answer, send, cuts)))
  } else if (answer.status !== 200 && !isRefusal(exchange)) {
    problems.push(`the answer came out as ${answer.status}: ${Buffer.from(answer.bytes).toString().slice(0, 300)}`)
  } else if (family.isSame === true) {
    const { gateway: _, ...body } = answer.body
    const recorded = JSON.parse(Buffer.from(bytes).toString()) as JsonObject
    if (canonical(body) !== canonical(recorded)) problems.push(`the answer came out as ${clip(canonical(body))}`)
  } else if (answer.status === 200 && family.whole !== undefined) {
    const wrong = problemWith(family.whole, answer.body)
    if (wrong !== undefined && !isOwn(family, family.whole, Buffer.from(bytes).toString()))
      problems.push(`the response is invalid: ${wrong}`)
  }
  return { exchange: exchange.name, skipped: undefined, problems, turns: 0 } satisfies Outcome as Outcome
})

/** Some servers refuse with a 200. */
const isRefusal = ({ response }: Exchange): boolean =>
  /"error":\s*\{/.test(Buffer.from(response.bytes).toString("utf8"))

/** What the caller sends. */
const askedBy = ({ ask }: Family, exchange: Exchange): JsonObject | undefined =>
  ask === undefined || exchange.request.body === undefined ? exchange.request.body : ask(exchange)

const skipOf = (exchange: Exchange, family: Family): Skip | undefined => {
  const { request, response } = exchange
  const { model } = family
  if (request.body === undefined) return "no JSON request was recorded"
  const asked = askedBy(family, exchange)
  if (asked === undefined) return "it asks for what the gateway refuses on purpose"
  if (modelOf(asked) === undefined && model === undefined) return "no model was recorded"
  if (response.bytes.length === 0) return "the answer was not recorded"
  const { background, conversation, previous_response_id: previous } = request.body
  if (background === true || (conversation ?? null) !== null) return "it asks for what the gateway refuses on purpose"
  return typeof previous === "string" ? "it goes on from an answer that the gateway did not give" : undefined
}

const modelOf = (body: Exchange["request"]["body"]): string | undefined =>
  typeof body?.["model"] === "string" ? body["model"] : undefined

/** Undefined too where the recording can't be read: its replay says why. */
const modelIn = (family: Family, exchange: Exchange): string | undefined => {
  try {
    return modelOf(askedBy(family, family.prepared?.(exchange) ?? exchange))
  } catch {
    return undefined
  }
}

const providerOf = ({ provider, vendor }: Family): JsonObject => ({
  ...(vendor === undefined ? { protocol: "openai-chat" } : undefined),
  base_url: "https://recorded.test/v1",
  ...provider,
  api_key: "recorded"
})

/** Headers of the vendor's own that callers may send. */
const forwarded = ({ request }: Exchange): Record<string, string> =>
  Object.fromEntries(
    Object.entries(request.headers).filter(([name]) => name === "anthropic-beta" || name === "anthropic-version")
  )

const requestProblems = (
  { changes = [], plain = (body) => body }: Family,
  { request }: Exchange,
  text: string
): ReadonlyArray<string> => {
  const sent = withoutAbsent(plain(JSON.parse(text) as JsonObject))
  const asked = withoutAbsent(plain(request.body ?? {}))
  return [...new Set([...Object.keys(sent), ...Object.keys(asked)])]
    .filter((name) => !changes.includes(name) && canonical(sent[name]) !== canonical(asked[name]))
    .map((name) => `the request's ${name}: ${clip(canonical(asked[name]))} was sent as ${clip(canonical(sent[name]))}`)
}

/** null, "" and, as the default, `"stream": false` mean absent. */
const withoutAbsent = (body: JsonObject): JsonObject =>
  Object.fromEntries(
    Object.entries(body).filter(
      ([name, value]) => value !== null && value !== "" && !(name === "stream" && value === false)
    )
  )

const canonical = (value: unknown): string => JSON.stringify(value, sorted) ?? "nothing"

const sorted = (_: string, value: unknown): unknown =>
  typeof value === "object" && value !== null && !Array.isArray(value)
    ? Object.fromEntries(Object.entries(value).toSorted(([one], [other]) => (one < other ? -1 : 1)))
    : value

const clip = (text: string): string => (text.length > 200 ? `${text.slice(0, 200)}…` : text)

/** OpenAI's own answer is what it is, also where its description does not know it. */
const isOwn = ({ vendor }: Family, schema: string, recorded: string): boolean =>
  vendor === "openai" && problemWith(schema, JSON.parse(recorded)) !== undefined

const eventProblems = (family: Family, { response }: Exchange, answer: TestAnswer): ReadonlyArray<string> => {
  const { event } = family
  const { events, status } = answer
  const recorded = Buffer.from(response.bytes).toString()
  if (status !== 200) return [`the stream came out as ${status}`]
  if (events.length === 0) return ["the stream has no event"]
  if (event === undefined) return []
  return events
    .filter((one) => one !== "[DONE]" && !isError(one))
    .flatMap((one) => {
      const wrong = problemWith(event, one)
      const isRecorded = wrong !== undefined && dataOfType(recorded, one).some((data) => isOwn(family, event, data))
      return wrong === undefined || isRecorded ? [] : [`an event is invalid: ${wrong} in ${clip(JSON.stringify(one))}`]
    })
}

/** The recorded events of the same type. */
const dataOfType = (recorded: string, event: unknown): ReadonlyArray<string> => {
  const type = typeof event === "object" && event !== null && "type" in event ? String(event.type) : undefined
  return [...recorded.matchAll(/^data: (\{.*)$/gm)]
    .map(([, data]) => data!)
    .filter((data) => data.includes(`"type":"${type}"`))
}

/** The outcome must not depend on where the network splits the stream, on its line ends, or on comments. */
const splitProblems = Effect.fnUntraced(function* (exchange: Exchange, answer: TestAnswer, send: Send) {
  const problems: Array<string> = []
  for (const [way, bytes] of variants(exchange)) {
    const again = yield* send({ exchange, pieces: splitAt(bytes, exchange.name), isCut: false })
    if (spoken(again) !== spoken(answer)) problems.push(`the stream came out differently when sent with ${way}`)
  }
  return problems
})

const variants = (exchange: Exchange): ReadonlyArray<readonly [way: string, bytes: Uint8Array]> => {
  const { bytes } = exchange.response
  if (isBinary(exchange)) return [["random splits", bytes]]
  const text = Buffer.from(bytes).toString("utf8").replaceAll("\r\n", "\n")
  const between = endOf(exchange)
  return [
    ["random splits", bytes],
    ["CRLF", Buffer.from(text.replaceAll("\n", "\r\n"))],
    isLines(exchange)
      ? ["blank lines", Buffer.from(text.replaceAll(between, "\n\n"))]
      : ["comments", Buffer.from(text.replaceAll(between, "\n\n: comment\n\n"))]
  ]
}

const isBinary = ({ response }: Exchange): boolean =>
  response.headers["content-type"] === "application/vnd.amazon.eventstream"

/** A value a line, in place of server-sent events. */
const isLines = ({ response }: Exchange): boolean => response.headers["content-type"] === "application/x-ndjson"

/** What ends an event of a stream of text. */
const endOf = (exchange: Exchange): string => (isLines(exchange) ? "\n" : "\n\n")

/** The events of a stream, each with what ends it. */
const framesOf = (exchange: Exchange): ReadonlyArray<Uint8Array> => {
  const { bytes } = exchange.response
  if (isBinary(exchange)) return messagesIn(bytes)
  const text = Buffer.from(bytes).toString("utf8").replaceAll("\r\n", "\n")
  const end = endOf(exchange)
  const frames = text.split(end).filter((frame) => frame.trim() !== "")
  return frames.map((frame) => Buffer.from(`${frame}${end}`))
}

/** What a client makes of a stream, without what differs from call to call. */
const spoken = ({ events }: TestAnswer): string =>
  JSON.stringify(events).replaceAll(
    /"(?:gateway|id|response_id|item_id|created_at|created)":(?:"[^"]*"|\d+|\{[^{}]*\})/g,
    ""
  )

/** Between 1 and 200 bytes each, the same in every run. */
const splitAt = (bytes: Uint8Array, seed: string): ReadonlyArray<Uint8Array> => {
  const pieces: Array<Uint8Array> = []
  let state = [...seed].reduce((sum, letter) => (sum * 31 + letter.charCodeAt(0)) >>> 0, 7)
  for (let at = 0; at < bytes.length;) {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0
    const length = 1 + (state % 200)
    pieces.push(bytes.subarray(at, at + length))
    at += length
  }
  return pieces
}

/** A stream that ends after any of its events but the last ones must not look complete. */
const cutProblems = Effect.fnUntraced(function* (exchange: Exchange, answer: TestAnswer, send: Send, cuts: number) {
  const frames = framesOf(exchange)
  for (const count of placesOf(frames.length - 1, cuts)) {
    const bytes = Buffer.concat(frames.slice(0, count))
    const cut = yield* send({ exchange, pieces: [bytes], isCut: true })
    if (cut.status >= 400 || isError(cut.events.at(-1))) continue
    // Only the usage, the cost or the end mark is missing: the answer itself is complete.
    if (generated(cut) === generated(answer)) continue
    return [`cut after ${count} of ${frames.length} events it looked complete`]
  }
  return []
})

/** Of 1 to `last`, so many at most: a third at each end one after the other, a third in equal steps between. */
const placesOf = (last: number, most: number): ReadonlyArray<number> => {
  const all = Array.from({ length: last }, (_, index) => index + 1)
  if (last <= most) return all
  const third = Math.floor(most / 3)
  const step = (last - 2 * third) / third
  return all.filter((place) => place <= third || place > last - third || (place - third) % step < 1)
}

const isError = (event: unknown): boolean =>
  typeof event === "object" &&
  event !== null &&
  ("error" in event || ("type" in event && (event.type === "error" || event.type === "response.failed")))

/** All that was generated, as a client would put it together. */
const generated = ({ events }: TestAnswer): string => events.map((event) => textsUnder(event, false)).join("")

/** The texts of everything that is called `delta`. */
const textsUnder = (value: unknown, isDelta: boolean): string => {
  if (typeof value === "string") return isDelta ? value : ""
  if (typeof value !== "object" || value === null) return ""
  return Object.entries(value)
    .map(([name, one]) => textsUnder(one, isDelta || name === "delta"))
    .join("")
}
