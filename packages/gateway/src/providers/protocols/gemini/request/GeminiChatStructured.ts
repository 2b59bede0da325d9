/** `response_format`: natively, or a tool for models that don't take a schema together with tools (`structured/JsonSchema.ts`). */
import type { JsonSchemaWay } from "../../../../core/domain/Deployment.ts"
import type { UpstreamCall } from "../../../../core/pool/Protocol.ts"
import { arrayOf, isObject, type JsonObject } from "../../../json/LooseJson.ts"
import type { Losses } from "../../shared/Losses.ts"
import { refuseFormat } from "../../shared/LowerChat.ts"
import { schemaIn } from "../../../structured/JsonSchema.ts"
import { modelTraits } from "../GeminiModels.ts"
import { takenSchema } from "./GeminiChatSchema.ts"

/** Gemini 3 takes a schema beside tools, but not where one of them has to be called. */
export const schemaWay = ({ deployment, request: { body } }: UpstreamCall): JsonSchemaWay | undefined => {
  const { schemaWithTools } = modelTraits(deployment.facts)
  const hasTools = arrayOf(body["tools"]).length > 0
  return hasTools && (!schemaWithTools || mustCall(body["tool_choice"])) ? "tool" : deployment.quirks?.jsonSchema
}

export const lowerFormat = ({ deployment, request: { body } }: UpstreamCall, losses: Losses): JsonObject => {
  const format = body["response_format"]
  const type = isObject(format) ? format["type"] : undefined
  if (!isObject(format) || type === "text") return {}
  const schema = schemaIn(body)
  if (schema !== undefined) return { responseMimeType: JSON_TYPE, responseJsonSchema: takenSchema(schema) }
  if (type !== "json_object") {
    refuseFormat(losses)
    return {}
  }
  if (arrayOf(body["tools"]).length === 0 || modelTraits(deployment.facts).schemaWithTools) {
    return { responseMimeType: JSON_TYPE }
  }
  losses.drop("response_format", "this model has no JSON mode together with tools")
  return {}
}

const JSON_TYPE = "application/json"

const mustCall = (choice: unknown): boolean => {
  if (!isObject(choice)) return choice === "required"
  const { allowed_tools: allowed, type } = choice
  return type === "function" || (isObject(allowed) && allowed["mode"] === "required")
}
