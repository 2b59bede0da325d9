/** A request and its response without a socket. */
import { Effect } from "effect"
import { Departure } from "../core/call/Departure.ts"
import { openAiErrors } from "../http/errors/ErrorShape.ts"
import type { HeldBytes } from "../core/limits/BytesInFlight.ts"
import { BodyTooLarge, type InvalidForm } from "../http/errors/RequestErrors.ts"
import type { AnswerHeaders, RequestHeaders, HttpRequest } from "../http/routing/Endpoint.ts"
import type { WireReply } from "../http/routing/WireReply.ts"
import { echoedRequestId } from "../http/shared/RequestId.ts"

/** What a test sends. */
export interface Sent {
  readonly method: string
  readonly path: string
  /** Names in any case. */
  readonly headers?: { readonly [name: string]: string } | undefined
  /** What is neither text nor bytes is sent as JSON. */
  readonly body?: unknown
}

export class MemoryRequest implements HttpRequest {
  readonly method: string
  readonly target: string
  readonly params: HttpRequest["params"]
  readonly headers: RequestHeaders
  readonly remoteAddress = "127.0.0.1"
  readonly requestId: string
  readonly echoedId: string
  readonly departure = new Departure()
  key: HttpRequest["key"]
  readonly isGone: () => boolean
  private readonly body: Buffer

  constructor(
    { body, headers = {}, method, path }: Sent,
    reply: WireReply,
    params: HttpRequest["params"],
    requestId: string
  ) {
    this.method = method
    this.target = path
    this.params = params
    this.body = bytesOf(body)
    const given = Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value] as const)
    this.headers = { "content-length": String(this.body.length), ...Object.fromEntries(given) }
    this.requestId = requestId
    this.echoedId = echoedRequestId(this.headers["x-request-id"]) ?? requestId
    this.isGone = () => reply.isGone
  }

  bytes(maxBytes: number, held?: HeldBytes): ReturnType<HttpRequest["bytes"]> {
    if (this.body.length > maxBytes) return Effect.fail(new BodyTooLarge({ limitBytes: maxBytes }))
    const refused = held?.take(this.body.length)
    return refused === undefined ? Effect.succeed(this.body) : Effect.fail(refused)
  }

  pieces<E>(
    maxBytes: number,
    take: (piece: Uint8Array) => Effect.Effect<void, E>
  ): Effect.Effect<void, E | BodyTooLarge | InvalidForm> {
    return this.body.length > maxBytes ? Effect.fail(new BodyTooLarge({ limitBytes: maxBytes })) : take(this.body)
  }
}

const bytesOf = (body: unknown): Buffer => {
  if (body === undefined) return Buffer.alloc(0)
  if (body instanceof Uint8Array) return Buffer.from(body)
  return Buffer.from(typeof body === "string" ? body : JSON.stringify(body))
}

/** Takes everything at once. */
export class MemoryReply implements WireReply {
  errors = openAiErrors
  status = 0
  headers: { readonly [name: string]: string } = {}
  trailers: { readonly [name: string]: string } = {}
  isBegun = false
  isStream = false
  isEnded = false
  isBroken = false
  isGone = false
  readonly isFull = false
  readonly taken = Effect.void
  readonly flushed = Effect.void
  private readonly pieces: Array<Uint8Array> = []

  /** Everything that was written so far. */
  get bytes(): Uint8Array {
    return Buffer.concat(this.pieces)
  }

  whole(status: number, headers: AnswerHeaders, body: string | Uint8Array | undefined): void {
    this.begin(status, headers)
    if (body !== undefined) this.pieces.push(Buffer.from(body))
    this.isEnded = true
  }

  open(headers: AnswerHeaders, announced: string): void {
    this.begin(200, announced === "" ? headers : { ...headers, trailer: announced })
    this.isStream = true
  }

  write(text: string): boolean {
    this.pieces.push(Buffer.from(text))
    return true
  }

  end(trailers: Record<string, string> | undefined): void {
    if (trailers !== undefined) this.trailers = trailers
    this.isEnded = true
  }

  breakOff(): void {
    this.isBroken = true
    this.isEnded = true
  }

  cutIfStalled(): void {}

  destroy(): void {
    this.isGone = true
  }

  private begin(status: number, headers: AnswerHeaders): void {
    this.status = status
    this.headers = Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, String(value)]))
    this.isBegun = true
  }
}
