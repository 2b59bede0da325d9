/**
 * What vendors answer 400 to in the turns and tools of a conversation. The vendor behind these rules seals its thoughts with `sealOf`,
 * so that each rule can tell a seal of its own from another one without a memory.
 */
import { createHash } from "node:crypto"
import { names, type Refusal } from "./Refusal.ts"
import type { Loose, Seen } from "./Seen.ts"

const SIGNATURES = "https://ai.google.dev/gemini-api/docs/thought-signatures"
const THINKING = "https://platform.claude.com/docs/en/build-with-claude/extended-thinking"
const TOOLS = "https://platform.claude.com/docs/en/agents-and-tools/tool-use/implement-tool-use"
const FUNCTIONS = "https://platform.openai.com/docs/guides/function-calling"
const REASONING = "https://platform.openai.com/docs/guides/reasoning"
const KIMI = "Moonshot's error, as case 09 of public reports has it; https://github.com/badlogic/pi-mono/pull/4178"

/** What a vendor puts beside a thought: base64, as all of them do. */
export const sealOf = (vendor: string, thought: string): string =>
  Buffer.from(markOf(vendor) + createHash("sha256").update(thought).digest("hex")).toString("base64")

const markOf = (vendor: string): string => `sealed by ${vendor}: `

const isSealOf = (vendor: string, seal: string): boolean =>
  Buffer.from(seal, "base64").toString().startsWith(markOf(vendor))

const list = (value: unknown): ReadonlyArray<Loose> => (Array.isArray(value) ? value : [])

/** The first text that isn't empty. */
const first = (texts: Iterable<string | undefined>): string | undefined => {
  for (const text of texts) if (text !== undefined) return text
  return undefined
}

/** A rule about the body, which says what is wrong with it. */
const rule = (
  fields: Omit<Refusal, "isIn" | "says" | "models">,
  problem: (seen: Seen) => string | undefined,
  models: ReadonlyArray<string> = ["*"]
): Refusal => ({ ...fields, models, isIn: (seen) => problem(seen) !== undefined, says: (seen) => problem(seen) ?? "" })

const MESSAGES = { vendors: ["anthropic", "vertex", "bedrock"], at: ["messages"] } as const
const OPENAI = { vendors: ["openai", "azure"] } as const

/** The turns' blocks, with where each stands. */
const blocksIn = (body: Loose) =>
  list(body["messages"]).flatMap((turn, index) =>
    list(turn["content"]).map((block, place) => ({ block, at: `messages.${index}.content.${place}` }))
  )

const thinkingProblem = ({ body, vendor }: Seen): string | undefined =>
  first(
    blocksIn(body).map(({ at, block }) => {
      if (block["type"] === "redacted_thinking") return `${at}: Invalid \`data\` in \`redacted_thinking\` block`
      const isForged = block["type"] === "thinking" && block["signature"] !== sealOf(vendor, block["thinking"])
      return isForged ? `${at}: Invalid \`signature\` in \`thinking\` block` : undefined
    })
  )

const toolUseProblem = ({ body }: Seen): string | undefined => {
  const turns = list(body["messages"])
  return first(
    turns.map((turn, index) => {
      const uses = list(turn["content"]).filter((block) => block["type"] === "tool_use")
      const results = list(turn["content"]).filter((block) => block["type"] === "tool_result")
      const before = list(turns[index - 1]?.["content"]).flatMap((block) =>
        block["type"] === "tool_use" ? [block["id"]] : []
      )
      const lonely = results.find((block) => !before.includes(block["tool_use_id"]))
      if (lonely !== undefined) {
        return `messages.${index}.content.0: unexpected \`tool_use_id\` found in \`tool_result\` blocks: ${lonely["tool_use_id"]}. Each \`tool_result\` block must have a corresponding \`tool_use\` block in the previous message.`
      }
      const after = list(turns[index + 1]?.["content"]).flatMap((block) => block["tool_use_id"] ?? [])
      const open = uses.find((block) => !after.includes(block["id"]))
      if (open !== undefined) {
        return `messages.${index}: \`tool_use\` ids were found without \`tool_result\` blocks immediately after: ${open["id"]}. Each \`tool_use\` block must have a corresponding \`tool_result\` block in the next message.`
      }
      const odd = uses.find((block) => !/^[\w-]+$/.test(block["id"]))
      return odd === undefined
        ? undefined
        : `messages.${index}.content.0.tool_use.id: String should match pattern '^[a-zA-Z0-9_-]+$'`
    })
  )
}

const emptyTextProblem = ({ body }: Seen): string | undefined =>
  first(
    blocksIn(body).map(({ block }) =>
      block["type"] === "text" && block["text"] === "" ? "messages: text content blocks must be non-empty" : undefined
    )
  )

/** Functions as Responses and chat have them, those in namespaces as well. */
const functionsIn = (tools: unknown): ReadonlyArray<Loose> =>
  list(tools).flatMap((tool) =>
    tool["type"] === "namespace"
      ? functionsIn(tool["tools"])
      : tool["type"] === "function"
        ? [tool["function"] ?? tool]
        : []
  )

const schemaProblem = ({ body }: Seen): string | undefined =>
  first(
    functionsIn(body["tools"]).map(({ name, parameters }) => {
      const says = (what: string) => `Invalid schema for function '${name}': ${what}`
      if (parameters === undefined || parameters === null) return undefined
      if (parameters.type !== "object") return says(`schema must be a JSON Schema of 'type: "object"'.`)
      if (parameters.properties === undefined) return says("In context=(), object schema missing properties.")
      const odd = ["oneOf", "anyOf", "allOf", "enum", "not"].find((word) => parameters[word] !== undefined)
      return odd === undefined
        ? undefined
        : says("schema must have type 'object' and not have 'oneOf'/'anyOf'/'allOf'/'enum'/'not' at the top level.")
    })
  )

const PREFIXES: { readonly [type: string]: string } = {
  reasoning: "rs",
  message: "msg",
  function_call: "fc",
  custom_tool_call: "ctc"
}

const itemProblem = ({ body, vendor }: Seen): string | undefined => {
  const items = list(body["input"])
  const calls = items.flatMap(({ call_id: id, type = "" }) => (type.endsWith("_call") && id !== undefined ? [id] : []))
  const results = items.flatMap(({ call_id: id, type = "" }) => (type.endsWith("_call_output") ? [id] : []))
  const open = calls.find((id) => !results.includes(id))
  if (open !== undefined) return `No tool output found for function call ${open}.`
  const lonely = results.find((id) => !calls.includes(id))
  if (lonely !== undefined) return `No tool call found for function call output with call_id ${lonely}.`
  return first(
    items.map(({ call_id: callId = "", encrypted_content: sealed, id, type = "message" }, index) => {
      const prefix = PREFIXES[type]
      if (typeof id === "string" && prefix !== undefined && !id.startsWith(prefix)) {
        return `Invalid 'input[${index}].id': '${id}'. Expected an ID that begins with '${prefix}'.`
      }
      if (callId.length > 64) {
        return `Invalid 'input[${index}].call_id': string too long. Expected a string with maximum length 64, but got a string with length ${callId.length} instead.`
      }
      const isForged = type === "reasoning" && typeof sealed === "string" && !isSealOf(vendor, sealed)
      return isForged ? `The encrypted content for item ${id} could not be verified.` : undefined
    })
  )
}

/** What Google documents for calls that another model made. */
const PLACEHOLDERS = ["skip_thought_signature_validator", "context_engineering_is_the_way_to_go"]

const signatureProblem = ({ body, vendor }: Seen): string | undefined => {
  const turns = list(body["contents"])
  const isPrompt = (turn: Loose) => turn["role"] === "user" && list(turn["parts"]).some((part) => part["text"])
  const begin = turns.findLastIndex(isPrompt)
  return first(
    turns.map((turn, index) => {
      const signed = list(turn["parts"]).flatMap((part) => part["thoughtSignature"] ?? [])
      const [call] = list(turn["parts"]).filter((part) => part["functionCall"] !== undefined)
      const isForged = (seal: string) => !PLACEHOLDERS.includes(seal) && !isSealOf(vendor, seal)
      if (signed.some(isForged)) return "Corrupted thought signature."
      return call === undefined || index < begin || call["thoughtSignature"] !== undefined
        ? undefined
        : `Function call is missing a thought_signature in functionCall parts. This is required for tools to work correctly, and missing thought_signature may lead to degraded model performance. Additional data, function call \`default_api:${call["functionCall"].name}\`, position ${index}.`
    })
  )
}

const responseCountProblem = ({ body }: Seen): string | undefined => {
  const turns = list(body["contents"])
  const count = (turn: Loose | undefined, field: string) =>
    list(turn?.["parts"]).filter((part) => part[field] !== undefined).length
  return turns.some((turn, index) => count(turn, "functionCall") !== count(turns[index + 1], "functionResponse"))
    ? "Please ensure that the number of function response parts is equal to the number of function call parts of the function call turn."
    : undefined
}

const chatOrderProblem = ({ body }: Seen): string | undefined => {
  let open: ReadonlyArray<string> = []
  for (const { role, tool_call_id: id, tool_calls: calls } of [...list(body["messages"]), { role: "end" } as Loose]) {
    if (role === "tool") {
      if (!open.includes(id)) return `Invalid request: tool_call_id ${id} is not found`
      open = open.filter((one) => one !== id)
      continue
    }
    if (open.length > 0) {
      return `Invalid request: an assistant message with 'tool_calls' must be followed by tool messages responding to each 'tool_call_id'. The following tool_call_ids did not have response messages: ${open.join()}`
    }
    open = list(calls).map((call) => call["id"])
  }
  return undefined
}

const kimiThoughtProblem = ({ body }: Seen): string | undefined => {
  const index = list(body["messages"]).findIndex(
    ({ reasoning_content: thought, role, tool_calls: calls }) =>
      role === "assistant" && list(calls).length > 0 && !thought
  )
  return index < 0
    ? undefined
    : `thinking is enabled but reasoning_content is missing in assistant tool call message at index ${index}`
}

export const historyRefusals: ReadonlyArray<Refusal> = [
  rule({ ...MESSAGES, feature: "a thought that Claude did not sign", sources: [THINKING] }, thinkingProblem),
  rule({ ...MESSAGES, feature: "a call without its result", sources: [TOOLS] }, toolUseProblem),
  rule({ ...MESSAGES, feature: "an empty text", sources: [TOOLS] }, emptyTextProblem),
  rule(
    {
      ...MESSAGES,
      feature: "more cache marks than four",
      sources: ["https://platform.claude.com/docs/en/build-with-claude/prompt-caching"]
    },
    ({ cacheMarks }) =>
      cacheMarks > 4 ? `A maximum of 4 blocks with cache_control may be provided. Found ${cacheMarks}.` : undefined
  ),
  rule(
    {
      ...OPENAI,
      at: ["chat", "responses"],
      feature: "a schema of a function without properties",
      sources: [FUNCTIONS]
    },
    schemaProblem
  ),
  rule({ ...OPENAI, at: ["responses"], feature: "items that don't fit each other", sources: [REASONING] }, itemProblem),
  rule(
    {
      vendors: ["google-ai-studio", "vertex"],
      at: ["gemini"],
      feature: "a call without a signature",
      sources: [SIGNATURES]
    },
    signatureProblem,
    names("gemini-3* gemini-4*")
  ),
  rule(
    {
      vendors: ["google-ai-studio", "vertex"],
      at: ["gemini"],
      feature: "calls without results",
      sources: [SIGNATURES]
    },
    responseCountProblem
  ),
  rule(
    { vendors: ["moonshot"], at: ["chat"], feature: "a call without its result", sources: [KIMI] },
    chatOrderProblem
  ),
  rule({ vendors: ["moonshot"], at: ["chat"], feature: "a call without thoughts", sources: [KIMI] }, kimiThoughtProblem)
]
