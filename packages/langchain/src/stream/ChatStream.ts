/** One streamed answer: its events as the server sent them, until it ends, breaks, or nobody wants the rest. */
import { type Connection, type Opened, parseObject } from "../connection/Connection.ts"
import { type GatewayDecision, decisionOfBody, decisionOfHeaders } from "../spend/Decision.ts"
import { GatewayTimeoutError, StreamInterruptedError } from "../Errors.ts"
import { PartialAnswer } from "./PartialAnswer.ts"
import { readEvents } from "./Sse.ts"
import { ToolCallPieces } from "../answer/ToolCallPieces.ts"
import type { WireAnswer, WireChunk } from "../answer/Wire.ts"

const DONE = "[DONE]"

export class ChatStream implements AsyncIterable<WireChunk> {
  private readonly opened: Opened
  private readonly connection: Connection
  private readonly onEnd: (decision: GatewayDecision | undefined) => unknown
  private readonly partial = new PartialAnswer()
  private readonly toolCalls = new ToolCallPieces()
  private isComplete = false
  private isOver = false
  /** What is known so far: the headers' word, then the exact one of the last event. */
  decision: GatewayDecision | undefined

  /** `onEnd` is called once, however it ends, with the decision as known then; a promise of it is waited for. */
  constructor(opened: Opened, connection: Connection, onEnd: (decision: GatewayDecision | undefined) => unknown) {
    this.opened = opened
    this.connection = connection
    this.onEnd = onEnd
    this.decision = decisionOfHeaders(opened.response.headers)
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<WireChunk> {
    const { deadline, response } = this.opened
    // A chain that is aborted between two pieces lets go of its generators without a word.
    deadline.signal.addEventListener("abort", () => void this.end(), { once: true })
    try {
      if (isEventStream(response)) yield* this.events(response.body!)
      else yield* this.wholeAnswer(response)
      const tool_calls = this.toolCalls.missingIds
      const { id } = this.partial
      if (tool_calls.length > 0) yield { ...(id === undefined ? {} : { id }), choices: [{ delta: { tool_calls } }] }
    } catch (error) {
      throw this.failure(deadline.explain(error))
    } finally {
      await this.end()
    }
  }

  private async end(): Promise<void> {
    if (this.isOver) return
    this.isOver = true
    this.opened.deadline.end()
    await this.onEnd(this.decision)
  }

  private async *events(body: ReadableStream<Uint8Array>): AsyncGenerator<WireChunk> {
    for await (const data of readEvents(body, this.opened.deadline)) {
      if (data === DONE) {
        this.isComplete = true
        return
      }
      const chunk: WireChunk | undefined = parseObject(data)
      if (chunk === undefined) throw this.interrupted("an event came that is no JSON object", undefined)
      yield this.seen(chunk)
    }
    // Not every server says that it is done; that it has finished is enough.
    if (!this.isComplete) throw this.interrupted("the connection ended before the answer did", undefined)
  }

  /** A server that can't stream answers at once. */
  private async *wholeAnswer(response: Response): AsyncGenerator<WireChunk> {
    const text = await response.text()
    const answer: WireAnswer | undefined = parseObject(text)
    if (answer === undefined) throw this.connection.unexpected(response, text)
    const { choices = [], ...envelope } = answer
    if (!envelope.error && !choices[0]?.message) throw this.connection.withoutMessage(response.headers)
    const asChunk = choices.map(({ message, ...choice }) => ({
      ...choice,
      delta: message ?? {}
    }))
    this.isComplete = true
    yield this.seen({ ...envelope, choices: asChunk })
  }

  private seen(event: WireChunk): WireChunk {
    if (event.error !== undefined && event.error !== null) throw this.failed(event)
    const chunk = this.toolCalls.counted(firstOf(event))
    this.decision = decisionOfBody(chunk.gateway, this.opened.response.headers) ?? this.decision
    this.partial.add(chunk)
    if (typeof chunk.choices?.[0]?.finish_reason === "string") this.isComplete = true
    return chunk
  }

  private failed(chunk: WireChunk): StreamInterruptedError {
    const cause = this.connection.errorIn(chunk, this.opened.response.headers)
    return this.interrupted(cause.message, cause)
  }

  /** What the caller did is no failure of the stream; a broken connection is one, and so is a silence. */
  private failure(error: unknown): unknown {
    if (GatewayTimeoutError.isInstance(error)) return this.interrupted(error.message, error)
    if (!(error instanceof TypeError)) return error
    return this.interrupted(error.cause instanceof Error ? error.cause.message : error.message, error)
  }

  private interrupted(reason: string, cause: Error | undefined): StreamInterruptedError {
    const { headers, status } = this.opened.response
    const { code, type } = (cause ?? {}) as { readonly code?: string; readonly type?: string }
    return new StreamInterruptedError(`The answer broke off: ${reason}`, {
      status,
      code,
      type,
      headers,
      cause,
      requestId: headers.get("x-request-id") ?? undefined,
      partial: this.partial.message(),
      decision: this.decision
    })
  }
}

/** Who asked for several answers (`n`) gets the first, as from `invoke`: their pieces come mixed. */
const firstOf = (chunk: WireChunk): WireChunk =>
  chunk.choices?.[0]?.index || (chunk.choices?.length ?? 0) > 1
    ? { ...chunk, choices: chunk.choices!.filter((choice) => !choice?.index) }
    : chunk

/** A server that says nothing of the kind of its answer is believed to stream. */
const isEventStream = (response: Response): boolean => {
  const type = response.headers.get("content-type")
  return response.body !== null && (type === null || type.includes("event-stream"))
}
