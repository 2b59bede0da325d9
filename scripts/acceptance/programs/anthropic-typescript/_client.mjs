/** The client as its users make it. */
import Anthropic from "@anthropic-ai/sdk"
import { key, url } from "../node/checks.mjs"

export const connect = (apiKey = key, options = {}) =>
  new Anthropic({ baseURL: url, apiKey, maxRetries: 0, ...options })

export const asked = {
  model: "demo/standard",
  max_tokens: 500,
  messages: [{ role: "user", content: "Say hello" }]
}

export const textOf = ({ content }) => content.flatMap((block) => (block.type === "text" ? [block.text] : [])).join("")
