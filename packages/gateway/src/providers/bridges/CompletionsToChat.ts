/** Legacy completions by models that only chat. One prompt is one call; several would be charged each, so they are refused. */
import { Result } from "effect"
import { Unsupported } from "../../core/domain/Failures.ts"
import { decisionName } from "../../core/domain/Deployment.ts"
import type { JsonObject } from "../../core/domain/Json.ts"
import type { UpstreamCall, LiftedAnswer, StreamEvent } from "../../core/pool/Protocol.ts"
import type { Bridge } from "./Bridge.ts"

const down = (call: UpstreamCall): Result.Result<UpstreamCall, Unsupported> => {
  const { long: _, tokens: __, ...request } = call.request
  const { best_of: best, echo, logprobs, prompt, suffix } = request.body
  const refused = (param: string, what: string, instead: string) =>
    Result.fail(
      new Unsupported({
        param,
        message: `${decisionName(call.deployment)} serves completions through chat, which has no ${what}: ${instead}, or choose a model with completions of its own`
      })
    )
  const text = Array.isArray(prompt) && prompt.length === 1 ? (prompt[0] as unknown) : prompt
  if (request.separate !== undefined) return refused("prompt", "lists of prompts", "send one prompt in each request")
  if (typeof text !== "string") return refused("prompt", "prompts of tokens", "send the text")
  if (isGiven(echo)) return refused("echo", "`echo`", "leave it out")
  if (isGiven(suffix)) return refused("suffix", "`suffix`", "leave it out")
  if (isGiven(logprobs) || logprobs === 0) return refused("logprobs", "`logprobs` of this form", "leave it out")
  if (typeof best === "number" && best > request.choices) return refused("best_of", "`best_of`", "leave it out")
  if (request.maxOutput === 0) return refused("max_tokens", "response without tokens", "request at least one")
  const isSame = (name: string): boolean => SAME.has(name)
  const dropped = Object.keys(request.body).filter(
    (name) => !isSame(name) && !GIVEN_ABOVE.has(name) && isGiven(request.body[name])
  )
  if (call.strict && dropped.length > 0) return refused(dropped[0]!, `\`${dropped[0]}\``, "leave it out")
  const body = {
    ...Object.fromEntries(Object.entries(request.body).filter(([name]) => isSame(name))),
    messages: [{ role: "user", content: text }]
  }
  return Result.succeed({ ...call, operation: "chat", request: { ...request, contents: "messages", body }, dropped })
}

/** Fields of the same name and meaning. Others, such as tools, may be billed in chat, and mean nothing in a completion. */
const SAME = new Set(
  `model max_tokens temperature top_p top_k min_p n stream stream_options stop presence_penalty frequency_penalty
  repetition_penalty logit_bias seed user service_tier reasoning_effort metadata`.split(/\s+/)
)

const GIVEN_ABOVE = new Set(["best_of", "echo", "logprobs", "prompt", "suffix"])

const isGiven = (value: unknown): boolean => value !== undefined && value !== null && value !== "" && value !== false

const up = ({ body, ...answer }: LiftedAnswer): LiftedAnswer => ({
  ...answer,
  text: undefined,
  body: completionOf(body, "message")
})

const completionOf = (
  { choices, id, object: _, service_tier: __, ...rest }: JsonObject,
  part: "message" | "delta"
): JsonObject => ({
  id: String(id).replace(/^chatcmpl-/, "cmpl-"),
  object: "text_completion",
  ...rest,
  choices: Array.isArray(choices) ? choices.map((choice: JsonObject) => choiceOf(choice, part)) : []
})

/** Completions have no place for thoughts. They stand beside the text, since they are billed. */
const choiceOf = (choice: JsonObject, part: "message" | "delta"): JsonObject => {
  const said = (choice[part] ?? {}) as JsonObject
  const { content, reasoning, reasoning_content: thoughts = reasoning, refusal } = said
  const { finish_reason: reason, index } = choice
  return {
    text: typeof content === "string" ? content : typeof refusal === "string" ? refusal : "",
    index,
    logprobs: null,
    finish_reason: reason === "tool_calls" || reason === "function_call" ? "stop" : (reason ?? null),
    ...(typeof thoughts === "string" && thoughts !== "" ? { reasoning_content: thoughts } : {})
  }
}

export const CompletionsToChat: Bridge = {
  from: "completions",
  to: "chat",
  down,
  up,
  upStream: () => ({ push: (event) => [raised(event)], end: () => [] })
}

const raised = (event: StreamEvent): StreamEvent => {
  if (!("data" in event)) return event
  const data = JSON.stringify(completionOf(JSON.parse(event.data) as JsonObject, "delta"))
  return { ...event, data }
}
