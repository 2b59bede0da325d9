/**
 * The live transport: HTTP/1.1 by undici. No redirects are followed and no compression is asked for. A call beyond the bound of
 * connections fails at once. `NodeHttpClient` of `@effect/platform-node` does not say when a request goes out, which the time limits,
 * the counts of waiting calls and the kinds of failure depend on.
 */
import { Cause, Clock, Effect, Layer, type Pull, Scope } from "effect"
import { Pieces } from "../../core/collections/Pieces.ts"
import type { UpstreamConnection } from "../../core/domain/Connection.ts"
import {
  noLoad,
  type OpenResponse,
  Transport,
  TransportFailure,
  type UpstreamHead,
  type UpstreamRequest,
  type WholeResponse
} from "../../core/pool/Transport.ts"
import { Call, type Destination, LARGEST_BODY, Origin } from "./Call.ts"
import { Deadlines } from "./Deadlines.ts"
import { Dispatchers, proxyVariables } from "./Dispatchers.ts"

// A call whose response is read as it comes. What nobody has read yet waits here, and when it is much, the upstream waits.

/** Reading from the socket stops while this many bytes are unread. */
const HIGH_WATER = 64 * 1024

type BodyPieces = readonly [Uint8Array, ...Array<Uint8Array>]
type NextPiece = Pull.Pull<BodyPieces, TransportFailure>

class OpenCall extends Call {
  private opened: ((answer: Effect.Effect<OpenResponse, TransportFailure>) => void) | undefined
  /** The head, until it is given to who opened the call. */
  private head: UpstreamHead | undefined
  private reader: ((next: NextPiece) => void) | undefined
  private unread: Array<Uint8Array> = []
  private unreadBytes = 0
  private size = 0
  private last: NextPiece | undefined
  private isWaking = false

  opening(send: () => void): Effect.Effect<OpenResponse, TransportFailure> {
    return Effect.callback((resume) => {
      this.opened = resume
      send()
      return Effect.sync(() => this.close())
    })
  }

  protected headCame(head: UpstreamHead): void {
    this.head = head
    this.wake()
  }

  protected pieceCame(piece: Buffer): void {
    this.size += piece.length
    if (this.size > LARGEST_BODY) return this.fail("too_large", `sent more than ${LARGEST_BODY} bytes`)
    this.unread.push(piece)
    this.unreadBytes += piece.length
    if (this.unreadBytes >= HIGH_WATER && !this.paused) this.pause()
    this.wake()
  }

  protected ended(): void {
    this.last = Cause.done()
    this.wake()
  }

  protected failed(failure: TransportFailure): void {
    this.last = Effect.fail(failure)
    this.wake()
  }

  /** Later: the chunks of one read of the connection go on together, and no reader acts inside undici's parser. */
  private wake(): void {
    if (this.isWaking) return
    this.isWaking = true
    process.nextTick(() => this.notify())
  }

  private notify(): void {
    this.isWaking = false
    const { head, last, opened, reader } = this
    if (opened !== undefined) {
      if (head === undefined && last === undefined) return
      this.opened = undefined
      this.head = undefined
      // A call that failed before its head has nothing but the failure.
      if (head === undefined) return opened(last as Effect.Effect<never, TransportFailure>)
      const { headers, status } = head
      return opened(Effect.succeed({ status, headers, chunks: this.pull }))
    }
    if (reader === undefined || (this.unread.length === 0 && last === undefined)) return
    this.reader = undefined
    reader(this.pull)
  }

  private readonly pull: NextPiece = Effect.suspend(() => {
    if (this.unread.length > 0) return Effect.succeed(this.take())
    return this.last ?? this.wait
  })

  private readonly wait: NextPiece = Effect.callback((resume) => {
    this.reader = resume
    return Effect.sync(() => {
      this.reader = undefined
    })
  })

  private take(): BodyPieces {
    const pieces = this.unread
    this.unread = []
    this.unreadBytes = 0
    if (this.paused) this.resumeReading()
    return pieces as unknown as BodyPieces
  }
}

const make: Effect.Effect<Transport["Service"], never, Scope.Scope> = Effect.gen(function* () {
  const deadlines = new Deadlines(yield* Clock.Clock)
  const variables = yield* proxyVariables
  yield* Effect.forkScoped(deadlines.run)
  const origins = new Map<string, Origin>()
  /** By base URL, for the providers whose configuration says nothing of the connection, and for each of the others. */
  const usual = new Map<string, Destination>()
  const special = new WeakMap<UpstreamConnection, Map<string, Destination>>()
  let dispatchers: Dispatchers | undefined
  let isClosed = false
  yield* Effect.addFinalizer(() =>
    Effect.sync(() => {
      isClosed = true
      dispatchers?.close()
    })
  )
  let loading: Promise<Dispatchers> | undefined
  const loaded = Effect.promise(
    () => (loading ??= import("undici").then((undici) => (dispatchers = new Dispatchers(undici, variables))))
  )

  const destinationsOf = (connection: UpstreamConnection | undefined): Map<string, Destination> => {
    if (connection === undefined) return usual
    const known = special.get(connection)
    if (known !== undefined) return known
    const made = new Map<string, Destination>()
    special.set(connection, made)
    return made
  }

  const originOf = (name: string): Origin => {
    const origin = origins.get(name) ?? new Origin(name)
    origins.set(name, origin)
    return origin
  }

  const destinationOf = (
    ways: Dispatchers,
    { baseUrl, connection }: UpstreamRequest
  ): Destination | TransportFailure => {
    const destinations = destinationsOf(connection)
    const known = destinations.get(baseUrl)
    if (known !== undefined) return known
    const url = URL.parse(baseUrl)
    if (url === null || (url.protocol !== "http:" && url.protocol !== "https:")) {
      const message = `${JSON.stringify(baseUrl)} is no http or https address`
      return new TransportFailure({ kind: "refused", message })
    }
    const destination = {
      ...ways.to(url, connection),
      origin: originOf(url.origin),
      prefix: url.pathname.replace(/\/+$/, "")
    }
    destinations.set(baseUrl, destination)
    return destination
  }

  const prepare = (ways: Dispatchers, request: UpstreamRequest): Destination | TransportFailure => {
    const destination = destinationOf(ways, request)
    if (destination instanceof TransportFailure) return destination
    const { origin } = destination
    if (isClosed) return failed("reset", origin, "was not called: the gateway is closing its connections")
    if (origin.isFull(request.maxConnections ?? Infinity)) {
      return failed("full", origin, `has ${origin.open + origin.waiting} calls under way already`)
    }
    return destination
  }

  /** Calls `send` with undici, which the first call waits for. */
  const withUndici = <A, R>(
    send: (ways: Dispatchers) => Effect.Effect<A, TransportFailure, R>
  ): Effect.Effect<A, TransportFailure, R> =>
    Effect.suspend(() => (dispatchers === undefined ? Effect.flatMap(loaded, send) : send(dispatchers)))

  const whole = (request: UpstreamRequest) =>
    withUndici((ways) =>
      Effect.callback<WholeResponse, TransportFailure>((resume) => {
        const destination = prepare(ways, request)
        if (destination instanceof TransportFailure) return resume(destination)
        const call = new WholeCall(destination, request, deadlines, resume)
        call.send(request)
        return Effect.sync(() => call.close())
      })
    )

  const open = (request: UpstreamRequest) =>
    withUndici(
      Effect.fnUntraced(function* (ways) {
        const destination = prepare(ways, request)
        if (destination instanceof TransportFailure) return yield* destination
        const call = new OpenCall(destination, request.timeouts, deadlines)
        // `acquireRelease` and `Effect.addFinalizer` keep all services for the release, and merge them there: two large maps a stream.
        yield* Scope.addFinalizer(
          yield* Effect.scope,
          Effect.sync(() => call.close())
        )
        return yield* call.opening(() => call.send(request))
      })
    )

  const load = (baseUrl: string) => {
    const known = usual.get(baseUrl)?.origin
    if (known !== undefined) return known
    const name = URL.parse(baseUrl)?.origin
    return (name !== undefined && origins.get(name)) || noLoad
  }

  return { whole, open, load }
})

export const HttpTransport = {
  make,
  layer: Layer.effect(Transport, make)
}

const failed = (kind: TransportFailure["kind"], { name }: Origin, what: string): TransportFailure =>
  new TransportFailure({ kind, message: `${name} ${what}` })

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

class WholeCall extends Call {
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
      return this.fail("no_room", "sent more than there is room for in server.max_bytes_in_flight_mb")
    }
    this.pieces.add(piece)
  }

  protected ended(): void {
    const { status, headers } = this.head!
    this.conclude(Effect.succeed(new ReadAnswer(status, headers, this.pieces.whole())))
  }

  protected failed(failure: TransportFailure): void {
    const { head } = this
    // Other responses that arrive have room immediately.
    this.held?.unanswered()
    // A refusal says enough by its status when the words for it broke off.
    const isRefused = head !== undefined && head.status >= 300
    this.conclude(isRefused ? Effect.succeed({ ...head, text: "" }) : Effect.fail(failure))
  }

  /** After undici's parser has returned, and for one response of the event-loop iteration after another (as `together`). */
  private conclude(answer: Effect.Effect<WholeResponse, TransportFailure>): void {
    setImmediate(this.resume, answer)
  }
}
