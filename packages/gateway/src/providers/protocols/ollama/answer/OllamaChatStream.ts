/** A streamed answer, line by line, as chunks of a chat completion. Calls come whole, and never with their end. */
import type { JsonObject } from "../../../../core/domain/Json.ts"
import { truncated } from "../../../../core/domain/Failures.ts"
import type { StreamEvent } from "../../../../core/operations/LiftedAnswer.ts"
import type { StreamLifter, UpstreamCall } from "../../../../core/pool/Protocol.ts"
import type { WireEvent } from "../../../../core/pool/Framing.ts"
import { Chunks } from "../../shared/ChatChunks.ts"
import { parseJson } from "../../../json/BoundedJson.ts"
import { isObject, textOf } from "../../../json/LooseJson.ts"
import { newId, seconds } from "../../openai/answer/OpenAiChatRepair.ts"
import { failureOfErrorObject } from "../../openai/OpenAiErrors.ts"
import { callId } from "./OllamaChatResponse.ts"
import { type OllamaCall, finishIn, saidIn, usageIn } from "./OllamaChatRead.ts"

const MALFORMED: ReadonlyArray<StreamEvent> = [{ kind: "malformed" }]

export const stream = (call: UpstreamCall): StreamLifter => new OllamaStream(call)

class OllamaStream implements StreamLifter {
  private readonly call: UpstreamCall
  private readonly id: string
  private chunks: Chunks | undefined = undefined
  private calls = 0
  private closed = false

  constructor(call: UpstreamCall) {
    this.call = call
    this.id = newId(call.now)
  }

  push({ data }: WireEvent): ReadonlyArray<StreamEvent> {
    if (this.closed) return []
    const line = parseJson(data)
    if (!isObject(line)) return MALFORMED
    if (line["error"] !== undefined && line["error"] !== null) {
      this.closed = true
      return [{ kind: "failed", failure: failureOfErrorObject(line["error"], "unavailable") }]
    }
    const message = line["message"]
    if (!isObject(message) && line["done"] !== true) return MALFORMED
    const out: Array<StreamEvent> = []
    if (!this.say(isObject(message) ? message : {}, line, out)) return MALFORMED
    if (line["done"] === true) this.finish(line, out)
    return out
  }

  end(): ReadonlyArray<StreamEvent> {
    return []
  }

  private say(message: JsonObject, line: JsonObject, out: Array<StreamEvent>): boolean {
    const { calls, text, thoughts } = saidIn(message)
    if (calls === undefined) return false
    const chunks = this.writer(line)
    if (thoughts !== "") chunks.content({ reasoning_content: thoughts }, out)
    if (text !== "") chunks.content({ content: text }, out)
    for (const called of calls) this.calling(called, chunks, out)
    return true
  }

  private calling(called: OllamaCall, chunks: Chunks, out: Array<StreamEvent>): void {
    const index = this.calls++
    const begun = { index, id: callId(called, this.id, index), type: "function" }
    chunks.content({ tool_calls: [{ ...begun, function: { name: called.name, arguments: "" } }] }, out)
    chunks.content({ tool_calls: [{ index, function: { arguments: called.input } }] }, out)
  }

  private finish(line: JsonObject, out: Array<StreamEvent>): void {
    this.closed = true
    const reason = finishIn(line, this.calls)
    if (reason === undefined) {
      out.push({ kind: "failed", failure: truncated("the provider loaded the model, and said nothing") })
      return
    }
    const chunks = this.writer(line)
    chunks.finish(reason, out)
    const usage = usageIn(line)
    if (usage !== undefined) out.push(chunks.usage(usage))
    out.push({ kind: "done" })
  }

  private writer(line: JsonObject): Chunks {
    const { deployment, now, request } = this.call
    const model = textOf(line["model"]) ?? deployment.model
    return (this.chunks ??= new Chunks({ id: this.id, created: seconds(now), model }, {}, request.includeUsage))
  }
}
