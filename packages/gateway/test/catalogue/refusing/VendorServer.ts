/**
 * Anthropic, OpenAI, Google and Moonshot on a port: they follow a script, refuse what the lists of refusals have, and count what of each
 * prompt they know. `/<vendor>/v1/…` is the address of each.
 */
import { Effect } from "effect"
import { type Asked, type Reply as Answer, upstream } from "../../support/Upstream.ts"
import { anthropicRefusals } from "./AnthropicRefusals.ts"
import { historyRefusals, sealOf } from "./HistoryRefusals.ts"
import { openAiRefusals } from "./OpenAiRefusals.ts"
import { otherRefusals } from "./OtherRefusals.ts"
import { CHARACTERS, PromptCache } from "./PromptCache.ts"
import { holdsFor } from "./Refusal.ts"
import { replyTo } from "./Reply.ts"
import type { Said, SaidCall } from "./Said.ts"
import { type Loose, type Seen, seenIn } from "./Seen.ts"

const RULES = [...openAiRefusals, ...anthropicRefusals, ...otherRefusals, ...historyRefusals]

/** `with`: the arguments; a text for a tool that takes one alone. */
export interface ToolUse {
  readonly call: string
  readonly with: object | string
}

/** `fails`: a status, or a connection that breaks. A list: calls at once. `tooLong`: the conversation is, in the vendor's words. */
export type Step =
  | ReadonlyArray<ToolUse>
  | { readonly say: string }
  | { readonly fails: 429 | 500 | 529 | "reset" }
  | { readonly tooLong: true }

/** A generation as the vendor saw it. */
export interface Heard {
  readonly seen: Seen
  readonly headers: Asked["headers"]
  readonly status: number | "reset"
  /** Why it was refused, if it was. */
  readonly refused: string | undefined
  /** Tokens; undefined where nothing was answered, a guess where the answer broke off. */
  readonly input?: number
  readonly cached?: number
  readonly output?: number
  /** Of the calls in the answer. */
  readonly ids?: ReadonlyArray<string>
}

export interface VendorServer {
  /** Without a slash at its end. */
  readonly url: string
  readonly heard: ReadonlyArray<Heard>
  /** The calls that count tokens. */
  readonly counted: ReadonlyArray<Seen>
  /** Everything, other paths too. */
  readonly asked: ReadonlyArray<Asked>
}

/** What a vendor does with a request that it doesn't refuse. `number` counts those that had an answer. */
export type Script = (seen: Seen, number: number) => Step

const OUTPUT = 10

const tooLong: { readonly [vendor: string]: { readonly message: string; readonly code?: string } } = {
  anthropic: { message: "prompt is too long: 215000 tokens > 200000 maximum" },
  openai: {
    message: "Your input exceeds the context window of this model. Please adjust your input and try again.",
    code: "context_length_exceeded"
  },
  "google-ai-studio": {
    message: "The input token count (1048577) exceeds the maximum number of tokens allowed (1048576)."
  },
  moonshot: { message: "Invalid request: Your request exceeded model token limit: 262144" }
}

const failures: { readonly [status: number]: readonly [type: string, message: string] } = {
  400: ["invalid_request_error", ""],
  429: ["rate_limit_error", "This request would exceed your rate limit."],
  500: ["api_error", "Internal server error"],
  529: ["overloaded_error", "Overloaded"]
}

const complaint = ({ spoken }: Seen, status: number, message: string, code: string | null = null): Answer => {
  const [type] = failures[status] ?? ["api_error"]
  if (spoken === "messages") return { status, body: { type: "error", error: { type, message } } }
  if (spoken === "gemini") {
    const name = status === 400 ? "INVALID_ARGUMENT" : status === 429 ? "RESOURCE_EXHAUSTED" : "UNAVAILABLE"
    return { status, body: { error: { code: status, message, status: name } } }
  }
  return { status, body: { error: { message, type, param: null, code } } }
}

interface Tool {
  readonly name: string
  readonly namespace?: string
  readonly isCustom: boolean
  readonly schema: Loose
}

const list = (value: unknown): ReadonlyArray<Loose> => (Array.isArray(value) ? value : [])

/** Every tool that a request offers, in whatever protocol. */
const toolsIn = ({ body }: Seen): ReadonlyArray<Tool> => {
  const tools = (given: unknown, namespace?: string): ReadonlyArray<Tool> =>
    list(given).flatMap((one) => {
      if (one["type"] === "namespace") return tools(one["tools"], one["name"])
      if (one["functionDeclarations"] !== undefined) return tools(one["functionDeclarations"])
      const tool: Loose = one["function"] ?? one
      const schema: Loose = tool["input_schema"] ?? tool["parameters"] ?? tool["parametersJsonSchema"] ?? {}
      const fields = { name: String(tool["name"]), isCustom: one["type"] === "custom", schema }
      return [namespace === undefined ? fields : { ...fields, namespace }]
    })
  const later = list(body["input"]).filter(({ type }) => type === "additional_tools" || type === "tool_search_output")
  return [body["tools"], ...later.map((item) => item["tools"])].flatMap((given) => tools(given))
}

/** A name may have a server or a namespace before it. */
const found = (seen: Seen, name: string): Tool | undefined =>
  toolsIn(seen).find((tool) => tool.name === name || tool.name.endsWith(`_${name}`))

/** As the vendor writes ids. */
const idOf = ({ vendor }: Seen, name: string, number: number): string =>
  vendor === "anthropic" ? `toolu_${number}` : vendor === "moonshot" ? `functions.${name}:${number}` : `call_${number}`

/** Texts: the tools that are missing. */
const saidBy = (seen: Seen, uses: ReadonlyArray<ToolUse>, number: number): Said | string => {
  const missing = uses.find(({ call }) => found(seen, call) === undefined)
  if (missing !== undefined) {
    return `There is no tool ${missing.call} among ${toolsIn(seen)
      .map(({ name }) => name)
      .join(", ")}.`
  }
  const calls = uses.map((use, index): SaidCall => {
    const { isCustom, name, namespace, schema } = found(seen, use.call)!
    const id = idOf(seen, name, 100 * number + index)
    const [only = "input"] = Object.keys(schema["properties"] ?? {})
    const isText = typeof use.with === "string"
    return { id, name, namespace, input: isText && !isCustom ? { [only]: use.with } : (use.with as Loose | string) }
  })
  const thought = `Thought ${number}: I need a tool for this.`
  return { thought: { text: thought, sealed: sealOf(seen.vendor, thought) }, text: undefined, calls }
}

const addressed = ({ body, path }: Asked): Seen => {
  const [, vendor = "", ...rest] = path.split("/")
  const google = /\/models\/([^:/]+):(\w+)/.exec(path)
  if (google !== null) {
    const [, model = "", method = ""] = google
    return seenIn({ vendor, model, spoken: "gemini", stream: method.startsWith("stream") }, body)
  }
  const spoken = rest.includes("responses") ? "responses" : rest.join("/").includes("messages") ? "messages" : "chat"
  return seenIn({ vendor, model: String(body["model"]), spoken, stream: body["stream"] === true }, body)
}

/** A server on a port of its own until the scope closes. */
export const vendorServer = Effect.fnUntraced(function* (script: Script) {
  const heard: Array<Heard> = []
  const counted: Array<Seen> = []
  const cache = new PromptCache()
  let answered = 0

  const generation = ({ headers, text }: Asked, seen: Seen): Answer => {
    const note = (fields: Partial<Heard>) =>
      void heard.push({ seen, headers, status: 200, refused: undefined, ...fields })
    const refuse = (message: string, code?: string) => {
      note({ status: 400, refused: message })
      return complaint(seen, 400, message, code)
    }
    const rule = RULES.find((one) => holdsFor(one, seen) && one.isIn(seen))
    if (rule !== undefined) return refuse(rule.says(seen))
    const step = script(seen, answered)
    if ("tooLong" in step) {
      const { code, message } = tooLong[seen.vendor]!
      note({ status: 400 })
      return complaint(seen, 400, message, code)
    }
    if ("fails" in step) {
      const { fails: status } = step
      if (status === "reset") {
        note({ status, input: Math.ceil(text.length / CHARACTERS) })
        return { body: [], ending: "reset" }
      }
      note({ status })
      return complaint(seen, status, failures[status]![1])
    }
    const said = "say" in step ? { text: step.say, calls: [] } : saidBy(seen, step, answered)
    if (typeof said === "string") return refuse(said)
    answered++
    const account = headers["x-api-key"] ?? headers["authorization"] ?? headers["x-goog-api-key"] ?? ""
    const { cached, input } = cache.read(account, seen)
    note({ input, cached, output: OUTPUT, ids: said.calls.map(({ id }) => id) })
    const reply = replyTo(seen, { ...said, id: String(answered) }, { input, output: OUTPUT, cached, reasoning: 0 })
    const whole = String(reply.body)
    // An event is a write.
    const body = seen.stream ? whole.split(/(?<=\n\r?\n)/) : whole
    return { headers: { "content-type": reply.contentType }, body }
  }

  const { asked, baseUrl } = yield* upstream((one) => {
    if (one.method !== "POST") return { body: { object: "list", data: [] } }
    const seen = addressed(one)
    if (!/count_?tokens/i.test(one.path)) return generation(one, seen)
    counted.push(seen)
    return { body: { input_tokens: Math.ceil(one.text.length / CHARACTERS) } }
  })
  return { url: baseUrl.replace(/\/v1$/, ""), heard, counted, asked } satisfies VendorServer as VendorServer
})
