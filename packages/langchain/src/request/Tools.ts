/** Tools and the choice among them, as the wire has them. */
import type { BindToolsInput } from "@langchain/core/language_models/chat_models"
import { convertToOpenAIFunction, isLangChainTool } from "@langchain/core/utils/function_calling"
import { assertDescribable } from "./Describable.ts"
import { GatewayInputError } from "../Errors.ts"

type Tool = Readonly<Record<string, unknown>>

/** LangChain's tools (zod 3, zod 4, Standard Schema or JSON schema), Anthropic's form, and what is on the wire already. */
export const toWireTool = (tool: BindToolsInput, strict: boolean | undefined): Tool => {
  const { description, function: definition, input_schema, name, schema, type } = tool as Tool
  assertDescribable(schema, `the tool \`${String(name)}\``)
  if (isLangChainTool(tool)) return withStrict(convertToOpenAIFunction(tool) as unknown as Tool, strict)
  if (type === "function" && isRecord(definition)) return { ...tool, ...withStrict(definition, strict) }
  if (typeof name === "string" && isRecord(input_schema)) {
    return withStrict({ name, ...(description === undefined ? {} : { description }), parameters: input_schema }, strict)
  }
  // A tool of the provider's own, which it knows by its type.
  if (typeof type === "string" && type !== "function") return tool as Tool
  throw new GatewayInputError(
    'A tool can\'t be sent to the gateway: it must be a LangChain tool, `{name, description, schema}`, or `{type: "function", function: {name, parameters}}`.'
  )
}

const withStrict = (definition: Tool, strict: boolean | undefined): Tool => ({
  type: "function",
  function: strict === undefined ? definition : { ...definition, strict }
})

/** `any` is LangChain's word for `required`; a tool may be named in anybody's form. */
export const toWireToolChoice = (choice: unknown): unknown => {
  if (choice === "any") return "required"
  if (typeof choice === "string") return ["auto", "none", "required"].includes(choice) ? choice : named(choice)
  if (!isRecord(choice)) return choice ?? undefined
  if (choice["type"] === "tool" && typeof choice["name"] === "string") return named(choice["name"])
  if (choice["type"] === "any") return "required"
  if (choice["type"] === "auto" || choice["type"] === "none") return choice["type"]
  return choice
}

const named = (name: string) => ({ type: "function", function: { name } })

const isRecord = (value: unknown): value is Tool => typeof value === "object" && value !== null
