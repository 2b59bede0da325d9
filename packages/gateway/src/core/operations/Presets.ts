/** A request with the operator's parameters, read anew: its bound, its features and its output limit are those of what is sent. */
import { Predicate, Result } from "effect"
import type { Deployment } from "../domain/Deployment.ts"
import type { InvalidField } from "../domain/Errors.ts"
import type { JsonObject } from "../domain/Json.ts"
import type { PresetParameters, Presets } from "../domain/Presets.ts"
import type { CallRequest } from "./CallRequest.ts"
import { effortOfShare } from "./messages/ChatEffort.ts"
import type { Operation } from "./Operation.ts"
import { given } from "./RequestScan.ts"

/** How an operation spells a parameter: paths in its body. */
interface Spelling {
  readonly maxTokens?: string
  /** Where a caller says how much to think, in any words. */
  readonly thought: ReadonlyArray<string>
  readonly effort?: string
}

const spellings: { readonly [operation: string]: Spelling } = {
  chat: {
    maxTokens: "max_tokens",
    thought: ["reasoning_effort", "reasoning", "thinking", "enable_thinking", "think"],
    effort: "reasoning_effort"
  },
  responses: { maxTokens: "max_output_tokens", thought: ["reasoning.effort"], effort: "reasoning.effort" },
  messages: { maxTokens: "max_tokens", thought: ["output_config.effort", "thinking"], effort: "output_config.effort" },
  completions: { maxTokens: "max_tokens", thought: ["reasoning_effort"] }
}

/** Protocols whose chat has a budget of thinking as `thinking`. */
const TAKES_BUDGETS: ReadonlySet<string> = new Set(["anthropic-messages", "gemini", "cohere-v2", "bedrock"])

/** The request itself where nothing of it changes: forms, and operations that no preset is about. */
export const withPresets = (
  operation: Operation,
  request: CallRequest,
  { defaults, fixed }: Presets,
  deployment: Deployment
): Result.Result<CallRequest, InvalidField> => {
  if (request.files !== undefined || operation.path.endsWith("/compact")) return Result.succeed(request)
  const { name, readAs = name } = operation
  const body = applied(applied(request.body, defaults, readAs, deployment, false), fixed, readAs, deployment, true)
  if (body === request.body) return Result.succeed(request)
  // The text is counted from the size of the body as it came; what was added can't be more tokens than bytes.
  const added = Buffer.byteLength(JSON.stringify([defaults.extraBody, fixed.extraBody])) + FRAME
  return Result.map(
    operation.read({ kind: "json", value: body, bytes: 0, long: request.long }),
    (again): CallRequest => ({
      ...again,
      textBound: request.textBound + added,
      inputEstimate: request.inputEstimate,
      mediaEstimate: request.mediaEstimate,
      ...(request.separate === undefined ? {} : { separate: request.separate })
    })
  )
}

/** Bytes of the fields that are no part of `extra_body`. */
const FRAME = 256

const applied = (
  body: JsonObject,
  parameters: PresetParameters,
  operation: string,
  deployment: Deployment,
  isFixed: boolean
): JsonObject => {
  const { effort, extraBody, maxTokens, temperature, thinking } = parameters
  const spelling = spellings[operation]
  let changed = body
  const put = (path: string, value: unknown, said: ReadonlyArray<string> = [path]) => {
    if (!isFixed && said.some((one) => given(at(changed, one)) !== undefined)) return
    for (const one of said) if (at(changed, one) !== undefined) changed = replaced(changed, one, undefined)
    changed = replaced(changed, path, value)
  }
  for (const [name, value] of Object.entries(extraBody ?? {})) put(name, value)
  if (spelling === undefined) return changed
  if (maxTokens !== undefined && spelling.maxTokens !== undefined) {
    put(spelling.maxTokens, maxTokens, operation === "chat" ? ["max_tokens", "max_completion_tokens"] : undefined)
  }
  if (temperature !== undefined) put("temperature", temperature)
  if (spelling.effort === undefined) return changed
  if (thinking !== undefined && takesBudget(operation, deployment)) {
    put("thinking", { type: "enabled", budget_tokens: thinking }, spelling.thought)
  } else {
    const wanted = thinking === undefined ? effort : nearestEffort(thinking, changed, spelling, deployment)
    if (wanted === "none" && operation === "messages") put("thinking", { type: "disabled" }, spelling.thought)
    else if (wanted !== undefined) put(spelling.effort, wanted, spelling.thought)
  }
  return changed
}

/** Messages bring a budget to every model as what it takes; in chat it needs a model that counts tokens. */
const takesBudget = (operation: string, { facts, protocol }: Deployment): boolean => {
  if (operation !== "chat" || !TAKES_BUDGETS.has(protocol)) return operation === "messages"
  const { budget, mode } = facts?.reasoning ?? {}
  return budget !== false && (mode === undefined || mode === "budget" || mode === "hybrid")
}

const nearestEffort = (budget: number, body: JsonObject, { maxTokens = "" }: Spelling, deployment: Deployment) => {
  const most = given(body[maxTokens]) ?? deployment.maxOutputTokens
  return typeof most === "number" && most > 0 ? effortOfShare(budget / most) : "medium"
}

/** `path`: a field, or a field of a field. */
const at = (body: JsonObject, path: string): unknown => {
  const [name = "", inner] = path.split(".")
  const value = body[name]
  return inner === undefined ? value : Predicate.isObject(value) ? (value as JsonObject)[inner] : undefined
}

const replaced = (body: JsonObject, path: string, value: unknown): JsonObject => {
  const [name = "", inner] = path.split(".")
  const next = inner === undefined ? value : replaced((body[name] ?? {}) as JsonObject, inner, value)
  if (next !== undefined) return { ...body, [name]: next }
  const { [name]: _, ...others } = body
  return others
}
