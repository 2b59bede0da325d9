/**
 * `response_format`: natively where the model has it (`outputConfig.textFormat`), else by a tool that it has to call, or in words
 * (`structured/JsonSchema.ts`).
 */
import type { JsonSchemaWay } from "../../../../core/domain/Deployment.ts"
import type { JsonObject } from "../../../../core/domain/Json.ts"
import type { UpstreamCall } from "../../../../core/pool/Protocol.ts"
import { encodeJson, objectOr, textOf } from "../../../json/LooseJson.ts"
import type { Losses } from "../../shared/Losses.ts"
import { answerSchema } from "../../shared/LowerChat.ts"
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

/** `outputConfig`; undefined when it is not used. Reports what can't be guaranteed. */
export const outputConfig = (body: JsonObject, traits: ConverseTraits, losses: Losses): JsonObject | undefined => {
  const schema = answerSchema(body, "Bedrock", losses)
  if (schema === undefined) return undefined
  const { description, name } = objectOr(objectOr(body["response_format"])["json_schema"])
  const jsonSchema = {
    schema: encodeJson(traits.claude === undefined ? schema : nativeSchema(schema)),
    name: textOf(name),
    description: textOf(description)
  }
  return { textFormat: { type: "json_schema", structure: { jsonSchema } } }
}

/** Anthropic's models know less than JSON Schema. */
const isNative = (schema: JsonObject, { claude, schemas }: ConverseTraits): boolean =>
  schemas && (claude === undefined || fitsNatively(schema))
