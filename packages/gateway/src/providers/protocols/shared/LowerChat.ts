/** What requests to APIs other than OpenAI's have in common. */
import { Result } from "effect"
import { Unsupported } from "../../../core/domain/Failures.ts"
import type { JsonObject } from "../../../core/domain/Json.ts"
import type { UpstreamCall, WireRequest } from "../../../core/pool/Protocol.ts"
import { arrayOf, encodeJson, isObject, textOf } from "../../json/LooseJson.ts"
import { schemaIn } from "../../structured/JsonSchema.ts"
import { Losses } from "./Losses.ts"

type LoweredWire = Result.Result<WireRequest, Unsupported>

/** The request with this body, unless `losses` has found it impossible. `accept`: the media type of the response. */
export const wireRequest = (
  losses: Losses,
  path: string,
  body: JsonObject,
  accept = "application/json"
): LoweredWire => {
  const json = encodeJson(body)
  if (losses.problem !== undefined) return Result.fail(losses.problem)
  if (json === undefined) {
    return Result.fail(new Unsupported({ message: "the request is nested too deeply", param: "messages" }))
  }
  return Result.succeed({ path, headers: { accept }, body: json, dropped: losses.dropped })
}

/** The request with the body that `bodyOf` makes. `streamType`: the media type of a stream. */
export const lowerChat = (
  call: UpstreamCall,
  path: string,
  streamType: string,
  bodyOf: (call: UpstreamCall, losses: Losses) => JsonObject
): LoweredWire => {
  const losses = new Losses(call.strict)
  return wireRequest(losses, path, bodyOf(call, losses), call.request.stream ? streamType : undefined)
}

/** Callers send null and "" for a field they have nothing for. */
export const isGiven = (value: unknown): value is NonNullable<unknown> =>
  value !== undefined && value !== null && value !== ""

export const numberIn = (body: JsonObject, name: string, losses: Losses): number | undefined => {
  const value = body[name]
  if (typeof value === "number" && Number.isFinite(value)) return value
  if (isGiven(value)) losses.refuse(name, `\`${name}\` must be a number`)
  return undefined
}

/** `stop`: a text, or a list of texts. */
export const stopsIn = (stop: unknown): ReadonlyArray<string> =>
  (Array.isArray(stop) ? stop : [stop]).flatMap((one) => textOf(one) ?? [])

/** Fields that every protocol translates, or that the gateway itself acts on. */
const COMMON =
  "model messages stream stream_options max_tokens max_completion_tokens n modalities parallel_tool_calls cache_control"

/** Names of the fields of a chat request that an API has a counterpart for, separated by spaces. */
export const chatFields = (names: string): ReadonlySet<string> => new Set(`${COMMON} ${names}`.split(" "))

const asksNothing = (name: string, value: unknown): boolean =>
  !isGiven(value) ||
  value === false ||
  (value === 0 && name !== "seed") ||
  (typeof value === "object" && Object.keys(value).length === 0)

/** Drops the fields that ask for something and are not `known`. */
export const dropUnknown = (
  body: JsonObject,
  known: ReadonlySet<string>,
  vendor: string,
  losses: Losses
): ReadonlyArray<string> => {
  const unknown = Object.keys(body).filter((name) => !known.has(name) && !asksNothing(name, body[name]))
  for (const name of unknown) {
    if (name === "functions" || name === "function_call") {
      losses.refuse(name, `\`${name}\` is not supported at this provider: use \`tools\``)
    } else losses.drop(name, `\`${name}\` has no counterpart at ${vendor}`)
  }
  return unknown
}

/** For a provider that answers with one text. */
export const refuseOutputs = (request: UpstreamCall["request"], losses: Losses): void => {
  if (request.choices > 1) losses.refuse("n", "this provider returns one choice per request: `n` must be 1")
  refuseMedia(request, losses)
}

export const refuseMedia = ({ body }: UpstreamCall["request"], losses: Losses): void => {
  if (arrayOf(body["modalities"]).some((one) => one !== "text")) {
    losses.refuse("modalities", "this provider responds in text only")
  }
}

export const refuseFormat = (losses: Losses): void =>
  losses.refuse("response_format", "`response_format` must be text, json_object or json_schema with a schema")

/** The schema that the response has to fit; undefined where there is none, or it was refused. `vendor` has no JSON mode without one. */
export const answerSchema = (body: JsonObject, vendor: string, losses: Losses): JsonObject | undefined => {
  const format = body["response_format"]
  if (!isObject(format) || format["type"] === "text") return undefined
  const schema = schemaIn(body)
  if (format["type"] === "json_object") {
    losses.drop("response_format", `${vendor} has no JSON mode without a schema`)
    return undefined
  }
  if (schema === undefined) refuseFormat(losses)
  return schema
}

export const NO_ARGUMENTS: JsonObject = { type: "object", properties: {} }

interface FunctionTool {
  readonly name: string
  readonly isStrict: boolean | undefined
  /** Name, description and parameters, as OpenAI has them. */
  readonly declared: { readonly name: string; readonly description?: unknown; readonly parameters: JsonObject }
}

/** The function that a tool declares; undefined for another kind of tool. */
export const functionOf = (tool: unknown): FunctionTool | undefined => {
  const given = isObject(tool) ? tool["function"] : undefined
  const name = isObject(given) ? textOf(given["name"]) : undefined
  if (!isObject(given) || name === undefined) return undefined
  const { description, parameters, strict } = given
  const declared = {
    name,
    ...(textOf(description) === undefined ? {} : { description }),
    parameters: isObject(parameters) ? parameters : NO_ARGUMENTS
  }
  return { name, isStrict: typeof strict === "boolean" ? strict : undefined, declared }
}

export const functionTools = ({ tools }: JsonObject, losses: Losses): ReadonlyArray<FunctionTool> =>
  arrayOf(tools).flatMap((tool, index) => {
    const found = functionOf(tool)
    if (found === undefined) losses.refuse(`tools[${index}]`, "only function tools can be sent to this provider")
    return found ?? []
  })

export interface ToolChoice {
  /** Undefined where the caller names none. */
  readonly mode: "auto" | "none" | "required" | undefined
  /** The only functions that may be called; undefined: all. */
  readonly allowed?: ReadonlySet<string>
  /** The function that has to be called, which is the one in `allowed`. */
  readonly name?: string
}

const MODES: ReadonlyMap<unknown, ToolChoice["mode"]> = new Map<unknown, ToolChoice["mode"]>([
  ["auto", "auto"],
  ["none", "none"],
  ["NONE", "none"],
  ["required", "required"],
  ["REQUIRED", "required"],
  ["any", "required"]
])

/** `tool_choice`, in the words of OpenAI, Cohere or Mistral. */
export const toolChoice = ({ tool_choice: given }: JsonObject, losses: Losses): ToolChoice => {
  const mode = MODES.get(given)
  if (mode !== undefined || !isGiven(given)) return { mode }
  if (isObject(given) && given["type"] === "allowed_tools") {
    const { mode, tools } = isObject(given["allowed_tools"]) ? given["allowed_tools"] : given
    const allowed = new Set(arrayOf(tools).flatMap((tool) => functionName(tool) ?? []))
    return { mode: mode === "required" ? mode : "auto", allowed }
  }
  const name = functionName(given)
  if (name !== undefined) return { mode: "required", allowed: new Set([name]), name }
  const known = "`tool_choice` must be auto, none, required, a function or allowed_tools at this provider"
  losses.refuse("tool_choice", known)
  return { mode: undefined }
}

const functionName = (choice: unknown): string | undefined =>
  isObject(choice) && isObject(choice["function"]) ? textOf(choice["function"]["name"]) : undefined

interface OfferedFunctions {
  readonly offered: ReadonlyArray<FunctionTool>
  readonly mode: ToolChoice["mode"]
}

/** The functions that a model may call, for APIs where a choice is a word. */
export const offeredFunctions = (body: JsonObject, losses: Losses): OfferedFunctions => {
  const tools = functionTools(body, losses)
  const { allowed, mode } = toolChoice(body, losses)
  if (allowed === undefined) return { offered: tools, mode }
  const offered = tools.filter(({ name }) => allowed.has(name))
  if (offered.length === 0) losses.refuse("tool_choice", "`tool_choice` names a function that is not among the tools")
  return { offered, mode }
}
