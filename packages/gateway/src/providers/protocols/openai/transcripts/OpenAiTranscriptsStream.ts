/** The stream of a transcript. */
import type { LiftedAnswer, StreamEvent } from "../../../../core/operations/LiftedAnswer.ts"
import type { UpstreamCall } from "../../../../core/pool/Protocol.ts"
import { lastEvents, TypedEvents } from "../OpenAiEventStream.ts"
import { transcriptUsageOf } from "./OpenAiTranscriptsUsage.ts"

const DONE = "transcript.text.done"

export class TranscriptStream extends TypedEvents {
  constructor(call: UpstreamCall) {
    super({ last: DONE, usageOf: (event) => transcriptUsageOf(event, call) })
  }
}

/** Whisper answers a request for a stream with a complete transcript. */
export const replay = ({ body, usage }: LiftedAnswer): ReadonlyArray<StreamEvent> => {
  const { text, usage: told } = body
  const done = JSON.stringify({ type: DONE, text, ...(told === undefined ? {} : { usage: told }) })
  return [
    { kind: "content", data: JSON.stringify({ type: "transcript.text.delta", delta: text }) },
    ...lastEvents(done, usage)
  ]
}
