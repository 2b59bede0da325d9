/** Requests with an `Idempotency-Key`: what tells their bodies apart, and how their responses are kept and given again. */
import { createHash } from "node:crypto"
import { Effect, Result, Stream } from "effect"
import type { Answer } from "../../core/call/CallInput.ts"
import { InvalidField } from "../../core/domain/Errors.ts"
import { type BegunRequest, LARGEST_KEPT } from "../../core/kept/Idempotency.ts"
import type { HeldBytes } from "../../core/limits/BytesInFlight.ts"
import { type KeptAnswer, RESPONSE_ID } from "../../core/kept/KeptResponses.ts"
import type { FormBody, RequestBody } from "../../core/operations/RequestBody.ts"
import type { AnswerHeaders, EventAnswer, RequestHeaders, WholeAnswer, HttpRequest } from "../routing/Endpoint.ts"

const KEY = /^[\x20-\x7e]{1,255}$/

/** Undefined where there is none. */
export const idempotencyKeyOf = (headers: RequestHeaders) => {
  const key = headers["idempotency-key"]
  if (typeof key === "string" && KEY.test(key)) return Result.succeed(key)
  const message = "the header Idempotency-Key must be 1 to 255 visible ASCII characters"
  return Result.fail(new InvalidField({ param: "idempotency-key", message }))
}

/** Bytes that are hashed in one turn of the event loop. */
const SLICE = 1024 * 1024

export class HashedRequest implements Pick<HttpRequest, "bytes" | "headers"> {
  readonly headers: RequestHeaders
  private readonly request: Pick<HttpRequest, "bytes">
  private seen = ""

  constructor(request: HttpRequest) {
    this.headers = request.headers
    this.request = request
  }

  bytes(maxBytes: number, held?: HeldBytes) {
    return Effect.flatMap(this.request.bytes(maxBytes, held), (bytes) =>
      Effect.as(
        Effect.map(hashOf(bytes), (hash) => (this.seen = hash)),
        bytes
      )
    )
  }

  /** Call it once `body` was read. A form is compared by its parts: its boundary is another one whenever a client sends it again. */
  hash(body: RequestBody): Effect.Effect<string> {
    return body.kind === "json" ? Effect.succeed(this.seen) : Effect.promise(() => hashOfForm(body))
  }
}

const hashOf = Effect.fnUntraced(function* (bytes: Uint8Array) {
  const hash = createHash("sha256")
  for (let at = 0; at < bytes.length; at += SLICE) {
    if (at > 0) yield* Effect.yieldNow
    hash.update(bytes.subarray(at, at + SLICE))
  }
  return hash.digest("hex")
})

const hashOfForm = async ({ fields, files }: FormBody): Promise<string> => {
  const hash = createHash("sha256")
  hash.update(JSON.stringify(fields))
  for (const file of files) {
    hash.update(JSON.stringify([file.field, file.filename, file.contentType, file.size]))
    for await (const piece of file.pieces()) hash.update(piece)
  }
  return hash.digest("hex")
}

export type First = Extract<BegunRequest, { readonly kind: "first" }>

/** A failure may be followed by the same request at once: it is free by the time its caller hears of it. */
export const orRelease = <A, E, R>(first: First | undefined, answer: Effect.Effect<A, E, R>): Effect.Effect<A, E, R> =>
  first === undefined ? answer : Effect.tapError(answer, () => first.release)

/** The same response, which its caller can have again: it is on disk before its end is sent. `stored`: the response that is stored of it. */
export const kept = (
  first: First,
  answer: Answer,
  wire: WholeAnswer | EventAnswer,
  stored: { readonly id?: unknown }
) => {
  const told = lasting(wire.headers)
  const headers = () => (typeof stored.id === "string" ? { ...told, [RESPONSE_ID]: stored.id } : told)
  if (wire.kind !== "stream") {
    const body = wire.kind === "json" ? Buffer.from(wire.text) : wire.bytes
    return Effect.map(first.keep({ kind: wire.kind, headers: headers(), body }), (isKept) => {
      if (!isKept) wire.headers[KEPT] = "0"
      return wire
    })
  }
  const pieces: Array<Buffer> = []
  let size = 0
  let isKept = true
  const events = wire.events.pipe(
    Stream.mapEffect((text) => {
      const piece = Buffer.from(text)
      size += piece.length
      // One piece too many says that the response was too large.
      if (size - piece.length <= LARGEST_KEPT) pieces.push(piece)
      // The last event of a stream comes when it is settled.
      const isLast = answer.kind === "stream" && answer.settled() !== undefined
      return isLast
        ? Effect.map(first.keep({ kind: "stream", headers: headers(), body: Buffer.concat(pieces) }), (is) => {
            isKept = is
            return text
          })
        : Effect.succeed(text)
    }),
    Stream.tapError(() => first.release)
  )
  const trailers: EventAnswer["trailers"] = (isEarly) => {
    const told = wire.trailers(isEarly)
    return isKept ? told : { ...told, [KEPT]: "0" }
  }
  return Effect.succeed({ ...wire, events, announced: `${wire.announced}, ${KEPT}`, trailers })
}

/** `0`: there was no room for the response, so the same request would run again, and cost again. */
const KEPT = "x-gateway-kept"

const COST = "x-gateway-cost-usd"

/** The headers that are true of a repeated answer, too. */
const lasting = (headers: AnswerHeaders): KeptAnswer["headers"] =>
  Object.fromEntries(
    Object.entries(headers).flatMap(([name, value]) =>
      name.startsWith("x-ratelimit-") || CHANGING.has(name) ? [] : [[name, String(value)]]
    )
  )

const CHANGING: ReadonlySet<string> = new Set([COST, "x-gateway-cost-final", "x-gateway-budget-remaining-usd"])

/** A kept response once more. `more`: further headers. */
export const repeated = (
  { body, headers: { [RESPONSE_ID]: _, ...headers }, kind }: KeptAnswer,
  more: { readonly [name: string]: string }
): WholeAnswer | EventAnswer => {
  const all = { ...headers, ...more, [COST]: "0", "x-gateway-replayed": "1" }
  if (kind === "bytes") return { kind, status: 200, headers: all, bytes: body }
  const text = Buffer.from(body).toString()
  return kind === "stream"
    ? { kind, headers: all, events: Stream.succeed(text), announced: COST, trailers: () => ({ [COST]: "0" }) }
    : { kind: "json", status: 200, headers: all, text }
}
