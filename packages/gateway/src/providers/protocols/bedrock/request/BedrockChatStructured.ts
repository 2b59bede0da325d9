/**
 * `response_format`: natively where the model has it (`outputConfig.textFormat`), else by a tool that it has to call, or in words
 * (`structured/JsonSchema.ts`).
 */
import type { JsonSchemaWay } from "../../../../core/domain/Deployment.ts"
import type { JsonObject } from "../../../../core/domain/Json.ts"
import type { UpstreamCall } from "../../../../core/pool/Protocol.ts"
import { encodeJson, isObject, textOf } from "../../../json/LooseJson.ts"
import type { Losses } from "../../shared/Losses.ts"
import { schemaIn } from "../../../structured/JsonSchema.ts"
import { fitsNatively, nativeSchema } from "../../anthropic/request/AnthropicChatNativeSchema.ts"
import { type ConverseTraits, converseTraits } from "../BedrockModels.ts"

/** Undefined where it is done natively. */
export const schemaWay = ({ deployment, request }: UpstreamCall): JsonSchemaWay | undefined => {
  const traits = converseTraits(deployment)
  const schema = schemaIn(request.body)
  if (schema === undefined || isNative(schema, traits)) return undefined
  return traits.forcedTools === "none" ? "json_mode" : "tool"
}

/** `outputConfig`; undefined when it is not used. Reports what can't be held to. */
export const outputConfig = (body: JsonObject, traits: ConverseTraits, losses: Losses): JsonObject | undefined => {
  const format = body["response_format"]
  if (!isObject(format) || format["type"] === "text") return undefined
  if (format["type"] === "json_object") {
    losses.drop("response_format", "Bedrock has no JSON mode without a schema")
    return undefined
  }
  const described = isObject(format["json_schema"]) ? format["json_schema"] : {}
  const schema = schemaIn(body)
  if (schema === undefined) {
    losses.refuse("response_format", "`response_format` must be text, json_object or json_schema with a schema")
    return undefined
  }
  const name = textOf(described["name"])
  const description = textOf(described["description"])
  const jsonSchema = {
    schema: encodeJson(traits.claude === undefined ? schema : nativeSchema(schema)),
    ...(name === undefined ? {} : { name }),
    ...(description === undefined ? {} : { description })
  }
  return { textFormat: { type: "json_schema", structure: { jsonSchema } } }
}

/** Anthropic's models know less than JSON Schema. */
const isNative = (schema: JsonObject, { claude, schemas }: ConverseTraits): boolean =>
  schemas && (claude === undefined || fitsNatively(schema))
