/** A complete response of `POST /api/chat` as a chat completion. It is a single line of a stream. */
import { Result } from "effect"
import { type ProviderFailure, truncated } from "../../../../core/domain/Failures.ts"
import type { JsonObject } from "../../../../core/domain/Json.ts"
import { noUsage, type Usage } from "../../../../core/domain/Usage.ts"
import type { StreamLifter, UpstreamCall, LiftedAnswer, StreamEvent } from "../../../../core/pool/Protocol.ts"
import { argumentsText, arrayOf, countOf, isGarbage, isObject, objectOr, textOf } from "../../../json/LooseJson.ts"
import { answerBody, failureOfErrorObject } from "../../openai/OpenAiErrors.ts"
import { newId } from "../../openai/answer/OpenAiChatRepair.ts"
import { chatHead, Chunks, completion, completionChoice, type FinishReason } from "../../shared/ChatCompletions.ts"
import { CallEvents } from "../../shared/JsonEvents.ts"

/** Calls come complete, and never with their end. */
export const stream = (call: UpstreamCall): StreamLifter => new OllamaStream(call)

class OllamaStream extends CallEvents {
  private readonly id = newId(this.call.now)
  private chunks: Chunks | undefined = undefined
  private calls = 0

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

export const lift = (text: string, call: UpstreamCall): Result.Result<LiftedAnswer, ProviderFailure> =>
  Result.flatMap(answerBody(text), (body) => {
    const { message } = body
    if (!isObject(message) || body["done"] !== true) {
      return Result.fail(truncated("the response has no message, or no end"))
    }
    const head = chatHead(call, newId(call.now), body["model"])
    const { calls, text: content, thoughts } = readMessage(message, head.id)
    if (calls === undefined) return Result.fail(truncated("a tool call of the response can't be read"))
    const finish = finishIn(body, calls.length)
    if (finish === undefined) return Result.fail(onlyLoaded)
    const usage = usageIn(body)
    const choice = completionChoice(0, finish, {
      content,
      reasoning: thoughts,
      calls: calls.map(({ id, input, name }) => ({ id, type: "function", function: { name, arguments: input } }))
    })
    return Result.succeed({ usage, body: completion(head, [choice], usage) })
  })

const onlyLoaded = truncated("the provider loaded the model, and said nothing")

interface OllamaCall {
  readonly id: string
  readonly name: string
  /** JSON. */
  readonly input: string
}

/** Most versions give calls no ids: they are made of `answer`, an id, and their number. `first`: the number of the first call. */
const readMessage = (message: JsonObject, answer: string, first = 0) => {
  const read = arrayOf(message["tool_calls"]).map((call, index): OllamaCall | undefined => {
    const called = objectOr(objectOr(call)["function"])
    const name = textOf(called["name"])
    const id = textOf(objectOr(call)["id"]) ?? `call_${answer}_${first + index}`
    // Arguments are an object; some models' templates write a text.
    return name === undefined ? undefined : { id, name, input: argumentsText(called["arguments"]) || "{}" }
  })
  const calls = read.flatMap((call) => call ?? [])
  /** No calls where one of them can't be read. */
  return {
    text: textOf(message["content"]) ?? "",
    thoughts: textOf(message["thinking"]) ?? "",
    calls: calls.length === read.length ? calls : undefined
  }
}

/**
 * Undefined where the prompt's count is missing, as when all of it came from the cache (recorded): recording the rest would make that part
 * free, so all is counted here instead.
 */
const usageIn = (line: JsonObject): Usage | undefined => {
  const { eval_count: written, prompt_eval_count: read } = line
  if (isGarbage(read) || isGarbage(written) || countOf(read) === 0) return undefined
  return { ...noUsage, input: countOf(read), output: countOf(written) }
}

/** Undefined where the model was only loaded or unloaded: there is no response. */
const finishIn = (line: JsonObject, calls: number): FinishReason | undefined => {
  const reason = line["done_reason"]
  if (reason === "load" || reason === "unload") return undefined
  if (reason === "length") return "length"
  return calls > 0 ? "tool_calls" : "stop"
}
