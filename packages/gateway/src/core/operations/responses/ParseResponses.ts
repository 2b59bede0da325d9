/** Reads a request for a response leniently: unknown fields and items pass, and `null` and `""` count as absent. */
import { Predicate, Result } from "effect"
import type { InvalidField } from "../../domain/Errors.ts"
import type { JsonObject } from "../../domain/Json.ts"
import type { CallRequest } from "../CallRequest.ts"
import type { LongStrings } from "../LongStrings.ts"
import { effortBits } from "../RequestFeatures.ts"
import { readFormat, readOptionalModel, readOptions, wrong } from "../ParseFields.ts"
import { found, given, RequestScan } from "../RequestScan.ts"

const LIMITS = ["max_output_tokens"]

/** `value`: parsed from JSON of `bytes` bytes. */
export const parseResponses = (
  value: unknown,
  bytes: number,
  long?: LongStrings
): Result.Result<CallRequest, InvalidField> => {
  if (!Predicate.isObject(value) || Array.isArray(value)) return wrong("body", "the body must be a JSON object")
  const fields = value as JsonObject
  const model = readOptionalModel(fields)
  if (Result.isFailure(model)) return Result.fail(model.failure)
  const refusal = unsupportedIn(fields)
  if (refusal !== undefined) return refusal
  const seen = new RequestScan()
  const template = given(fields["prompt"])
  // A template that the provider keeps: nobody here knows how long it is.
  if (template !== undefined) seen.add("other", "prompt")
  const read = itemsOf(fields["input"], template !== undefined)
  if (Result.isFailure(read)) return Result.fail(read.failure)
  const items = read.success
  // Chat has them as messages, which may hold media.
  const instructions: unknown = fields["instructions"]
  for (const [index, item] of Array.isArray(instructions) ? instructions.entries() : []) {
    const mistake = readItem(item, `instructions[${index}]`, seen)
    if (mistake !== undefined) return Result.fail(mistake)
  }
  for (let index = 0; index < items.length; index++) {
    const mistake = readItem(items[index], `input[${index}]`, seen)
    if (mistake !== undefined) return Result.fail(mistake)
  }
  const options = readOptions(fields, seen, LIMITS)
  if (Result.isFailure(options)) return Result.fail(options.failure)
  const { maxOutput, stream } = options.success
  const text = fields["text"]
  const { reasoning } = fields
  seen.features |= effortBits(Predicate.hasProperty(reasoning, "effort") ? reasoning.effort : undefined)
  readFormat(Predicate.hasProperty(text, "format") ? text.format : undefined, seen)
  return Result.succeed({
    ...seen.summary(bytes),
    body: fields,
    contents: "input",
    model: model.success,
    stream,
    includeUsage: true,
    history: items,
    maxOutput,
    choices: 1,
    ...(long === undefined ? undefined : { long })
  })
}

const unsupportedIn = (fields: JsonObject) => {
  if (given(fields["conversation"]) !== undefined) {
    return wrong(
      "conversation",
      "`conversation` is not supported: send the earlier items in `input`, or name the last response in `previous_response_id`"
    )
  }
  const background = given(fields["background"]) ?? false
  if (typeof background !== "boolean")
    return wrong("background", `\`background\` must be true or false, ${found(background)}`)
  if (!background || (fields["stream"] !== true && fields["store"] !== false)) return undefined
  return wrong(
    "background",
    "`background` can't be combined with `stream: true` or `store: false`: its response is stored, and read with GET /v1/responses/{id}"
  )
}

/** The items of `input`; a text is one message of the user. */
const itemsOf = (input: unknown, hasTemplate: boolean): Result.Result<ReadonlyArray<unknown>, InvalidField> => {
  if (typeof input === "string" && input !== "") return Result.succeed([{ role: "user", content: input }])
  if (Array.isArray(input) && input.length > 0) return Result.succeed(input)
  const isAbsent = input === undefined || input === null || input === ""
  return hasTemplate && isAbsent
    ? Result.succeed([])
    : wrong("input", `\`input\` must be a text or a list of at least one item, ${found(input)}`)
}

/** Items of text alone: the bytes of the body bound them. */
const TEXT_ITEMS = new Set(
  `reasoning function_call custom_tool_call tool_search_call tool_search_output mcp_list_tools mcp_call
  mcp_approval_request mcp_approval_response computer_call local_shell_call local_shell_call_output shell_call
  shell_call_output apply_patch_call apply_patch_call_output additional_tools`.split(/\s+/)
)

/** Results of tools that may hold pictures and files. */
const RESULTS = new Set(["function_call_output", "custom_tool_call_output", "computer_call_output"])

/** An item of `input`, which is sent to OpenAI as it is. */
export const readItem = (item: unknown, path: string, seen: RequestScan): InvalidField | undefined => {
  const type = Predicate.hasProperty(item, "type") ? item.type : undefined
  if (type === "additional_tools") seen.need("tools")
  // An item with a role is a message.
  if (!Predicate.isObject(item) || "role" in item || type === undefined || type === "message") {
    return seen.message(item, path)
  }
  if (typeof type === "string" && RESULTS.has(type)) return readResult((item as JsonObject)["output"], path, seen)
  // What the provider keeps under an id, or reads again by itself, may be longer than the item.
  if (typeof type !== "string" || !TEXT_ITEMS.has(type)) seen.add("other", path)
  return undefined
}

const readResult = (output: unknown, path: string, seen: RequestScan): InvalidField | undefined => {
  if (Array.isArray(output)) return seen.nested(output, `${path}.output`, [])
  if (Predicate.hasProperty(output, "type") && output.type === "computer_screenshot") {
    const url = Predicate.hasProperty(output, "image_url") ? output.image_url : undefined
    const { detail } = output as JsonObject
    seen.image(`${path}.output`, output as JsonObject, typeof url === "string" ? url : undefined, detail)
  }
  return undefined
}
