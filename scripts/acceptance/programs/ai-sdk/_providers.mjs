/** The providers as their users make them. */
import { createAnthropic } from "@ai-sdk/anthropic"
import { createOpenAI } from "@ai-sdk/openai"
import { jsonSchema, tool } from "ai"
import { key, url } from "../node/checks.mjs"

// It would write a line for each setting that a model does not know.
globalThis.AI_SDK_LOG_WARNINGS = false

/** `openai("…")` speaks Responses, `openai.chat("…")` chat completions. */
export const openai = createOpenAI({ baseURL: `${url}/v1`, apiKey: key })
export const anthropic = createAnthropic({ baseURL: `${url}/v1`, apiKey: key })

/** A tool, and the cities that it was asked about. */
export const weather = () => {
  const cities = []
  const inputSchema = jsonSchema({
    type: "object",
    properties: { city: { type: "string" } },
    required: ["city"],
    additionalProperties: false
  })
  const execute = ({ city }) => {
    cities.push(city)
    return "19 degrees and sunny"
  }
  return { cities, tools: { get_weather: tool({ description: "The weather in a city", inputSchema, execute }) } }
}
