/** Every parameter of every operation, with a value that asks for something, beside a request that has none of them. */
import type { JsonObject } from "../../../src/core/domain/Json.ts"

export interface Face {
  readonly path: string
  readonly plain: JsonObject
  /** By name; a function changes the plain request. */
  readonly parameters: { readonly [name: string]: unknown }
}

/** A parameter is told apart from a field of a message by being a function. */
export const inside = (change: (plain: JsonObject) => JsonObject) => change

const weather = {
  name: "get_weather",
  description: "The weather",
  parameters: {
    type: "object",
    properties: { city: { type: "string" } },
    required: ["city"],
    additionalProperties: false
  }
}
const tools = [{ type: "function", function: weather }]
const flat = [{ type: "function", ...weather, strict: false }]
const schema = weather.parameters
const message = (fields: JsonObject) =>
  inside((plain) => ({ ...plain, messages: [{ role: "user", content: "Hello", ...fields }] }))

const chat: Face = {
  path: "/v1/chat/completions",
  plain: { messages: [{ role: "user", content: "Hello" }] },
  parameters: {
    frequency_penalty: 0.5,
    function_call: inside((plain) => ({ ...plain, functions: [weather], function_call: "auto" })),
    functions: [weather],
    logit_bias: { "50256": -100 },
    logprobs: true,
    max_completion_tokens: 99,
    max_tokens: 99,
    metadata: { job: "1" },
    min_p: 0.1,
    modalities: ["text", "audio"],
    n: 2,
    parallel_tool_calls: inside((plain) => ({ ...plain, tools, parallel_tool_calls: false })),
    prediction: { type: "content", content: "Hello" },
    presence_penalty: 0.5,
    prompt_cache_key: "k",
    prompt_cache_retention: "24h",
    reasoning_effort: "low",
    repetition_penalty: 1.1,
    "response_format, an object": inside((plain) => ({ ...plain, response_format: { type: "json_object" } })),
    "response_format, a schema": inside((plain) => ({
      ...plain,
      response_format: { type: "json_schema", json_schema: { name: "a", schema } }
    })),
    safety_identifier: "s",
    seed: 7,
    service_tier: "flex",
    stop: ["END"],
    store: true,
    temperature: 0.5,
    tool_choice: inside((plain) => ({ ...plain, tools, tool_choice: "required" })),
    tools,
    "tools.strict": inside((plain) => ({
      ...plain,
      tools: [{ type: "function", function: { ...weather, strict: true } }]
    })),
    top_k: 5,
    top_logprobs: inside((plain) => ({ ...plain, logprobs: true, top_logprobs: 2 })),
    top_p: 0.5,
    unknown_parameter: "x",
    user: "u",
    verbosity: "low",
    web_search_options: { search_context_size: "low" },
    "messages.name": message({ name: "ada" }),
    "image_url.detail": message({
      content: [{ type: "image_url", image_url: { url: "data:image/png;base64,iVBORw0KGgo=", detail: "high" } }]
    })
  }
}

const responses: Face = {
  path: "/v1/responses",
  plain: { input: "Hello" },
  parameters: {
    include: ["message.output_text.logprobs"],
    instructions: "Be brief.",
    max_output_tokens: 99,
    max_tool_calls: 3,
    metadata: { job: "1" },
    parallel_tool_calls: inside((plain) => ({ ...plain, tools: flat, parallel_tool_calls: false })),
    prompt_cache_key: "k",
    reasoning: { effort: "low" },
    "reasoning.summary": inside((plain) => ({ ...plain, reasoning: { summary: "auto" } })),
    safety_identifier: "s",
    service_tier: "flex",
    temperature: 0.5,
    "text.format": inside((plain) => ({ ...plain, text: { format: { type: "json_schema", name: "a", schema } } })),
    "text.verbosity": inside((plain) => ({ ...plain, text: { verbosity: "low" } })),
    tool_choice: inside((plain) => ({ ...plain, tools: flat, tool_choice: "required" })),
    tools: flat,
    "tools, hosted": inside((plain) => ({ ...plain, tools: [{ type: "web_search" }] })),
    top_logprobs: 2,
    top_p: 0.5,
    truncation: "auto",
    unknown_parameter: "x",
    user: "u"
  }
}

const own = [{ name: "get_weather", input_schema: schema }]

const messages: Face = {
  path: "/v1/messages",
  plain: { max_tokens: 4_096, messages: [{ role: "user", content: "Hello" }] },
  parameters: {
    cache_control: { type: "ephemeral" },
    container: "container_1",
    context_management: { edits: [{ type: "clear_tool_uses_20250919" }] },
    max_tokens: 99,
    mcp_servers: [{ type: "url", url: "https://mcp.example", name: "m" }],
    metadata: { user_id: "u" },
    "output_config.effort": inside((plain) => ({
      ...plain,
      thinking: { type: "adaptive" },
      output_config: { effort: "low" }
    })),
    "output_config.format": inside((plain) => ({
      ...plain,
      output_config: { format: { type: "json_schema", schema } }
    })),
    service_tier: "standard_only",
    stop_sequences: ["END"],
    system: "Be brief.",
    temperature: 0.5,
    thinking: { type: "enabled", budget_tokens: 1_024 },
    tool_choice: inside((plain) => ({ ...plain, tools: own, tool_choice: { type: "any" } })),
    "tool_choice.disable_parallel_tool_use": inside((plain) => ({
      ...plain,
      tools: own,
      tool_choice: { type: "auto", disable_parallel_tool_use: true }
    })),
    tools: own,
    "tools, hosted": inside((plain) => ({ ...plain, tools: [{ type: "web_search_20250305", name: "web_search" }] })),
    top_k: 5,
    top_p: 0.5,
    unknown_parameter: "x"
  }
}

const completions: Face = {
  path: "/v1/completions",
  plain: { prompt: "Hello" },
  parameters: {
    best_of: 2,
    echo: true,
    frequency_penalty: 0.5,
    logit_bias: { "50256": -100 },
    logprobs: 2,
    max_tokens: 99,
    n: 2,
    presence_penalty: 0.5,
    seed: 7,
    stop: ["END"],
    suffix: "!",
    temperature: 0.5,
    top_p: 0.5,
    unknown_parameter: "x",
    user: "u"
  }
}

const embeddings: Face = {
  path: "/v1/embeddings",
  plain: { input: "Hello" },
  parameters: { dimensions: 64, encoding_format: "base64", input_type: "query", unknown_parameter: "x", user: "u" }
}

const images: Face = {
  path: "/v1/images/generations",
  plain: { prompt: "A cat" },
  parameters: {
    background: "transparent",
    moderation: "low",
    n: 2,
    output_compression: 50,
    output_format: "webp",
    quality: "low",
    response_format: "b64_json",
    size: "1024x1024",
    style: "vivid",
    unknown_parameter: "x",
    user: "u"
  }
}

const speech: Face = {
  path: "/v1/audio/speech",
  plain: { input: "Hello", voice: "alloy" },
  parameters: { instructions: "Slowly.", response_format: "wav", speed: 1.5, unknown_parameter: "x" }
}

const moderations: Face = {
  path: "/v1/moderations",
  plain: { input: "Hello" },
  parameters: { unknown_parameter: "x" }
}

export const faces = { chat, responses, messages, completions, embeddings, images, speech, moderations }
