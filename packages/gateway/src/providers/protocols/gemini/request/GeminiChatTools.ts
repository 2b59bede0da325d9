/** Tools and how freely the model may use them. */
import type { JsonObject } from "../../../../core/domain/Json.ts"
import { arrayOf, isObject, textOf } from "../../../json/LooseJson.ts"
import type { Losses } from "../../shared/Losses.ts"
import { takenSchema } from "./GeminiChatSchema.ts"

interface GeminiToolFields {
  /** Functions first, then what runs at Google. */
  readonly tools: ReadonlyArray<JsonObject>
  /** `toolConfig`; undefined leaves it to the model. */
  readonly config: JsonObject | undefined
}

interface Declaration {
  readonly name: unknown
  readonly description?: unknown
  readonly parametersJsonSchema?: JsonObject
}

/** What runs at Google: https://ai.google.dev/api/caching#Tool (2026-11-22). */
const OWN_TOOLS = new Set(
  "googleSearch google_search googleSearchRetrieval codeExecution code_execution urlContext url_context fileSearch googleMaps enterpriseWebSearch retrieval computerUse".split(
    " "
  )
)

export const lowerTools = (body: JsonObject, losses: Losses): GeminiToolFields => {
  const functions: Array<Declaration> = []
  const own: Array<JsonObject> = []
  let isStrict = false
  for (const [index, tool] of arrayOf(body["tools"]).entries()) {
    const declared = isObject(tool) ? tool["function"] : undefined
    if (isObject(declared)) {
      functions.push(declaration(declared))
      isStrict ||= declared["strict"] === true
    } else if (isObject(tool) && isOwn(tool)) own.push(tool)
    else losses.refuse(`tools[${index}]`, "only function tools and Google's own tools can be sent to this provider")
  }
  if (functions.length > 0 && body["parallel_tool_calls"] === false) {
    losses.drop("parallel_tool_calls", "Google has no switch for parallel calls")
  }
  const { allowed, config } = lowerChoice(body["tool_choice"], isStrict, losses)
  // Google's own tools are run by no choice of functions: without them they can't be.
  const kept = config?.["mode"] === "NONE" ? [] : own
  const offered = allowed === undefined ? functions : functions.filter(({ name }) => allowed.has(String(name)))
  return {
    tools: [...(offered.length === 0 ? [] : [{ functionDeclarations: offered }]), ...kept],
    config: config === undefined || offered.length === 0 ? undefined : { functionCallingConfig: config }
  }
}

const isOwn = (tool: JsonObject): boolean => {
  const names = Object.keys(tool)
  return names.length > 0 && names.every((name) => OWN_TOOLS.has(name))
}

const declaration = (declared: JsonObject): Declaration => ({
  name: declared["name"],
  ...(textOf(declared["description"]) === undefined ? {} : { description: declared["description"] }),
  ...(isObject(declared["parameters"]) ? { parametersJsonSchema: takenSchema(declared["parameters"]) } : {})
})

interface GeminiToolChoice {
  /** `functionCallingConfig`. */
  readonly config: JsonObject | undefined
  /** The only functions that are offered; undefined: all. */
  readonly allowed?: ReadonlySet<string>
}

const lowerChoice = (given: unknown, isStrict: boolean, losses: Losses): GeminiToolChoice => {
  const auto: GeminiToolChoice = { config: isStrict ? { mode: "VALIDATED" } : undefined }
  if (given === undefined || given === null || given === "") return auto
  if (given === "auto") return isStrict ? auto : { config: { mode: "AUTO" } }
  if (given === "none") return { config: { mode: "NONE" } }
  if (given === "required") return { config: { mode: "ANY" } }
  if (isObject(given) && given["type"] === "allowed_tools")
    return allowedTools(given["allowed_tools"], isStrict, losses)
  const named = isObject(given) && isObject(given["function"]) ? textOf(given["function"]["name"]) : undefined
  if (named !== undefined) return { config: { mode: "ANY", allowedFunctionNames: [named] } }
  losses.refuse(
    "tool_choice",
    "`tool_choice` must be auto, none, required, a function or allowed_tools at this provider"
  )
  return auto
}

/** Names go with `ANY` alone: otherwise the others are not offered. */
const allowedTools = (given: unknown, isStrict: boolean, losses: Losses): GeminiToolChoice => {
  const { mode, tools } = isObject(given) ? given : {}
  const names = arrayOf(tools).flatMap((tool) =>
    isObject(tool) && isObject(tool["function"]) ? (textOf(tool["function"]["name"]) ?? []) : []
  )
  if (mode === "required") return { config: { mode: "ANY", allowedFunctionNames: names } }
  return { ...lowerChoice("auto", isStrict, losses), allowed: new Set(names) }
}
