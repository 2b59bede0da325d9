/** What is asked of the gateway for one turn of a conversation. */
import { createHmac, randomBytes } from "node:crypto"
import type { CallOptions, ChatRequest } from "@model-gateway/client"
import type { ModelInfo } from "../models/ModelInfo.ts"
import { messagesOf } from "./Messages.ts"
import type { Asked, Turn } from "./Turns.ts"

/** What an extension may say of a request. The rest is the editor's own, and no model's. */
const OPTIONS = [
  "temperature",
  "top_p",
  "max_tokens",
  "max_completion_tokens",
  "stop",
  "seed",
  "presence_penalty",
  "frequency_penalty",
  "response_format",
  "reasoning_effort"
] as const

export const requestOf = ({ model }: ModelInfo, asked: Asked): ChatRequest => {
  const { chosen, mustCall, options, tools, turns } = asked
  const wanted = Object.fromEntries(OPTIONS.flatMap((name) => (name in options ? [[name, options[name]]] : [])))
  const effort = chosen["reasoningEffort"]
  return {
    ...(typeof effort === "string" && effort !== "default" ? { reasoning_effort: effort } : {}),
    ...wanted,
    model,
    messages: messagesOf(turns),
    stream_options: { include_usage: true },
    ...(tools.length === 0
      ? {}
      : {
          tools: tools.map(({ description, inputSchema, name }) => ({
            type: "function",
            function: { name, description, parameters: inputSchema ?? { type: "object", properties: {} } }
          })),
          ...(mustCall ? { tool_choice: "required" } : {})
        })
  }
}

export const callOptionsOf = (asked: Asked, signal: AbortSignal): CallOptions => {
  const prefer = asked.chosen["routing"]
  const session = sessionOf(asked.turns)
  return {
    signal,
    // The client would wait for up to a minute, and somebody would sit before an empty chat: they are told when to go on.
    maxRetries: 0,
    tags: ["vscode"],
    ...(session === undefined ? {} : { session }),
    ...(prefer === "cost" || prefer === "quality" ? { prefer } : {})
  }
}

/** Nobody who sees a session's name can try which prompt makes it. */
const SALT = randomBytes(32)

/**
 * The editor gives conversations no id, and each turn repeats those before it: what a conversation begins with tells it apart, so that
 * its turns meet the same deployment and its cache.
 */
const sessionOf = (turns: ReadonlyArray<Turn>): string | undefined => {
  const first = turns.find(({ role }) => role === "user")
  if (first === undefined) return undefined
  const hash = createHmac("sha256", SALT)
  for (const part of first.parts) if (part.kind === "text") hash.update(part.text)
  return `vscode-${hash.digest("hex").slice(0, 24)}`
}
