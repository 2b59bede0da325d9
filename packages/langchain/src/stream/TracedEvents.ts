/** LangChain runs no callbacks for `streamEvents()` without a version: no trace, no cost, no budget. So they are run here. */
import type { CallbackManagerForLLMRun } from "@langchain/core/callbacks/manager"
import type { ChatModelStreamEvent } from "@langchain/core/language_models/event"
import { ChatModelStream } from "@langchain/core/language_models/stream"
import { toResult } from "../answer/FromWire.ts"

type Run = CallbackManagerForLLMRun | undefined

/** The events of a call, which begins when its handlers agree, and whose end, or failure, they are told. */
export const tracedEvents = (
  start: () => Promise<Run>,
  call: (run: Run) => AsyncIterable<ChatModelStreamEvent>
): ChatModelStream => new ChatModelStream(traced(start, call))

async function* traced(
  start: () => Promise<Run>,
  call: (run: Run) => AsyncIterable<ChatModelStreamEvent>
): AsyncGenerator<ChatModelStreamEvent> {
  const run = await start()
  if (run === undefined) return yield* call(run)
  const seen: Array<ChatModelStreamEvent> = []
  try {
    for await (const event of call(run)) {
      seen.push(event)
      await run.handleChatModelStreamEvent(event)
      yield event
    }
  } catch (error) {
    await run.handleLLMError(error)
    throw error
  }
  const message = await new ChatModelStream(replayed(seen))
  const { generations, ...result } = toResult({ text: message.text, message })
  await run.handleLLMEnd({ generations: [generations], ...result })
}

async function* replayed(events: ReadonlyArray<ChatModelStreamEvent>): AsyncGenerator<ChatModelStreamEvent> {
  yield* events
}
