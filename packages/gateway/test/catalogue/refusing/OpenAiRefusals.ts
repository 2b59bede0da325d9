/** What OpenAI and Azure answer 400 to. */
import { effortBeyond, names, type Refusal } from "./Refusal.ts"
import type { Seen } from "./Seen.ts"

const LITELLM = "litellm 1.110.2 (PyPI), responses/bridge_check.py and llms/openai/chat/gpt_reasoning_transformation.py"
const PYDANTIC = "pydantic-ai-slim 2.68.0 (PyPI), profiles/openai.py: tried with the API"
const SOL = "https://developers.openai.com/api/docs/models/gpt-6.2-sol.md"
const GOTCHAS =
  "https://dev.to/routerbase_com/4-request-validation-gotchas-when-migrating-openai-clients-to-gpt-62-reasoning-models-1aoc"
const NOVEMBER = "https://docs.laozhang.ai/en/announcements/gpt-6-chat-tools-2026-11"
const CHAT_OR_RESPONSES = ["chat", "responses"] as const
const OPENAI = ["openai", "azure"]

const FROM_6 = names("gpt-6-astra gpt-6-sol gpt-6-luna gpt-6.1-sol gpt-6.1-terra gpt-6.2-astra gpt-6.2-sol")
const FROM_5_6 = [...names("gpt-5.6 gpt-5.6-sol gpt-5.6-terra gpt-5.6-luna"), ...FROM_6]
const OF_5_4 = names("gpt-5.4 gpt-5.4-mini gpt-5.4-nano")
const NONE_BY_DEFAULT = ["gpt-5.1", "gpt-5.2", ...OF_5_4]
const PRO = names("gpt-5.5-pro gpt-5.4-pro gpt-5.2-pro")
const REASONING = [
  ...NONE_BY_DEFAULT,
  "gpt-5.5",
  ...FROM_5_6,
  ...PRO,
  "chat-latest",
  "gpt-5",
  "gpt-5-mini",
  "gpt-5-nano"
]

const hasTools = ({ functions }: Seen): boolean => functions.length > 0
const reasons = ({ effort }: Seen): boolean => effort !== undefined && effort !== "none"

const toolsRefused = ({ model }: Seen): string =>
  `Function tools with reasoning_effort are not supported for ${model} in /v1/chat/completions. To use function tools, use /v1/responses or set reasoning_effort to 'none'.`

const effortRefused =
  (...taken: ReadonlyArray<string>) =>
  ({ effort, spoken }: Seen): string =>
    `Unsupported value: '${spoken === "chat" ? "reasoning_effort" : "reasoning.effort"}' does not support '${effort}' with this model. Supported values are: ${taken.map((one) => `'${one}'`).join(", ")}.`

const samples = ({ body, logprobs, penalties, temperature, topP }: Seen): boolean =>
  (temperature ?? 1) !== 1 || (topP ?? 1) !== 1 || penalties || logprobs || body["logit_bias"] !== undefined

const samplesOrLogs = ({ logprobs, temperature, topP }: Seen): boolean =>
  (temperature ?? 1) !== 1 || (topP ?? 1) !== 1 || logprobs

const samplingRefused = ({ temperature }: Seen): string =>
  temperature === undefined || temperature === 1
    ? "Unsupported parameter: this sampling parameter is not supported with this model."
    : `Unsupported value: 'temperature' does not support ${temperature} with this model. Only the default (1) value is supported.`

const efforts = (
  models: ReadonlyArray<string>,
  taken: ReadonlyArray<string>,
  sources: ReadonlyArray<string>,
  at: Refusal["at"] = CHAT_OR_RESPONSES
): Refusal => ({
  vendors: OPENAI,
  models,
  at,
  feature: `an effort other than ${taken.join(", ")}`,
  isIn: effortBeyond(...taken),
  says: effortRefused(...taken),
  param: "reasoning_effort",
  sources
})

export const openAiRefusals: ReadonlyArray<Refusal> = [
  {
    vendors: OPENAI,
    models: OF_5_4,
    at: ["chat"],
    feature: "function tools with an effort other than none",
    isIn: (seen) => hasTools(seen) && reasons(seen),
    says: toolsRefused,
    param: "tools",
    sources: [LITELLM, "https://github.com/goruck/home-generative-agent/releases/tag/v3.46.0-beta.1"]
  },
  {
    vendors: OPENAI,
    models: names("gpt-5.5 gpt-5.6 gpt-5.6-sol gpt-5.6-terra gpt-5.6-luna"),
    at: ["chat"],
    feature: "function tools without the effort none: the default is medium",
    isIn: (seen) => hasTools(seen) && seen.effort !== "none",
    says: toolsRefused,
    param: "tools",
    sources: [LITELLM, "https://github.com/danny-avila/LibreChat/issues/14231"]
  },
  {
    vendors: OPENAI,
    models: FROM_6,
    at: ["chat"],
    feature: "function tools while it reasons",
    isIn: (seen) => hasTools(seen) && seen.effort !== "none",
    says: toolsRefused,
    param: "tools",
    sources: [SOL, NOVEMBER, "https://github.com/jhd3197/Prompture/releases/tag/v1.15.1"]
  },
  efforts(names("gpt-6-astra gpt-6.1-sol gpt-6.2-astra gpt-6.2-sol"), names("low medium high xhigh max"), [
    SOL,
    PYDANTIC
  ]),
  efforts(FROM_5_6, names("none low medium high xhigh"), [PYDANTIC, NOVEMBER, GOTCHAS], ["chat"]),
  efforts(FROM_5_6, names("none low medium high xhigh max"), [PYDANTIC, GOTCHAS], ["responses"]),
  efforts(PRO, names("medium high xhigh"), [PYDANTIC], ["responses"]),
  efforts(["gpt-5.1", "gpt-5.1-*"], names("none low medium high"), [PYDANTIC]),
  efforts(["chat-latest"], ["medium"], [PYDANTIC, "litellm 1.110.2 (PyPI), reasoning_effort_levels"]),
  {
    vendors: OPENAI,
    models: FROM_6,
    at: CHAT_OR_RESPONSES,
    feature: "temperature or top_p other than 1, penalties, logprobs, logit_bias",
    isIn: samples,
    says: samplingRefused,
    param: "temperature",
    sources: [GOTCHAS, "@ai-sdk/openai 3.0.141 (npm)", "https://github.com/yologdev/yoagent/releases/tag/v0.27.4"]
  },
  {
    vendors: OPENAI,
    models: names("gpt-5.5 gpt-5.6 gpt-5.6-sol gpt-5.6-terra gpt-5.6-luna"),
    at: CHAT_OR_RESPONSES,
    feature: "temperature, top_p or logprobs without the effort none",
    isIn: (seen) => seen.effort !== "none" && samplesOrLogs(seen),
    says: samplingRefused,
    param: "temperature",
    sources: [PYDANTIC, "litellm 1.110.2 (PyPI), default_reasoning_effort"]
  },
  {
    vendors: OPENAI,
    models: NONE_BY_DEFAULT,
    at: CHAT_OR_RESPONSES,
    feature: "temperature, top_p or logprobs with an effort other than none",
    isIn: (seen) => reasons(seen) && samplesOrLogs(seen),
    says: samplingRefused,
    param: "temperature",
    sources: [PYDANTIC, "@ai-sdk/openai 3.0.141 (npm)"]
  },
  {
    vendors: OPENAI,
    models: REASONING,
    at: ["chat"],
    feature: "stop",
    isIn: ({ stop }) => stop,
    says: () => "Unsupported parameter: 'stop' is not supported with this model.",
    param: "stop",
    sources: [LITELLM]
  },
  {
    vendors: OPENAI,
    models: REASONING,
    at: ["chat"],
    feature: "max_tokens",
    isIn: ({ limit }) => limit === "max_tokens",
    says: () =>
      "Unsupported parameter: 'max_tokens' is not supported with this model. Use 'max_completion_tokens' instead.",
    param: "max_tokens",
    sources: ["litellm 1.110.2 (PyPI)"]
  },
  {
    vendors: OPENAI,
    models: ["*"],
    at: ["chat"],
    feature: "tools that OpenAI runs",
    isIn: ({ hosted }) => hosted.some((type) => type !== "custom"),
    says: ({ hosted }) => `Invalid value: '${hosted[0]}'. Supported values are: 'function' and 'custom'.`,
    param: "tools[0].type",
    sources: [LITELLM, NOVEMBER]
  },
  {
    vendors: OPENAI,
    models: [...NONE_BY_DEFAULT, "gpt-5.5", ...PRO],
    at: CHAT_OR_RESPONSES,
    feature: "prompt_cache_options and prompt_cache_breakpoint, which begin with gpt-5.6",
    isIn: ({ body }) =>
      JSON.stringify(body).includes('"prompt_cache_options"') ||
      JSON.stringify(body).includes('"prompt_cache_breakpoint"'),
    says: () => "Unsupported parameter: 'prompt_cache_options' is not supported with this model.",
    param: "prompt_cache_options",
    sources: ["https://docs.rs/async-openai/0.42.0/ (documentation of its types)"]
  },
  {
    vendors: OPENAI,
    models: ["*-pro", "*codex*", "*deep-research*"],
    at: ["chat"],
    feature: "anything: these models have Responses alone",
    isIn: () => true,
    says: () =>
      "This is not a chat model and thus not supported in the v1/chat/completions endpoint. Did you mean to use v1/responses?",
    sources: ["https://developers.openai.com/api/docs/models"]
  }
]
