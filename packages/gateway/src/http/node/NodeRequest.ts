/** The `node:http` request as endpoints see it. */
import type { IncomingMessage, ServerResponse } from "node:http"
import type { Effect } from "effect"
import { Departure } from "../../core/call/Departure.ts"
import type { HeldBytes } from "../../core/limits/BytesInFlight.ts"
import type { BodyTooLarge, InvalidForm } from "../errors/RequestErrors.ts"
import type { RequestHeaders, HttpRequest } from "../routing/Endpoint.ts"
import { readBytes } from "./ReadBytes.ts"
import { readPieces } from "./ReadPieces.ts"

export class NodeRequest implements HttpRequest {
  readonly params: HttpRequest["params"]
  readonly requestId: string
  readonly echoedId: string
  readonly departure = new Departure()
  key: HttpRequest["key"]
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
