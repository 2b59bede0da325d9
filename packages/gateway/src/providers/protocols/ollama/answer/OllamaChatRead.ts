/** What one line of an answer says; a complete answer is a single one. */
import type { JsonObject } from "../../../../core/domain/Json.ts"
import { noUsage, type Usage } from "../../../../core/domain/Usage.ts"
import type { FinishReason } from "../../shared/ChatChunks.ts"
import { argumentsText, arrayOf, countOf, isGarbage, isObject, textOf } from "../../../json/LooseJson.ts"

export interface OllamaOutput {
  readonly text: string
  readonly thoughts: string
  /** Undefined where one of them can't be read. */
  readonly calls: ReadonlyArray<OllamaCall> | undefined
}

export interface OllamaCall {
  readonly id: string | undefined
  readonly name: string
  /** JSON. */
  readonly input: string
}

export const saidIn = (message: JsonObject): OllamaOutput => {
  const read = arrayOf(message["tool_calls"]).map(calledIn)
  const calls = read.flatMap((call) => call ?? [])
  return {
    text: textOf(message["content"]) ?? "",
    thoughts: textOf(message["thinking"]) ?? "",
    calls: calls.length === read.length ? calls : undefined
  }
}

/** Arguments are an object; some models' templates write a text. */
const calledIn = (call: unknown): OllamaCall | undefined => {
  const called = isObject(call) ? call["function"] : undefined
  const name = isObject(called) ? textOf(called["name"]) : undefined
  if (!isObject(call) || !isObject(called) || name === undefined) return undefined
  return { id: textOf(call["id"]), name, input: argumentsText(called["arguments"]) || "{}" }
}

/**
 * Undefined where the prompt's count is missing, as when all of it came from the cache (recorded): booking the rest would make that part
 * free, so all is counted here instead.
 */
export const usageIn = (line: JsonObject): Usage | undefined => {
  const { eval_count: written, prompt_eval_count: read } = line
  if (isGarbage(read) || isGarbage(written) || countOf(read) === 0) return undefined
  return { ...noUsage, input: countOf(read), output: countOf(written) }
}

/** Undefined where the model was only loaded or unloaded: there is no answer. */
export const finishIn = (line: JsonObject, calls: number): FinishReason | undefined => {
  const reason = line["done_reason"]
  if (reason === "load" || reason === "unload") return undefined
  if (reason === "length") return "length"
  return calls > 0 ? "tool_calls" : "stop"
}
