/** Answers as vendors write them: what a plan says, whole or as a stream. */
import type { JsonObject } from "../../../src/core/domain/Json.ts"
import type { Used } from "./Bill.ts"
import type { Model } from "./Models.ts"
import { pieceSize, secondsOf, type Plan } from "./Plan.ts"

/** `at`: seconds after the request. */
export interface Piece {
  readonly at: number
  readonly text: string
}

/** A token each, in o200k and in every other tokenizer that matters here. */
export const words = (count: number): string => " the".repeat(count)

export const wholeOf = (model: Model, plan: Plan): string =>
  JSON.stringify(model.provider === "anthropic" ? message(model, plan) : completion(model, plan))

export const piecesOf = (model: Model, plan: Plan): ReadonlyArray<Piece> =>
  model.provider === "anthropic" ? messageEvents(model, plan) : chunks(model, plan)

export const refusalOf = (model: Model, status: number, text: string): string =>
  JSON.stringify(
    model.provider === "anthropic"
      ? { type: "error", error: { type: "invalid_request_error", message: text } }
      : { error: { message: text, type: "invalid_request_error", param: null, code: null, status } }
  )

/** Tokens of one choice in so many pieces, each with the time at which its last token is there. */
const saidOf = (plan: Plan): ReadonlyArray<{ readonly at: number; readonly count: number }> => {
  const { choices, perSecond, said, silent, thought } = plan
  const each = Math.floor(said / choices)
  const size = pieceSize(plan)
  const pieces: Array<{ at: number; count: number }> = []
  for (let done = 0; done < each; done += size) {
    const count = Math.min(size, each - done)
    pieces.push({ at: silent + (thought + (done + count) * choices) / perSecond, count })
  }
  return pieces
}

// ---- OpenAI's chat completions --------------------------------------------------------------------------------------

const head = { id: "chatcmpl-adversary", created: 1_790_000_000 }

const chatUsage = (model: Model, { used }: Plan): JsonObject => {
  const prompt = used.input + used.cachedInput + used.audioInput
  const completion = used.output + used.audioOutput
  return {
    prompt_tokens: prompt,
    // Google's compatible answers tell what was thought in the total alone.
    completion_tokens: model.provider === "google" ? completion - used.reasoning : completion,
    total_tokens: prompt + completion,
    prompt_tokens_details: { cached_tokens: used.cachedInput, audio_tokens: used.audioInput },
    completion_tokens_details: { reasoning_tokens: used.reasoning, audio_tokens: used.audioOutput }
  }
}

const tierOf = ({ provider }: Model, { tier }: Plan): JsonObject =>
  provider === "openai" ? { service_tier: tier } : {}

const completion = (model: Model, plan: Plan): JsonObject => ({
  ...head,
  object: "chat.completion",
  model: model.model,
  choices: Array.from({ length: plan.choices }, (_, index) => ({
    index,
    message: {
      role: "assistant",
      content: plan.used.audioOutput > 0 ? null : words(Math.floor(plan.said / plan.choices)),
      refusal: null,
      ...(plan.used.audioOutput > 0
        ? { audio: { id: "audio_1", data: "AAAA", expires_at: 1, transcript: " the" } }
        : {})
    },
    finish_reason: plan.finish,
    logprobs: null
  })),
  ...tierOf(model, plan),
  ...(model.tellsUsage ? { usage: chatUsage(model, plan) } : {})
})

const chunks = (model: Model, plan: Plan): ReadonlyArray<Piece> => {
  const event = (fields: JsonObject) =>
    `data: ${JSON.stringify({ ...head, object: "chat.completion.chunk", model: model.model, ...tierOf(model, plan), ...fields })}\n\n`
  const delta = (index: number, given: JsonObject, finish_reason: string | null = null) =>
    event({ choices: [{ index, delta: given, finish_reason, logprobs: null }], usage: null })
  const indices = Array.from({ length: plan.choices }, (_, index) => index)
  const each = (text: (index: number) => string) => indices.map(text).join("")
  const spoken = (count: number) =>
    plan.used.audioOutput > 0 ? { audio: { id: "audio_1", data: "AAAA" } } : { content: words(count) }
  const end = secondsOf(plan)
  const said = saidOf(plan)
  // Where no usage is told the last words come with the finish, as llama.cpp's old servers send them.
  const last = model.tellsUsage ? undefined : said.at(-1)
  return [
    { at: plan.silent, text: each((index) => delta(index, { role: "assistant", content: "" })) },
    ...said
      .filter((piece) => piece !== last)
      .map(({ at, count }) => ({ at, text: each((index) => delta(index, spoken(count))) })),
    { at: end, text: each((index) => delta(index, last === undefined ? {} : spoken(last.count), plan.finish)) },
    ...(model.tellsUsage ? [{ at: end, text: event({ choices: [], usage: chatUsage(model, plan) }) }] : []),
    { at: end, text: "data: [DONE]\n\n" }
  ]
}

// ---- Anthropic's messages -------------------------------------------------------------------------------------------

const claudeUsage = (used: Used, output_tokens: number): JsonObject => ({
  input_tokens: used.input,
  cache_creation_input_tokens: used.cacheWrite,
  cache_read_input_tokens: used.cachedInput,
  output_tokens,
  service_tier: "standard",
  ...(used.searches > 0 ? { server_tool_use: { web_search_requests: used.searches } } : {})
})

const envelope = (model: Model, content: ReadonlyArray<JsonObject>, fields: JsonObject): JsonObject => ({
  id: "msg_adversary",
  type: "message",
  role: "assistant",
  model: model.model,
  content,
  stop_sequence: null,
  ...fields
})

const stopReason = ({ finish }: Plan): string => (finish === "length" ? "max_tokens" : "end_turn")

const message = (model: Model, plan: Plan): JsonObject =>
  envelope(model, [{ type: "text", text: words(plan.said) }], {
    stop_reason: stopReason(plan),
    usage: claudeUsage(plan.used, plan.used.output)
  })

const messageEvents = (model: Model, plan: Plan): ReadonlyArray<Piece> => {
  const event = (type: string, fields: JsonObject) => `event: ${type}\ndata: ${JSON.stringify({ type, ...fields })}\n\n`
  const end = secondsOf(plan)
  const begun = envelope(model, [], { stop_reason: null, usage: claudeUsage(plan.used, 1) })
  return [
    {
      at: Math.min(1, plan.silent),
      text:
        event("message_start", { message: begun }) +
        event("content_block_start", { index: 0, content_block: { type: "text", text: "" } })
    },
    ...saidOf(plan).map(({ at, count }) => ({
      at,
      text: event("content_block_delta", { index: 0, delta: { type: "text_delta", text: words(count) } })
    })),
    {
      at: end,
      text:
        event("content_block_stop", { index: 0 }) +
        event("message_delta", {
          delta: { stop_reason: stopReason(plan), stop_sequence: null },
          usage: claudeUsage(plan.used, plan.used.output)
        }) +
        event("message_stop", {})
    }
  ]
}
