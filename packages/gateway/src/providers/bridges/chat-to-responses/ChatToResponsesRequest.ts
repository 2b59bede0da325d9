import { Result } from "effect"
import { Unsupported } from "../../../core/domain/Failures.ts"
import type { UpstreamCall } from "../../../core/pool/Protocol.ts"
import { isFilled, isObject, objectOr, objectsIn, type JsonObject } from "../../json/LooseJson.ts"
import { itemsOf } from "./ChatToResponsesMessages.ts"

const SAME = (
  "temperature top_p top_logprobs service_tier user metadata parallel_tool_calls prompt_cache_key " +
  "prompt_cache_retention safety_identifier"
).split(" ")

const DONE = new Set([
  ...SAME,
  ..."model messages tools tool_choice response_format reasoning_effort verbosity max_tokens".split(" "),
  ..."max_completion_tokens n stream stream_options logprobs modalities".split(" ")
])

const isNeutral = (value: unknown): boolean => !isFilled(value) || value === false || value === 0

export const responseRequest = (call: UpstreamCall): Result.Result<UpstreamCall, Unsupported> => {
  const { request, strict } = call
  const { body } = request
  const given = (name: string): unknown => (body[name] === null || body[name] === "" ? undefined : body[name])
  if (request.choices > 1) return refused("n", "this model returns one choice per request: `n` must be 1")
  if (Array.isArray(body["modalities"]) && body["modalities"].includes("audio")) {
    return refused("modalities", "this model responds in text only")
  }
  for (const name of ["functions", "function_call"]) {
    if (given(name) !== undefined) return refused(name, `\`${name}\` is not supported at this model: use \`tools\``)
  }
  const input = itemsOf(body["messages"])
  if (input instanceof Unsupported) return Result.fail(input)
  const dropped = Object.keys(body).filter((name) => !DONE.has(name) && !isNeutral(body[name]))
  if (objectsIn(body["messages"]).some(isNamed)) dropped.push("messages.name")
  if (strict && dropped.length > 0) {
    return refused(
      dropped[0]!,
      `\`${dropped[0]}\` has no counterpart at this model, and the request is strict: leave it out`
    )
  }
  const tools = objectsIn(body["tools"]).map(flatTool)
  const choice = given("tool_choice")
  const effort = given("reasoning_effort")
  const verbosity = given("verbosity")
  const format = formatOf(body["response_format"])
  const text = {
    ...(format === undefined ? undefined : { format }),
    ...(verbosity === undefined ? undefined : { verbosity })
  }
  const response: JsonObject = {
    model: request.model,
    input,
    ...Object.fromEntries(SAME.map((name) => [name, given(name)] as const).filter(([, value]) => value !== undefined)),
    ...(tools.length === 0 ? undefined : { tools }),
    ...(choice === undefined ? undefined : { tool_choice: flatChoice(choice) }),
    ...(effort === undefined ? undefined : { reasoning: { effort } }),
    ...(Object.keys(text).length === 0 ? undefined : { text }),
    ...(given("logprobs") === true ? { include: ["message.output_text.logprobs"] } : undefined),
    ...(request.maxOutput === undefined ? undefined : { max_output_tokens: request.maxOutput })
  }
  const { long: _, ...rest } = request
  return Result.succeed({
    ...call,
    operation: "responses",
    request: { ...rest, body: response, contents: "input" },
    dropped
  })
}

/** A participant has a name; that of a tool stands in its call. */
const isNamed = ({ name, role }: JsonObject): boolean => typeof name === "string" && name !== "" && role !== "tool"

/** Responses are strict unless told otherwise, chats are not. */
const flatTool = (tool: JsonObject): JsonObject => {
  if (tool["type"] === "custom") {
    const { format, ...custom } = objectOr(tool["custom"])
    const grammar =
      isObject(format) && isObject(format["grammar"]) ? { type: format["type"], ...format["grammar"] } : format
    return { type: "custom", ...custom, ...(grammar === undefined ? undefined : { format: grammar }) }
  }
  if (!isObject(tool["function"])) return tool
  const { strict, ...called } = tool["function"]
  return { type: "function", parameters: null, ...called, strict: strict === true }
}

const flatChoice = (choice: unknown): unknown => {
  if (!isObject(choice)) return choice
  if (choice["type"] === "allowed_tools") {
    const { mode, tools } = objectOr(choice["allowed_tools"])
    return { type: "allowed_tools", mode, tools: objectsIn(tools).map(flatChoice) }
  }
  const named = objectOr(choice[String(choice["type"])])
  return typeof named["name"] === "string" ? { type: choice["type"], name: named["name"] } : choice
}

const formatOf = (format: unknown): JsonObject | undefined => {
  if (!isObject(format)) return undefined
  return format["type"] === "json_schema" ? { type: "json_schema", ...objectOr(format["json_schema"]) } : format
}

const refused = (param: string, message: string) => Result.fail(new Unsupported({ param, message }))
