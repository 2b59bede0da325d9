/** The second attempt at a deployment that can't verify a history's signatures and encrypted thoughts goes without them. */
import { ProviderFailure } from "../../core/domain/Failures.ts"
import type { UpstreamCall } from "../../core/pool/Protocol.ts"
import { isObject, type JsonObject } from "../json/LooseJson.ts"

/** Named as dropped where the second attempt left the history's thoughts out. */
export const UNVERIFIABLE = "history.unverifiable"

/** A message is searched only this far: after that it may quote the caller's text. */
const MAX_READ = 500

/**
 * What vendors say: OpenAI (`invalid_encrypted_content`, https://github.com/envoyproxy/ai-gateway/issues/2451), Anthropic, also behind
 * Bedrock and Vertex ("Invalid `signature` in `thinking` block", "Expected `thinking` or `redacted_thinking`, but found `tool_use`",
 * https://platform.claude.com/docs/en/build-with-claude/preserved-thinking), Gemini ("Thought signature is not valid",
 * "missing a `thought_signature`"), Moonshot ("reasoning_content is missing"); read 2026-11-27.
 */
const WORDS =
  /encrypted[_ ]content|encrypted (?:reasoning|thinking)|invalid .{0,3}signature|signature.{0,40} (?:invalid|not valid|could not be verified)|thought[_ ]signature|bound to a different|expected .{0,3}thinking|thinking.{0,60} cannot be modified|reasoning_content.{0,20} missing/i

const saysUnverifiable = ({ class: name, code, message }: ProviderFailure): boolean =>
  name === "bad_request" && (code === "invalid_encrypted_content" || WORDS.test(message.slice(0, MAX_READ)))

/** The refusal, marked where a second attempt without the history's thoughts is worthwhile. */
export const withSecondAttempt = (failure: ProviderFailure, call: UpstreamCall): ProviderFailure =>
  call.portable === true || call.strict || !saysUnverifiable(failure) || portable(call) === call
    ? failure
    : new ProviderFailure({ ...failure, message: failure.message, portable: true })

/** `call` itself where its history holds nothing to verify. */
export const portable = (call: UpstreamCall): UpstreamCall => {
  const { body, contents } = call.request
  const turns = body[contents]
  if (!Array.isArray(turns)) return call
  const kept = turns.flatMap((turn: unknown) => turnWithout(turn))
  const isBudget = isObject(body["thinking"]) && body["thinking"]["type"] === "enabled" && isOpen(kept)
  if (!isBudget && kept.length === turns.length && kept.every((turn, index) => turn === turns[index])) return call
  const { thinking: _, ...unthinking } = body
  return { ...call, request: { ...call.request, body: { ...(isBudget ? unthinking : body), [contents]: kept } } }
}

/** Fields of chat messages and of their calls. */
const SEALED_FIELDS = ["thinking_blocks", "reasoning_details", "extra_content"]

const isThought = (block: unknown): boolean =>
  isObject(block) && (block["type"] === "thinking" || block["type"] === "redacted_thinking")

const turnWithout = (turn: unknown): ReadonlyArray<unknown> => {
  if (!isObject(turn)) return [turn]
  if (turn["type"] === "reasoning") return []
  const { content, tool_calls: calls } = turn
  let kept = withoutFields(turn)
  if (Array.isArray(calls) && calls.some((call) => isObject(call) && withoutFields(call) !== call)) {
    kept = { ...kept, tool_calls: calls.map((call: unknown) => (isObject(call) ? withoutFields(call) : call)) }
  }
  if (turn["role"] !== "assistant" || !Array.isArray(content) || !content.some(isThought)) return [kept]
  const rest = content.filter((block) => !isThought(block))
  return rest.length === 0 ? [] : [{ ...kept, content: rest }]
}

const withoutFields = (fields: JsonObject): JsonObject =>
  SEALED_FIELDS.some((name) => fields[name] !== undefined)
    ? Object.fromEntries(Object.entries(fields).filter(([name]) => !SEALED_FIELDS.includes(name)))
    : fields

/** Whether the last turn gives results: with a budget, the turn before it has to begin with signed thoughts. */
const isOpen = (turns: ReadonlyArray<unknown>): boolean => {
  const last = turns.at(-1)
  const content = isObject(last) && last["role"] === "user" ? last["content"] : undefined
  return Array.isArray(content) && content.some((block) => isObject(block) && block["type"] === "tool_result")
}
