/** `generationConfig` in the words of chat. */
import type { ContentBody } from "../content/FieldRules.ts"
import { jsonSchema } from "./ChatOfTools.ts"
import { camel, isEmpty, some } from "./ContentFields.ts"

const NAMES: Readonly<Record<string, string>> = {
  temperature: "temperature",
  topP: "top_p",
  topK: "top_k",
  candidateCount: "n",
  maxOutputTokens: "max_tokens",
  stopSequences: "stop",
  presencePenalty: "presence_penalty",
  frequencyPenalty: "frequency_penalty",
  seed: "seed",
  responseLogprobs: "logprobs",
  logprobs: "top_logprobs"
}

const OTHERS: Readonly<Record<string, string>> = {
  messages: "contents",
  thinking_config: "generationConfig.thinkingConfig",
  response_format: "generationConfig.responseSchema",
  reasoning_effort: "generationConfig.thinkingConfig",
  thinking: "generationConfig.thinkingConfig",
  modalities: "generationConfig.responseModalities",
  tool_choice: "toolConfig.functionCallingConfig",
  safety_settings: "safetySettings",
  cached_content: "cachedContent",
  tool_config: "toolConfig",
  generation_config: "generationConfig"
}

/** What a caller of Google's API calls a field of the chat request. */
export const contentName = (field: string): string => {
  const own = Object.keys(NAMES).find((name) => NAMES[name] === field)
  if (own !== undefined) return `generationConfig.${own}`
  const name = field.replace(/^extra_body\.google\./, "")
  const [first = ""] = name.split(/[.[]/)
  return OTHERS[first] ?? name
}

const KNOWN_TYPES = new Set<unknown>([undefined, "application/json", "text/plain"])

export const chatConfig = (given: unknown): ContentBody => {
  const { responseJsonSchema, responseMimeType, responseModalities, responseSchema, thinkingConfig, ...others } =
    camel(given)
  const entries = Object.entries(others)
  const schema = responseJsonSchema ?? jsonSchema(responseSchema)
  const config = some({
    ...Object.fromEntries(entries.filter(([name]) => NAMES[name] === undefined)),
    responseMimeType: KNOWN_TYPES.has(responseMimeType) ? undefined : responseMimeType,
    responseModalities,
    responseSchema: responseJsonSchema === undefined ? undefined : responseSchema
  })
  const isJson = responseMimeType === "application/json"
  return some({
    ...Object.fromEntries(
      entries.flatMap(([name, value]) => (NAMES[name] === undefined ? [] : [[NAMES[name], value]]))
    ),
    ...thinkingOf(camel(thinkingConfig)),
    response_format:
      schema === undefined
        ? isJson
          ? { type: "json_object" }
          : undefined
        : { type: "json_schema", json_schema: { name: "response", schema } },
    modalities: Array.isArray(responseModalities)
      ? responseModalities.map((one) => String(one).toLowerCase())
      : undefined,
    google: some({
      generation_config: isEmpty(config) ? undefined : config,
      thinking_config: thinkingConfig === undefined ? undefined : camel(thinkingConfig)
    })
  })
}

/** Google's compatible API has these budgets for efforts: https://ai.google.dev/gemini-api/docs/openai (2026-11-22). */
const [LOW, MEDIUM] = [1_024, 8_192]

/** A budget of -1 leaves it to the model. */
const thinkingOf = ({ thinkingBudget: budget, thinkingLevel: level }: ContentBody): ContentBody => {
  if (typeof level === "string") return { reasoning_effort: level.toLowerCase() }
  if (typeof budget !== "number" || budget < 0) return {}
  if (budget === 0) return { reasoning_effort: "none" }
  const effort = budget <= LOW ? "low" : budget <= MEDIUM ? "medium" : "high"
  return { reasoning_effort: effort, thinking: { type: "enabled", budget_tokens: budget } }
}
