/** A call whose answer is wanted whole, as text. */
import { Effect } from "effect"
import { Pieces } from "../../core/collections/Pieces.ts"
import type { TransportFailure, UpstreamHead, UpstreamRequest, WholeResponse } from "../../core/pool/Transport.ts"
import { Call, type Destination, LARGEST_BODY } from "./Call.ts"
import type { Deadlines } from "./Deadlines.ts"

/** Decoded only where it is wanted as text. */
class ReadAnswer implements WholeResponse {
  readonly status: number
  readonly headers: UpstreamHead["headers"]
  readonly bytes: Buffer

  constructor(status: number, headers: UpstreamHead["headers"], bytes: Buffer) {
    this.status = status
    this.headers = headers
    this.bytes = bytes
  }

  get text(): string {
    return this.bytes.toString("utf8")
  }
}

export class WholeCall extends Call {
  private readonly resume: (answer: Effect.Effect<WholeResponse, TransportFailure>) => void
  private head: UpstreamHead | undefined
  private readonly pieces = new Pieces()
  private readonly largest: number
  private readonly held: UpstreamRequest["held"]

  constructor(
    destination: Destination,
    { held, largestAnswer = LARGEST_BODY, timeouts }: Pick<UpstreamRequest, "held" | "largestAnswer" | "timeouts">,
    deadlines: Deadlines,
    resume: (answer: Effect.Effect<WholeResponse, TransportFailure>) => void
  ) {
    super(destination, timeouts, deadlines)
    this.largest = largestAnswer
    this.held = held
    this.resume = resume
  }

  protected headCame(head: UpstreamHead): void {
    this.head = head
  }

  protected pieceCame(piece: Buffer): void {
    if (this.pieces.size + piece.length > this.largest) {
      return this.fail("too_large", `sent more than ${this.largest} bytes`)
    }
    if (this.held?.answered(piece.length) === false) {
      return this.fail("too_large", "sent more than there is room for in server.max_bytes_in_flight_mb")
    }
    this.pieces.add(piece)
  }

  protected ended(): void {
    const { status, headers } = this.head!
    this.conclude(Effect.succeed(new ReadAnswer(status, headers, this.pieces.whole())))
  }

  protected failed(failure: TransportFailure): void {
    const { head } = this
    // A refusal says enough by its status when the words for it broke off.
    const isRefused = head !== undefined && head.status >= 300
    this.conclude(isRefused ? Effect.succeed({ ...head, text: "" }) : Effect.fail(failure))
  }

  /** Later: nobody acts inside undici's parser. */
  private conclude(answer: Effect.Effect<WholeResponse, TransportFailure>): void {
    queueMicrotask(() => this.resume(answer))
  }
}
