/** A streamed answer, line by line, as chunks of a chat completion. Calls come whole, and never with their end. */
import type { JsonObject } from "../../../../core/domain/Json.ts"
import type { StreamEvent } from "../../../../core/operations/LiftedAnswer.ts"
import type { StreamLifter, UpstreamCall } from "../../../../core/pool/Protocol.ts"
import { isObject, objectOr } from "../../../json/LooseJson.ts"
import { newId } from "../../openai/answer/OpenAiChatRepair.ts"
import { failureOfErrorObject } from "../../openai/OpenAiErrors.ts"
import { chatHead, Chunks } from "../../shared/ChatCompletions.ts"
import { JsonEvents } from "../../shared/JsonEvents.ts"
import { finishIn, onlyLoaded, readMessage, usageIn } from "./OllamaChatResponse.ts"

export const stream = (call: UpstreamCall): StreamLifter => new OllamaStream(call)

class OllamaStream extends JsonEvents {
  private readonly call: UpstreamCall
  private readonly id: string
  private chunks: Chunks | undefined = undefined
  private calls = 0

  constructor(call: UpstreamCall) {
    super()
    this.call = call
    this.id = newId(call.now)
  }

  protected step(line: JsonObject, out: Array<StreamEvent>): boolean {
    const { done, error, message, model } = line
    if (error !== undefined && error !== null) return this.fail(failureOfErrorObject(error, "unavailable"), out)
    if (!isObject(message) && done !== true) return false
    const { calls, text, thoughts } = readMessage(objectOr(message), this.id, this.calls)
    if (calls === undefined) return false
    const { call } = this
    const chunks = (this.chunks ??= new Chunks(chatHead(call, this.id, model), call.request.includeUsage))
    if (thoughts !== "") chunks.content({ reasoning_content: thoughts }, out)
    if (text !== "") chunks.content({ content: text }, out)
    for (const { id, input, name } of calls) {
      chunks.call(this.calls, id, name, out)
      chunks.input(this.calls++, input, out)
    }
    if (done === true) this.finish(line, chunks, out)
    return true
  }

  private finish(line: JsonObject, chunks: Chunks, out: Array<StreamEvent>): void {
    this.closed = true
    const reason = finishIn(line, this.calls)
    if (reason === undefined) {
      this.fail(onlyLoaded, out)
      return
    }
    chunks.finish(reason, out)
    const usage = usageIn(line)
    if (usage !== undefined) out.push(chunks.usage(usage))
    out.push({ kind: "done" })
  }
}
