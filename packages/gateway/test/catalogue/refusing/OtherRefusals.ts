/** What Google, xAI, DeepSeek, Moonshot, Z.ai, Qwen, Mistral and MiniMax answer 400 to. */
import { effortBeyond, isForced, names, type Refusal } from "./Refusal.ts"

const PYDANTIC = "pydantic-ai-slim 2.68.0 (PyPI), profiles: tried with the API"
const NEON = "https://dev.to/aihubmix/gemini-4-neon-migration-default-high-thinking-400-errors-and-the-65k-cap-45gj"
const KIMI =
  "https://dev.to/aihubmix/kimi-k31-pro-migration-guide-five-400s-one-404-and-the-claude-code-codex-config-13k"
const GOOGLE = { vendors: ["google-ai-studio"], at: ["gemini"] } as const
const GEMINI_4 = ["gemini-4-*"]

const google: ReadonlyArray<Refusal> = [
  {
    vendors: ["google-ai-studio", "vertex"],
    at: ["gemini"],
    models: names(
      "gemini-4-neon gemini-4-hydrogen gemini-4-carbon gemini-4-argon gemini-3.7-flash gemini-3.8-flash gemini-3*-pro*"
    ),
    feature: "the thinking level minimal",
    isIn: ({ effort }) => effort === "minimal",
    says: () => "Thinking level MINIMAL is not supported for this model. Please use LOW, MEDIUM or HIGH.",
    sources: [NEON, PYDANTIC]
  },
  {
    ...GOOGLE,
    models: names("gemini-4-carbon gemini-4-argon gemini-3*"),
    feature: "a thinking level above high",
    isIn: effortBeyond("minimal", "low", "medium", "high"),
    says: ({ effort }) => `Invalid value at 'generation_config.thinking_config.thinking_level', "${effort}"`,
    sources: [PYDANTIC]
  },
  {
    ...GOOGLE,
    models: names("gemini-4-neon gemini-4-hydrogen"),
    feature: "a thinking level other than low, medium, high and xhigh",
    isIn: effortBeyond("minimal", "low", "medium", "high", "xhigh"),
    says: ({ effort }) => `Invalid value at 'generation_config.thinking_config.thinking_level', "${effort}"`,
    sources: [NEON]
  },
  {
    ...GOOGLE,
    models: GEMINI_4,
    feature: "penalties",
    isIn: ({ penalties }) => penalties,
    says: () => "Penalty is not enabled for this model.",
    sources: [NEON]
  },
  {
    ...GOOGLE,
    models: GEMINI_4,
    feature: "a thinking budget",
    isIn: ({ budget }) => budget !== undefined,
    says: () => "thinking_budget is not supported for this model. Please use thinking_level.",
    sources: [NEON]
  },
  {
    ...GOOGLE,
    models: GEMINI_4,
    feature: "more candidates than one",
    isIn: ({ n }) => n > 1,
    says: () => "Multiple candidates is not enabled for this model.",
    sources: [NEON]
  },
  {
    ...GOOGLE,
    models: GEMINI_4,
    feature: "a last turn of the model",
    isIn: ({ prefill }) => prefill,
    says: () => "Please ensure that multiturn requests end with a user role.",
    sources: [NEON]
  },
  {
    ...GOOGLE,
    models: ["gemini-2.5-*"],
    feature: "a JSON schema together with tools",
    isIn: ({ functions, schema }) => schema !== undefined && functions.length > 0,
    says: () => "Function calling with a response mime type: 'application/json' is unsupported",
    sources: ["@ai-sdk/google 4.0.121 (npm)"]
  }
]

const xai: ReadonlyArray<Refusal> = [
  {
    vendors: ["xai"],
    models: names("grok-4.5 grok-4.6"),
    at: ["chat", "responses"],
    feature: "an effort other than low, medium and high",
    isIn: effortBeyond("low", "medium", "high"),
    says: ({ effort }) => `Model does not support reasoning effort ${effort}`,
    sources: ["https://docs.x.ai/developers/grok-4-7", PYDANTIC]
  },
  {
    vendors: ["xai"],
    models: ["grok-4.7"],
    at: ["chat", "responses"],
    feature: "an effort other than low, medium, high and xhigh",
    isIn: effortBeyond("low", "medium", "high", "xhigh"),
    says: ({ effort }) => `Model does not support reasoning effort ${effort}`,
    sources: ["https://docs.x.ai/developers/grok-4-7", PYDANTIC]
  },
  {
    vendors: ["xai"],
    models: names("grok-4.20* grok-build-0.1"),
    at: ["chat", "responses"],
    feature: "any effort",
    isIn: ({ effort }) => effort !== undefined,
    says: () => "Model does not support parameter reasoningEffort.",
    sources: [PYDANTIC]
  },
  {
    vendors: ["xai"],
    models: names("grok-4.3 grok-4.5 grok-4.6 grok-4.7 grok-build-0.1"),
    at: ["chat"],
    feature: "stop and penalties",
    isIn: ({ penalties, stop }) => penalties || stop,
    says: ({ stop }) => `Model does not support parameter ${stop ? "stop" : "presencePenalty"}.`,
    sources: ["https://docs.x.ai/docs/guides/reasoning"]
  },
  {
    vendors: ["xai"],
    models: ["*"],
    at: ["chat"],
    feature: "tools that xAI runs",
    isIn: ({ hosted }) => hosted.length > 0,
    says: ({ hosted }) => `Tool type ${hosted[0]} is available in the Responses API only.`,
    sources: ["https://docs.apiyi.com/en/api-capabilities/grok/overview"]
  }
]

const deepseek: ReadonlyArray<Refusal> = [
  {
    vendors: ["deepseek"],
    models: ["*"],
    at: ["chat"],
    feature: "response_format json_schema",
    isIn: ({ schema }) => schema !== undefined,
    says: () => "This response_format type is unavailable now",
    sources: [PYDANTIC]
  }
]

const moonshot: ReadonlyArray<Refusal> = [
  {
    vendors: ["moonshot"],
    models: ["kimi-k3*"],
    at: ["chat"],
    feature: "temperature other than 1, top_p, n, penalties",
    isIn: ({ n, penalties, temperature = 1, topP }) => temperature !== 1 || topP !== undefined || n > 1 || penalties,
    says: () => "invalid temperature: only 1 is allowed for this model",
    sources: [KIMI]
  },
  {
    vendors: ["moonshot"],
    models: ["kimi-k3*"],
    at: ["chat"],
    feature: "thinking disabled, effort none",
    isIn: ({ effort, thinking }) => effort === "none" || thinking === "disabled",
    says: () => "invalid reasoning_effort: thinking cannot be disabled for this model",
    sources: [KIMI]
  }
]

const zai: ReadonlyArray<Refusal> = [
  {
    vendors: ["zai"],
    models: ["glm-5.3*"],
    at: ["chat"],
    feature: "thinking disabled, effort none",
    isIn: ({ effort, thinking }) => effort === "none" || thinking === "disabled",
    says: () => "This model does not support disabling thinking.",
    sources: [PYDANTIC, "https://dev.to/owen_fox/glm-53-api-pricing-endpoints-and-reasoningeffort-40oa"]
  },
  {
    vendors: ["zai"],
    models: ["glm-5.3*"],
    at: ["chat"],
    feature: "an effort other than low, high and max",
    isIn: effortBeyond("none", "low", "high", "max"),
    says: ({ effort }) => `Invalid API parameter: reasoning_effort ${effort}`,
    sources: [PYDANTIC]
  },
  {
    vendors: ["zai"],
    models: ["*"],
    at: ["chat"],
    feature: "tool_choice required or a name",
    isIn: isForced,
    says: () => "Invalid API parameter: tool_choice supports auto only",
    sources: ["https://java.agentscope.io/v2/en/integration/model/glm"]
  }
]

const others: ReadonlyArray<Refusal> = [
  {
    vendors: ["qwen"],
    models: ["qwen3.8-max"],
    at: ["chat"],
    feature: "an effort other than low, medium and xhigh",
    isIn: effortBeyond("low", "medium", "xhigh"),
    says: ({ effort }) => `<400> InternalError.Algo.InvalidParameter: reasoning_effort ${effort} is not supported`,
    sources: ["https://dev.to/hassann/how-to-use-the-qwen-38-api-1cgm"]
  },
  {
    vendors: ["qwen"],
    models: ["qwen3-coder*"],
    at: ["chat"],
    feature: "tool_choice required",
    isIn: ({ choice }) => choice === "any",
    says: () =>
      "<400> InternalError.Algo.InvalidParameter: tool_choice is one of the strings that should be auto or none",
    sources: [PYDANTIC]
  },
  {
    vendors: ["mistral"],
    models: ["mistral-large-4*"],
    at: ["chat"],
    feature: "an effort other than none and high",
    isIn: effortBeyond("none", "high"),
    says: ({ effort }) => `reasoning_effort: Input should be 'none' or 'high', got '${effort}'`,
    sources: ["litellm 1.110.2 (PyPI); @ai-sdk/mistral has low, medium and high: the stricter of both is taken"]
  },
  {
    vendors: ["mistral"],
    models: ["magistral-*"],
    at: ["chat"],
    feature: "effort none",
    isIn: ({ effort }) => effort === "none",
    says: () => "reasoning_effort: this model always reasons",
    sources: [`${PYDANTIC}; disputed`]
  },
  {
    vendors: ["minimax"],
    models: ["*"],
    at: ["chat"],
    feature: "a temperature of 0 or above 1",
    isIn: ({ temperature = 1 }) => temperature <= 0 || temperature > 1,
    says: () => "invalid params, temperature must be in (0.0, 1.0] (2013)",
    sources: ["https://www.promptfoo.dev/docs/providers/minimax/"]
  }
]

export const otherRefusals: ReadonlyArray<Refusal> = [...google, ...xai, ...deepseek, ...moonshot, ...zai, ...others]
