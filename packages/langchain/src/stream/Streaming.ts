/** A streamed answer in both of LangChain's forms: message chunks, and the events of its content blocks. */
import type { CallbackManagerForLLMRun } from "@langchain/core/callbacks/manager"
import type { ChatModelStreamEvent } from "@langchain/core/language_models/event"
import {
  convertOpenAICompletionsStream,
  type OpenAICompletionsStreamChunk
} from "@langchain/core/language_models/openai_completions_stream"
import type { AIMessageChunk, ContentBlock } from "@langchain/core/messages"
import { ChatGenerationChunk } from "@langchain/core/outputs"
import { IterableReadableStream } from "@langchain/core/utils/stream"
import { isArguments, UNREADABLE } from "../answer/CallArguments.ts"
import type { ChatStream } from "./ChatStream.ts"
import { Closing } from "./Closing.ts"
import { metadataOf, toChunk, toClosingChunk, toUsage } from "../answer/FromWire.ts"
import { PROVIDER } from "../Version.ts"

/** The custom event that tells callback handlers of a stream that nobody read to its end: core runs no other callback for it. */
export const STREAM_LEFT = "gateway_stream_left"

/** What the callbacks of a call are told by, and the caller's signal. */
interface Listening {
  readonly run: CallbackManagerForLLMRun | undefined
  readonly signal: AbortSignal | undefined
}

/** The last chunk says everything that is said once: the decision, the usage, the model. */
export const toChunks = (stream: ChatStream, withUsage: boolean, by: Listening): AsyncGenerator<ChatGenerationChunk> =>
  untilLeft(chunksOf(stream, withUsage, by.run), stream, by)

async function* chunksOf(
  stream: ChatStream,
  withUsage: boolean,
  run: CallbackManagerForLLMRun | undefined
): AsyncGenerator<ChatGenerationChunk> {
  const closing = new Closing(withUsage)
  for await (const event of stream) {
    closing.add(event)
    const message = toChunk(event)
    if (message !== undefined) yield* told(message, run)
  }
  yield* told(toClosingChunk(closing.envelope, closing.choice, stream.decision), run)
}

/** The same pieces; a stream that does not come to its end is told of. */
async function* untilLeft<A>(pieces: AsyncIterable<A>, stream: ChatStream, by: Listening): AsyncGenerator<A> {
  let isTold = false
  const leave = async (): Promise<void> => {
    if (isTold || stream.decision === undefined) return
    isTold = true
    await by.run?.handleCustomEvent(STREAM_LEFT, stream.decision)
  }
  // A chain that is aborted between two pieces never comes back here. Its own error is the one that counts.
  const abandon = () => void leave().catch(() => undefined)
  by.signal?.addEventListener("abort", abandon, { once: true })
  try {
    yield* pieces
    isTold = true
  } finally {
    by.signal?.removeEventListener("abort", abandon)
    await leave()
  }
}

async function* told(
  message: AIMessageChunk,
  run: CallbackManagerForLLMRun | undefined
): AsyncGenerator<ChatGenerationChunk> {
  const text = typeof message.content === "string" ? message.content : ""
  const chunk = new ChatGenerationChunk({ message, text })
  yield chunk
  await run?.handleLLMNewToken(text, FIRST, undefined, undefined, undefined, { chunk })
}

const FIRST = { prompt: 0, completion: 0 }

/** For a stream whose reader may leave it. */
export interface Leaving {
  /** What it is to be made with. */
  readonly signal: AbortSignal
  /** What to hand out instead of it. */
  readonly leavable: <A>(stream: IterableReadableStream<A>) => IterableReadableStream<A>
}

/** `outer`: the caller's signal. */
export const leaving = (outer: AbortSignal | undefined): Leaving => {
  const left = new AbortController()
  const signal = outer === undefined ? left.signal : AbortSignal.any([outer, left.signal])
  return { signal, leavable: (stream) => leavable(stream, left) }
}

/** The same stream; cancelling it aborts `left`, and waits until what it was made of has ended. */
const leavable = <A>(stream: IterableReadableStream<A>, left: AbortController): IterableReadableStream<A> =>
  new IterableReadableStream<A>(
    {
      pull: async (controller) => {
        const { done, value } = await stream.next()
        if (done) controller.close()
        else controller.enqueue(value)
      },
      cancel: async () => {
        left.abort(new DOMException("The stream was left before its end.", "AbortError"))
        // It has failed by then, with that.
        await stream.return().catch(() => undefined)
      }
    },
    // Nothing is read ahead of the reader.
    { highWaterMark: 0 }
  )

/** Core converts the events; the last of them gets what core does not know. */
export const toEvents = (stream: ChatStream, withUsage: boolean, by: Listening): AsyncGenerator<ChatModelStreamEvent> =>
  untilLeft(eventsOf(stream, withUsage), stream, by)

async function* eventsOf(stream: ChatStream, withUsage: boolean): AsyncGenerator<ChatModelStreamEvent> {
  const closing = new Closing(withUsage)
  const source = watched(stream, closing) as AsyncIterable<OpenAICompletionsStreamChunk>
  for await (const event of convertOpenAICompletionsStream(source, { streamUsage: withUsage, provider: PROVIDER })) {
    if (event.event === "content-block-finish") yield { ...event, content: settled(event.content) }
    else if (event.event !== "message-finish") yield event
    else {
      const usage = toUsage(closing.envelope.usage)
      const responseMetadata = metadataOf(closing.envelope, closing.choice, stream.decision)
      yield { ...event, ...(usage === undefined ? {} : { usage }), responseMetadata }
    }
  }
}

/** Core takes a call without arguments for a broken one, and any JSON for arguments. */
const settled = (block: ContentBlock): ContentBlock => {
  const { args, type, ...rest } = block as { readonly type: string; readonly args?: unknown }
  if (type === "invalid_tool_call" && args === "") {
    const { error: _error, ...call } = rest as { readonly error?: unknown }
    return { ...call, type: "tool_call", args: {} }
  }
  if (type !== "tool_call" || isArguments(args)) return block
  return { ...rest, type: "invalid_tool_call", args: JSON.stringify(args), error: UNREADABLE }
}

async function* watched(stream: ChatStream, closing: Closing) {
  for await (const chunk of stream) {
    closing.add(chunk)
    yield chunk
  }
}
