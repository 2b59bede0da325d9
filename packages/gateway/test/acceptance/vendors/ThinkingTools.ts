/** OpenAI's server, played: its chat endpoint refuses what the real one refuses of models that think. */
import { type Asked, completion, completionEvents, event, type Reply } from "../../support/Upstream.ts"

const refused = (message: string, param: string | null = null): Reply => ({
  status: 400,
  body: { error: { message, type: "invalid_request_error", param, code: null } }
})

/** Models whose effort is `none` where a request names none. */
const RESTS = /^gpt-(?:4|5\.4)/
/** Models that can't be told not to think. */
const ALWAYS = /^gpt-6\.2/

const isCalled = (body: Asked["body"]): boolean => Array.isArray(body.tools) && body.tools.length > 0

const item = { id: "fc_1", type: "function_call", call_id: "call_1", name: "weather", arguments: '{"city":"Rome"}' }
const message = (text: string) => ({
  id: "msg_1",
  type: "message",
  role: "assistant",
  status: "completed",
  content: [{ type: "output_text", text, annotations: [] }]
})

const head = { id: "resp_1", object: "response", created_at: 1_760_000_000, model: "m", error: null }
const usage = { input_tokens: 12, output_tokens: 6, total_tokens: 18 }

const responseOf = (body: Asked["body"]): Reply => {
  if (typeof body.max_output_tokens === "number" && body.max_output_tokens < 16) {
    return refused(
      `Invalid 'max_output_tokens': integer below minimum value. Expected a value >= 16, but got ${body.max_output_tokens} instead.`,
      "max_output_tokens"
    )
  }
  const isDone = JSON.stringify(body.input).includes("function_call_output")
  const output = isCalled(body) && !isDone ? [item] : [message("Hello")]
  const completed = { ...head, status: "completed", output, usage }
  if (body.stream !== true) return { body: completed }
  const [first] = output
  const pieces =
    first === item
      ? [
          { type: "response.output_item.added", output_index: 0, item: { ...item, arguments: "" } },
          { type: "response.function_call_arguments.delta", item_id: "fc_1", output_index: 0, delta: '{"city":' },
          { type: "response.function_call_arguments.delta", item_id: "fc_1", output_index: 0, delta: '"Rome"}' },
          { type: "response.output_item.done", output_index: 0, item }
        ]
      : [{ type: "response.output_text.delta", item_id: "msg_1", output_index: 0, content_index: 0, delta: "Hello" }]
  return {
    body: [
      { type: "response.created", response: { ...head, status: "in_progress", output: [] } },
      ...pieces,
      { type: "response.completed", response: completed }
    ].map((one, sequence_number) => event({ ...one, sequence_number }))
  }
}

export const NO_TOOLS =
  "Function tools with reasoning_effort are not supported for this model in /v1/chat/completions. To use function tools, use /v1/responses or set reasoning_effort to 'none'."

export const thinkingModels = ({ body, path }: Asked): Reply => {
  const isChat = path.startsWith("/v1/chat/completions") || path.startsWith("/openai/v1/chat/completions")
  const { reasoning_effort: effort = RESTS.test(body.model) ? "none" : "medium" } = body
  const asked: unknown = isChat ? body.reasoning_effort : body.reasoning?.effort
  if (ALWAYS.test(body.model) && asked === "none") return refused("Unsupported value: 'none'", "reasoning_effort")
  if (!isChat) return responseOf(body)
  if (effort === "max") return refused("Unsupported value: 'max'", "reasoning_effort")
  if (isCalled(body) && effort !== "none") return refused(NO_TOOLS, "reasoning_effort")
  const call = { id: "call_0", type: "function", function: { name: "weather", arguments: "{}" } }
  if (body.stream === true) return { body: completionEvents("Hel", "lo") }
  return isCalled(body)
    ? {
        body: completion("", {
          choices: [
            {
              index: 0,
              message: { role: "assistant", content: null, tool_calls: [call] },
              finish_reason: "tool_calls",
              logprobs: null
            }
          ]
        })
      }
    : { body: completion("Hello") }
}
