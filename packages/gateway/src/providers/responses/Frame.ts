import type { UpstreamCall } from "../../core/pool/Protocol.ts"
import { objectOr, textOf, type JsonObject } from "../json/LooseJson.ts"

export const responseFrame = ({ now, request }: UpstreamCall, id: string, model: unknown): JsonObject => {
  const { body } = request
  const given = (name: string, otherwise: unknown): unknown => body[name] ?? otherwise
  const reasoning = objectOr(body["reasoning"])
  const text = objectOr(body["text"])
  return {
    id,
    object: "response",
    created_at: Math.floor(now / 1000),
    status: "in_progress",
    background: false,
    completed_at: null,
    error: null,
    frequency_penalty: given("frequency_penalty", 0),
    incomplete_details: null,
    instructions: given("instructions", null),
    max_output_tokens: given("max_output_tokens", null),
    max_tool_calls: given("max_tool_calls", null),
    metadata: given("metadata", {}),
    model: textOf(model) ?? request.model,
    output: [],
    parallel_tool_calls: given("parallel_tool_calls", true),
    presence_penalty: given("presence_penalty", 0),
    previous_response_id: body["previous_response_id"] || null,
    prompt_cache_key: given("prompt_cache_key", null),
    reasoning: { effort: reasoning["effort"] ?? null, summary: reasoning["summary"] ?? null },
    safety_identifier: given("safety_identifier", null),
    service_tier: given("service_tier", "default"),
    store: given("store", true),
    temperature: given("temperature", 1),
    text: { format: { type: "text" }, ...withoutNulls(text) },
    tool_choice: given("tool_choice", "auto"),
    tools: given("tools", []),
    top_logprobs: given("top_logprobs", 0),
    top_p: given("top_p", 1),
    truncation: given("truncation", "disabled"),
    usage: null,
    user: given("user", null)
  }
}

const withoutNulls = (fields: JsonObject): JsonObject =>
  Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== null))
