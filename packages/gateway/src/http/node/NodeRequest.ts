/** The `node:http` request as endpoints see it. */
import type { IncomingMessage, ServerResponse } from "node:http"
import { Effect } from "effect"
import { Departure } from "../../core/call/Departure.ts"
import type { HeldBytes } from "../../core/limits/BytesInFlight.ts"
import { BodyTooLarge, InvalidForm } from "../errors/RequestErrors.ts"
import type { HttpRequest, RequestHeaders } from "../routing/Endpoint.ts"
import { readBytes } from "./ReadBytes.ts"

export class NodeRequest implements HttpRequest {
  readonly params: HttpRequest["params"]
  readonly requestId: string
  readonly echoedId: string
  readonly departure = new Departure()
  checkedAt: HttpRequest["checkedAt"]
  key: HttpRequest["key"]
  held: HttpRequest["held"]
  /** Not assigned in the constructor: V8 makes such a closure an old object, and all that it leads to survives with it. */
  readonly isGone = () => this.response.destroyed
  private readonly incoming: IncomingMessage
  private readonly response: ServerResponse

  constructor(
    incoming: IncomingMessage,
    response: ServerResponse,
    { echoedId, params, requestId }: Pick<HttpRequest, "params" | "requestId" | "echoedId">
  ) {
    this.incoming = incoming
    this.params = params
    this.requestId = requestId
    this.echoedId = echoedId
    this.response = response
  }

  get method(): string {
    return this.incoming.method ?? "GET"
  }

  get target(): string {
    return this.incoming.url ?? "/"
  }

  get headers(): RequestHeaders {
    return this.incoming.headers
  }

  get remoteAddress(): string | undefined {
    return this.incoming.socket.remoteAddress
  }

  bytes(maxBytes: number, held?: HeldBytes): ReturnType<HttpRequest["bytes"]> {
    return readBytes(this.incoming, maxBytes, held)
  }

  pieces<E>(
    maxBytes: number,
    take: (piece: Uint8Array) => Effect.Effect<void, E>
  ): Effect.Effect<void, E | BodyTooLarge | InvalidForm> {
    return readPieces(this.incoming, maxBytes, take)
  }
}

// The body of a `node:http` request, piece by piece.
/** Gives `take` each piece. What is left after a failure is discarded, so that a client that still sends can read why. */
const readPieces = <E>(
  request: IncomingMessage,
  maxBytes: number,
  take: (piece: Uint8Array) => Effect.Effect<void, E>
): Effect.Effect<void, E | BodyTooLarge | InvalidForm> => {
  const tooLarge = Effect.fail(new BodyTooLarge({ limitBytes: maxBytes }))
  if (Number(request.headers["content-length"] ?? 0) > maxBytes) return tooLarge
  const next = nextPiece(request)
  let size = 0
  const all = Effect.gen(function* () {
    for (;;) {
      const piece = yield* next
      if (piece === undefined) return
      size += piece.length
      if (size > maxBytes) return yield* tooLarge
      yield* take(piece)
    }
  })
  return Effect.ensuring(
    all,
    Effect.sync(() => request.resume())
  )
}

/** Undefined: the body is over. Between two pieces nobody listens, and Node reads no more than it has room for. */
const nextPiece = (request: IncomingMessage) =>
  Effect.callback<Uint8Array | undefined, InvalidForm>((resume) => {
    const look = () => {
      const piece: Buffer | null = request.read()
      if (piece !== null) end(Effect.succeed(piece))
      else if (request.readableEnded) end(Effect.undefined)
      else if (request.destroyed) end(brokenOff)
    }
    const events = ["readable", "end", "error", "close"]
    const leave = () => {
      for (const event of events) request.off(event, look)
    }
    const end = (result: Effect.Effect<Uint8Array | undefined, InvalidForm>) => {
      leave()
      resume(result)
    }
    for (const event of events) request.on(event, look)
    look()
    return Effect.sync(leave)
  })

const brokenOff = Effect.fail(new InvalidForm({ message: "the body broke off" }))
