/** Tools and how freely the model may use them. */
import { arrayOf, isObject, objectOf, textOf, type JsonObject } from "../../../json/LooseJson.ts"
import type { Losses } from "../../shared/Losses.ts"
import { type ToolChoice, toolChoice } from "../../shared/LowerChat.ts"
import { takenSchema } from "./GeminiChatSchema.ts"

/** What runs at Google: https://ai.google.dev/api/caching#Tool (2026-11-22). */
const OWN_TOOLS = new Set(
  "googleSearch google_search googleSearchRetrieval codeExecution code_execution urlContext url_context fileSearch googleMaps enterpriseWebSearch retrieval computerUse".split(
    " "
  )
)

export const lowerTools = (body: JsonObject, losses: Losses) => {
  const functions: Array<ReturnType<typeof declaration>> = []
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
  const chosen = toolChoice(body, losses)
  const config = choiceOf(chosen, isStrict)
  // Names go with `ANY` alone: otherwise the others are not offered.
  const allowed = chosen.mode === "required" ? undefined : chosen.allowed
  // Google's own tools are run by no choice of functions: without them they can't be.
  const kept = config?.["mode"] === "NONE" ? [] : own
  const offered = allowed === undefined ? functions : functions.filter(({ name }) => allowed.has(String(name)))
  return {
    tools: [...(offered.length === 0 ? [] : [{ functionDeclarations: offered }]), ...kept],
    config: offered.length === 0 ? undefined : config
  }
}

const isOwn = (tool: JsonObject): boolean => {
  const names = Object.keys(tool)
  return names.length > 0 && names.every((name) => OWN_TOOLS.has(name))
}

const declaration = (declared: JsonObject) => ({
  name: declared["name"],
  ...(textOf(declared["description"]) === undefined ? {} : { description: declared["description"] }),
  ...objectOf(declared["google"]),
  ...(isObject(declared["parameters"]) ? { parametersJsonSchema: takenSchema(declared["parameters"]) } : {})
})

const choiceOf = ({ allowed, mode }: ToolChoice, isStrict: boolean): JsonObject | undefined => {
  if (mode === "none") return { mode: "NONE" }
  if (mode === "required") return { mode: "ANY", ...(allowed && { allowedFunctionNames: [...allowed] }) }
  if (isStrict) return { mode: "VALIDATED" }
  return mode === "auto" ? { mode: "AUTO" } : undefined
}
