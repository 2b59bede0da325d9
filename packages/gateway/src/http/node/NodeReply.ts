/** Writes the proxy's answers to a `node:http` response. */
import type { Clock, Effect } from "effect"
import { openAiErrors } from "../errors/ErrorShape.ts"
import type { AnswerHeaders } from "../routing/Endpoint.ts"
import type { WireReply } from "../routing/WireReply.ts"
import { cutIfStalled, flushed, taken } from "./Backpressure.ts"
import { encodingOf, type Outgoing } from "./Outgoing.ts"

export class NodeReply implements WireReply {
  errors = openAiErrors
  isStream = false
  private isBroken = false
  private readonly response: Outgoing
  private readonly stalledMs: number
  private readonly clock: Clock.Clock

  /** `stalledMs`: how long a client may take nothing of what was written. */
  constructor(response: Outgoing, stalledMs: number, clock: Clock.Clock) {
    this.response = response
    this.stalledMs = stalledMs
    this.clock = clock
  }

  get isBegun(): boolean {
    return this.response.headersSent
  }

  get isEnded(): boolean {
    return this.isBroken || this.response.writableEnded
  }

  get isGone(): boolean {
    return this.response.destroyed
  }

  get isFull(): boolean {
    return this.response.isFull
  }

  whole(status: number, headers: AnswerHeaders, body: string | Uint8Array | undefined): void {
    const { response } = this
    if (typeof body !== "string") response.writeHead(status, headers).end(body)
    else if (!response.whole(status, headers, body, this.clock.currentTimeMillisUnsafe())) {
      response.writeHead(status, headers).end(body, encodingOf(body, headers["content-length"]))
    }
  }

  open(headers: AnswerHeaders, announced: string): void {
    // HTTP/1.0 has no chunked encoding, so it has no trailers.
    if (this.response.useChunkedEncodingByDefault && announced !== "") headers["trailer"] = announced
    this.isStream = true
    this.response.writeHead(200, headers)
  }

  write(text: string): boolean {
    return this.response.piece(text)
  }

  get taken(): Effect.Effect<void> {
    return taken(this.response, this.stalledMs)
  }

  get flushed(): Effect.Effect<void> {
    return flushed(this.response)
  }

  end(trailers: Record<string, string> | undefined): void {
    if (trailers !== undefined) this.response.addTrailers(trailers)
    this.response.end()
  }

  breakOff(): void {
    this.isBroken = true
    this.response.breakOff(this.stalledMs)
  }

  cutIfStalled(): void {
    cutIfStalled(this.response, this.stalledMs)
  }

  destroy(): void {
    this.response.destroy()
  }
}
