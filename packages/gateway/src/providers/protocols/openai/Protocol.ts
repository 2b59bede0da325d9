/**
 * OpenAI's API, as spoken by OpenAI and by every server that calls itself compatible.
 *
 * Request: `Request.ts`. Answer: `Answer.ts`. Stream: `Stream.ts`. Usage: `Usage.ts`. Errors: `Errors.ts`.
 */
import type { Dialect, Protocol } from "../../../core/pool/Protocol.ts"
import { serverSentEvents } from "../../framing/Sse.ts"
import { lift } from "./Answer.ts"
import { failure } from "./Errors.ts"
import { lower } from "./Request.ts"
import { stream } from "./Stream.ts"

export const OpenAiChat: Dialect = { lower, lift, stream }

export const OpenAiProtocol: Protocol = {
  name: "openai-chat",
  speaks: new Map([["chat", OpenAiChat]]),
  framing: serverSentEvents,
  failure
}
