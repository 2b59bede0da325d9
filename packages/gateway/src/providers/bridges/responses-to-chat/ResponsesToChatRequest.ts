/** A request for a response as a request for a chat completion. */
import { Result } from "effect"
import type { Deployment } from "../../../core/domain/Deployment.ts"
import { Unsupported } from "../../../core/domain/Failures.ts"
import type { UpstreamCall } from "../../../core/pool/Protocol.ts"
import { isObject, objectOr, objectsIn, textOf, type JsonObject } from "../../json/LooseJson.ts"
import { Messages } from "./ResponsesToChatItems.ts"
import { ToolNames } from "./ResponsesToChatTools.ts"

const SAME = ["temperature", "top_p", "top_logprobs", "service_tier", "user", "frequency_penalty", "presence_penalty"]

/** Translated below, acted on by the gateway, or of no effect on the response. */
const DONE = new Set([
  ...SAME,
  ..."model input instructions tools tool_choice parallel_tool_calls text reasoning include store metadata".split(" "),
  ..."stream stream_options max_output_tokens max_tool_calls previous_response_id conversation background".split(" "),
  ..."prompt_cache_key prompt_cache_retention prompt_cache_options safety_identifier client_metadata".split(" ")
])

/** Asks for nothing that is not so anyway. */
const isNeutral = (name: string, value: unknown): boolean =>
  value === null || value === "" || value === false || (name === "truncation" && value === "disabled")

export const chatRequest = (call: UpstreamCall): Result.Result<UpstreamCall, Unsupported> => {
  const { deployment, request, strict } = call
  const { body } = request
  const given = (name: string): unknown => (body[name] === null || body[name] === "" ? undefined : body[name])
  if (given("prompt") !== undefined) {
    return refused("prompt", "templates that a provider keeps can't be used at this model: send the text itself")
  }
  const tools = new ToolNames(body)
  const messages = new Messages(call, tools)
  const instructions = given("instructions")
  if (typeof instructions === "string") messages.list.push({ role: "system", content: instructions })
  else if (Array.isArray(instructions)) addAll(messages, instructions, "instructions")
  const { input } = body
  if (typeof input === "string") messages.list.push({ role: "user", content: input })
  else if (Array.isArray(input)) addAll(messages, input, "input")
  messages.end()
  if (messages.problem !== undefined) return Result.fail(messages.problem)
  if (messages.list.length === 0) {
    const kinds = [...messages.dropped].join(", ")
    return refused("input", `this model chats, and \`input\` holds nothing that can be said in a chat (${kinds})`)
  }
  const choice = toolChoice(given("tool_choice"), tools)
  if (choice instanceof Unsupported) return Result.fail(choice)
  const format = formatOf(body["text"])
  const verbosity = objectOr(body["text"])["verbosity"]
  const takesVerbosity = deployment.quirks?.isNative === true
  const dropped = [
    ...Object.keys(body).filter((name) => !DONE.has(name) && !isNeutral(name, body[name])),
    ...(typeof verbosity === "string" && verbosity !== "medium" && !takesVerbosity ? ["text.verbosity"] : []),
    ...tools.hosted.map(({ type }) => `tools.${type}`),
    ...messages.dropped
  ]
  if (strict && dropped.length > 0) {
    const param = tools.hosted[0]?.path ?? dropped[0]!
    return refused(param, `\`${dropped[0]}\` has no counterpart at this model, and the request is strict: leave it out`)
  }
  const { effort } = objectOr(body["reasoning"])
  const wantsLogprobs = Array.isArray(body["include"]) && body["include"].includes("message.output_text.logprobs")
  const chat: JsonObject = {
    model: request.model,
    messages: messages.list,
    ...Object.fromEntries(SAME.map((name) => [name, given(name)] as const).filter(([, value]) => value !== undefined)),
    ...(tools.functions.length === 0 ? undefined : { tools: choice.tools, ...parallel(body) }),
    ...(tools.functions.length === 0 || choice.choice === undefined ? undefined : { tool_choice: choice.choice }),
    ...(format === undefined ? undefined : { response_format: format }),
    ...(typeof verbosity === "string" && takesVerbosity ? { verbosity } : undefined),
    ...(textOf(effort) && { reasoning_effort: effort }),
    ...callerNames(body, deployment),
    ...(wantsLogprobs || given("top_logprobs") !== undefined ? { logprobs: true } : undefined),
    ...(request.maxOutput === undefined ? undefined : { max_completion_tokens: request.maxOutput }),
    ...(request.stream ? { stream: true } : undefined)
  }
  const { long: _, ...rest } = request
  return Result.succeed({
    ...call,
    operation: "chat",
    request: { ...rest, body: chat, contents: "messages", includeUsage: false },
    dropped
  })
}

/** Whom the vendor may hold responsible, and its hint for caching, where it knows the fields. */
const callerNames = (body: JsonObject, { protocol, quirks }: Deployment): JsonObject => {
  const known = quirks?.isNative === true ? ["safety_identifier", "prompt_cache_key"] : []
  const names = protocol === "anthropic-messages" ? ["safety_identifier"] : known
  return Object.fromEntries(names.flatMap((name) => (textOf(body[name]) ? [[name, body[name]]] : [])))
}

const addAll = (messages: Messages, items: ReadonlyArray<unknown>, path: string): void => {
  for (const [index, item] of items.entries()) messages.add(item, `${path}[${index}]`)
}

const parallel = ({ parallel_tool_calls: given }: JsonObject): JsonObject =>
  typeof given === "boolean" ? { parallel_tool_calls: given } : {}

/** A choice of tools that are left out is refused: the response would be another one. */
const toolChoice = (choice: unknown, tools: ToolNames) => {
  const { functions: all } = tools
  if (choice === undefined || choice === "auto" || choice === "none") return { tools: all, choice }
  if (choice === "required")
    return all.length === 0 && tools.hosted.length > 0 ? noSuchTool(tools) : { tools: all, choice }
  if (!isObject(choice)) return { tools: all, choice }
  const named = (one: JsonObject): string | undefined =>
    typeof one["name"] === "string" && tools.has(one["name"], one["namespace"])
      ? tools.flat(one["name"], one["namespace"])
      : undefined
  if (choice["type"] === "allowed_tools") {
    const allowed = new Set(objectsIn(choice["tools"]).map(named))
    const left = all.filter((tool) => allowed.has(String((tool["function"] as JsonObject)["name"])))
    if (left.length === 0 && choice["mode"] === "required") return noSuchTool(tools)
    return { tools: left.length === 0 ? all : left, choice: left.length === 0 ? "none" : choice["mode"] }
  }
  const name = named(choice)
  return name === undefined ? noSuchTool(tools) : { tools: all, choice: { type: "function", function: { name } } }
}

const noSuchTool = ({ hosted }: ToolNames): Unsupported =>
  new Unsupported({
    param: "tool_choice",
    message:
      hosted.length === 0
        ? "`tool_choice` names a tool that is not in `tools`"
        : `\`tool_choice\` names a tool that this model's provider does not have; it can't run ${hosted.map(({ type }) => type).join(", ")}`
  })

const formatOf = (text: unknown): JsonObject | undefined => {
  const { format } = objectOr(text)
  if (!isObject(format) || format["type"] === "text" || format["type"] === undefined) return undefined
  if (format["type"] !== "json_schema") return { type: format["type"] }
  const { type: _, ...schema } = format
  return { type: "json_schema", json_schema: schema }
}

const refused = (param: string, message: string) => Result.fail(new Unsupported({ param, message }))
