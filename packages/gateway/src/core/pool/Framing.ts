/** How a stream of bytes is cut into events. A protocol names its framing. */

/** One event. `kind`: its type in the framing (the `event:` field of server-sent events), or "". */
export interface WireEvent {
  readonly kind: string
  readonly data: string
}

/** Decodes one stream; the network may split it anywhere. */
export interface FrameDecoder {
  /** An event exceeded the limit: nothing after it is read. */
  readonly tooLong: boolean
  /** Why nothing more is read: the bytes are none of this framing. Left out: no bytes are wrong. */
  readonly broken?: string | undefined
  /** Returns the events that these bytes complete. */
  push(bytes: Uint8Array): ReadonlyArray<WireEvent>
  /** The upstream closed the stream. Returns what still counts of the last event. */
  end(): ReadonlyArray<WireEvent>
}

export interface Framing {
  /** The value for the `accept` header. */
  readonly mediaType: string
  /** Whether a body that begins so is a complete response, whatever its content type says. Left out: unknown. */
  readonly isWholeAnswer?: (first: number) => boolean
  /** `longest`: characters of one event; left out: the framing's own limit. */
  readonly decoder: (longest?: number) => FrameDecoder
}
