/** What the vendor refuses in a request for a chat completion, as far as a bridge could get it wrong. */
interface Tool {
  readonly type: string
  readonly function: { readonly name: string; readonly parameters?: { readonly properties?: object } }
}

interface Message {
  readonly role: string
  readonly content?: string | null | ReadonlyArray<{ readonly type: string }>
  readonly reasoning_content?: string
  readonly tool_calls?: ReadonlyArray<{ readonly id: string; readonly function: { readonly arguments: string } }>
  readonly tool_call_id?: string
}

export interface Chat {
  readonly messages: ReadonlyArray<Message>
  readonly tools?: ReadonlyArray<Tool>
  readonly stream?: boolean
  readonly response_format?: { readonly type: string }
}

const FIELDS = new Set(
  `messages model stream stream_options tools tool_choice parallel_tool_calls max_tokens max_completion_tokens temperature top_p stop n
  seed user metadata store response_format reasoning_effort verbosity frequency_penalty presence_penalty logit_bias logprobs top_logprobs
  service_tier prompt_cache_key safety_identifier modalities audio prediction web_search_options`.split(/\s+/)
)
/** The kinds of parts that each role's messages may have. */
const PARTS: { readonly [role: string]: ReadonlyArray<string> | undefined } = {
  system: ["text"],
  developer: ["text"],
  user: ["text", "image_url", "input_audio", "file"],
  assistant: ["text", "refusal"],
  tool: ["text"]
}

export const problemIn = (chat: Chat): string | undefined =>
  Object.keys(chat)
    .filter((field) => !FIELDS.has(field))
    .map((field) => `Unknown parameter: '${field}'.`)[0] ??
  problemInTools(chat) ??
  problemInOrder(chat) ??
  chat.messages.map(problemInMessage).find((problem) => problem !== undefined)

const problemInTools = ({ tools = [] }: Chat): string | undefined => {
  const names = tools.map((tool) => tool.function?.name)
  const wrong = tools.find(({ type }, index) => type !== "function" || !/^[\w-]{1,64}$/.test(names[index] ?? ""))
  if (wrong !== undefined) return `Not a tool: ${JSON.stringify(wrong)}`
  const twice = names.find((name, index) => names.indexOf(name) !== index)
  return twice === undefined ? undefined : `Two tools are called ${twice}.`
}

/** Each call has its result before anybody else speaks, and each result its call. */
const problemInOrder = ({ messages }: Chat): string | undefined => {
  let open: ReadonlyArray<string> = []
  for (const { role, tool_call_id, tool_calls = [] } of messages) {
    if (role === "tool") {
      if (!open.includes(tool_call_id ?? "")) return `No call for the result of ${tool_call_id}.`
      open = open.filter((id) => id !== tool_call_id)
      continue
    }
    if (open.length > 0)
      return `An assistant message with 'tool_calls' must be followed by tool messages: ${open.join()}.`
    open = tool_calls.map(({ id }) => id)
  }
  return open.length === 0 ? undefined : `No result for ${open.join()}.`
}

const problemInMessage = ({ content, role, tool_calls = [] }: Message): string | undefined => {
  const allowed = PARTS[role]
  if (allowed === undefined) return `Invalid role: ${role}.`
  const parts = Array.isArray(content) ? content : []
  const strange = parts.find(({ type }: { readonly type: string }) => !allowed.includes(type))
  if (strange !== undefined)
    return `Invalid part in a message of role ${role}: ${JSON.stringify(strange).slice(0, 200)}`
  if (role !== "assistant" && content === undefined) return `No content in a message of role ${role}.`
  if (role === "assistant" && tool_calls.length === 0 && (content === undefined || content === null)) {
    return "An assistant message without content and tool_calls."
  }
  return tool_calls.flatMap(({ function: { arguments: text } }) =>
    isObject(text) ? [] : [`Not an object: ${text}`]
  )[0]
}

const isObject = (text: string): boolean => {
  try {
    return typeof JSON.parse(text) === "object"
  } catch {
    return false
  }
}
