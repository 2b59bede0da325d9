/** Chat at models that have Responses alone: `chat-to-responses/Request.ts` goes down, `Answer.ts` and `Stream.ts` come up. */
import type { Bridge } from "./Bridge.ts"
import { chatCompletion } from "./chat-to-responses/Answer.ts"
import { responseRequest } from "./chat-to-responses/Request.ts"
import { ResponseChunks } from "./chat-to-responses/Stream.ts"

export const chatToResponses: Bridge = {
  from: "chat",
  to: "responses",
  down: responseRequest,
  up: ({ body, serviceTier, usage }) => ({ body: chatCompletion(body, usage), usage, serviceTier }),
  upStream: (call) => new ResponseChunks(call)
}
