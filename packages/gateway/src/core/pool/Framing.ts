/** How a stream of bytes is cut into events. A protocol names its framing. */

/** One event. `kind`: what the framing calls it (the `event:` field of server-sent events), or "". */
export interface WireEvent {
  readonly kind: string
  readonly data: string
}

/** Reads one stream, however the network cuts it. */
export interface FrameDecoder {
  /** An event was longer than the framing takes: nothing after it is read. */
  readonly tooLong: boolean
  /** The events that these bytes complete. */
  readonly push: (bytes: Uint8Array) => ReadonlyArray<WireEvent>
  /** The upstream closed: what of the last event still counts. */
  readonly end: () => ReadonlyArray<WireEvent>
}

export interface Framing {
  /** Of the `accept` header. */
  readonly mediaType: string
  /**
   * Whether a body whose first byte (white space aside) is this one is no stream but one whole answer: some providers send that to a
   * stream request, whatever its content type says. Left out: no first byte tells.
   */
  readonly isWholeAnswer?: (first: number) => boolean
  readonly decoder: () => FrameDecoder
}
