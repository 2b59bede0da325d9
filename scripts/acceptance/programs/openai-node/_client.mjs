/** The client as its users make it. */
import OpenAI from "openai"
import { key, url } from "../node/checks.mjs"

export const messages = [{ role: "user", content: "Say hello" }]

export const connect = (apiKey = key, options = {}) =>
  new OpenAI({ baseURL: `${url}/v1`, apiKey, maxRetries: 0, ...options })
