/** What Claude answers 400 to, at Anthropic and where others serve it. */
import { isForced, names, type Refusal } from "./Refusal.ts"
import type { Seen } from "./Seen.ts"

const PYDANTIC = "pydantic-ai-slim 2.68.0 (PyPI), profiles/anthropic.py: tried with the API"
const AI_SDK = "@ai-sdk/anthropic 3.0.140 (npm)"
const OPUS = "https://platform.claude.com/docs/en/models/opus-5-5/whats-new-opus-5-5"
const SETTINGS =
  "https://dev.to/persimmoq/claude-opus-55-sonnet-55-5-settings-that-return-400-when-you-only-change-the-model-name-5g36"
const MIGRATION = "https://openrouter.ai/docs/cookbook/evaluate-and-optimize/model-migrations/claude-5-5"

/** Wherever it is served, in whatever spelling. */
const spelled = (text: string): ReadonlyArray<string> =>
  names(text).flatMap((name) => [name, `*.anthropic.${name}`, `*.anthropic.${name}-*`, `${name}-20*`, `${name}@*`])

const CLAUDE = { vendors: ["anthropic", "vertex", "bedrock"], at: ["messages", "converse"] } as const

const NO_FORCED = spelled(
  "claude-fable-5-1 claude-fable-5-2 claude-mythos-5-1 claude-mythos-5-2 claude-opus-5-5 claude-sonnet-5-5"
)
const ALWAYS = spelled(
  "claude-fable-5 claude-fable-5-1 claude-fable-5-2 claude-mythos-5 claude-mythos-5-1 claude-mythos-5-2 claude-opus-5-5"
)
const FIVE =
  "claude-fable-5 claude-fable-5-1 claude-fable-5-2 claude-mythos-5 claude-mythos-5-1 claude-mythos-5-2 claude-opus-5 claude-opus-5-5 claude-sonnet-5 claude-sonnet-5-5 claude-haiku-5-5"
const FROM_4_7 = spelled(`claude-opus-4-7 claude-opus-4-8 ${FIVE}`)
const FROM_4_6 = spelled(`claude-opus-4-6 claude-sonnet-4-6 claude-opus-4-7 claude-opus-4-8 ${FIVE}`)
const OF_4_5 = spelled("claude-opus-4-5 claude-sonnet-4-5 claude-haiku-4-5")

const thinksOnBudget = ({ thinking }: Seen): boolean => thinking === "enabled"

export const anthropicRefusals: ReadonlyArray<Refusal> = [
  {
    ...CLAUDE,
    models: NO_FORCED,
    feature: "tool_choice any or tool",
    isIn: isForced,
    says: () => "tool_choice: forced tool use is not supported by this model. Use auto or none.",
    sources: [OPUS, AI_SDK, PYDANTIC]
  },
  {
    ...CLAUDE,
    models: OF_4_5,
    feature: "tool_choice any or tool with a thinking budget",
    isIn: (seen) => isForced(seen) && thinksOnBudget(seen),
    says: () => "Thinking may not be enabled when tool_choice forces tool use.",
    sources: [PYDANTIC]
  },
  {
    ...CLAUDE,
    models: ALWAYS,
    feature: "thinking disabled",
    isIn: ({ thinking }) => thinking === "disabled",
    says: () => '"thinking.type.disabled" is not supported for this model.',
    sources: [SETTINGS, AI_SDK, "https://docs.apiyi.com/en/live/2026-11/claude-thinking-guide-refresh"]
  },
  {
    ...CLAUDE,
    models: spelled("claude-sonnet-5-5"),
    feature: "thinking disabled: between_tools is the least",
    isIn: ({ thinking }) => thinking === "disabled",
    says: () => '"thinking.type.disabled" is not supported for this model. Use "thinking.type.between_tools".',
    sources: [SETTINGS, AI_SDK, PYDANTIC]
  },
  {
    ...CLAUDE,
    models: spelled("claude-opus-5 claude-haiku-5-5 claude-sonnet-5-5"),
    feature: "effort xhigh or max without thinking",
    isIn: ({ effort = "", thinking = "" }) =>
      ["disabled", "between_tools"].includes(thinking) && ["xhigh", "max"].includes(effort),
    says: ({ thinking }) => `output_config.effort: at most high with thinking ${thinking}`,
    sources: [AI_SDK, PYDANTIC]
  },
  {
    ...CLAUDE,
    models: FROM_4_7,
    feature: "thinking with budget_tokens",
    isIn: thinksOnBudget,
    says: () =>
      '"thinking.type.enabled" is not supported for this model. Use "thinking.type.adaptive" and "output_config.effort" to control thinking behavior.',
    sources: [PYDANTIC]
  },
  {
    ...CLAUDE,
    models: FROM_4_7,
    feature: "temperature, top_p or top_k",
    isIn: ({ temperature, topK, topP }) => (temperature ?? 1) !== 1 || (topP ?? 1) !== 1 || topK !== undefined,
    says: ({ temperature }) =>
      `\`${temperature === undefined ? "top_p" : "temperature"}\` is deprecated for this model.`,
    sources: [AI_SDK, PYDANTIC, MIGRATION]
  },
  {
    ...CLAUDE,
    models: [...OF_4_5, ...spelled("claude-opus-4-6 claude-sonnet-4-6")],
    feature: "temperature and top_p together",
    isIn: ({ temperature, topP }) => temperature !== undefined && topP !== undefined,
    says: () => "`temperature` and `top_p` cannot both be specified for this model. Please use only one.",
    sources: [AI_SDK]
  },
  {
    ...CLAUDE,
    models: FROM_4_6,
    feature: "a last turn of the assistant",
    isIn: ({ prefill }) => prefill,
    says: () => "This model does not support assistant message prefill. The conversation must end with a user message.",
    sources: [MIGRATION, "litellm 1.110.2 (PyPI), supports_assistant_prefill"]
  },
  {
    ...CLAUDE,
    models: spelled("claude-opus-4-5"),
    feature: "effort beyond high",
    isIn: ({ effort = "low" }) => !["low", "medium", "high"].includes(effort),
    says: ({ effort }) => `output_config.effort: Input should be 'low', 'medium' or 'high', got '${effort}'`,
    sources: [PYDANTIC]
  },
  {
    ...CLAUDE,
    models: spelled("claude-opus-4-6 claude-sonnet-4-6"),
    feature: "effort xhigh",
    isIn: ({ effort = "low" }) => !["low", "medium", "high", "max"].includes(effort),
    says: ({ effort }) => `output_config.effort: Input should be 'low', 'medium', 'high' or 'max', got '${effort}'`,
    sources: [PYDANTIC]
  },
  {
    ...CLAUDE,
    models: spelled("claude-sonnet-4-5 claude-haiku-4-5"),
    feature: "output_config.effort",
    isIn: ({ effort }) => effort !== undefined,
    says: () => "This model does not support the effort parameter.",
    sources: [PYDANTIC]
  },
  {
    ...CLAUDE,
    models: OF_4_5,
    feature: "adaptive thinking, which begins with 4.6",
    isIn: ({ thinking }) => thinking === "adaptive",
    says: () => "adaptive thinking is not supported on this model",
    sources: ["https://platform.claude.com/docs/en/build-with-claude/thinking-troubleshooting"]
  },
  {
    vendors: ["anthropic", "vertex"],
    at: ["messages"],
    models: spelled("claude-opus-5-5 claude-fable-5-2"),
    feature: "computer use of 2025",
    isIn: ({ hosted }) => hosted.some((type) => type.startsWith("computer_2025") || type.startsWith("computer_2024")),
    says: () => "tools.0: this version of the computer tool is not supported by this model.",
    sources: [OPUS]
  },
  {
    vendors: ["vertex"],
    at: ["messages"],
    models: ["claude-*"],
    feature: "output_config.format, unless a policy of the organisation allows it",
    isIn: ({ schema }) => schema !== undefined,
    says: () => "output_config.format: structured outputs are not enabled for this organization.",
    sources: ["@ai-sdk/google-vertex 5.0.141 (npm)"]
  }
]
