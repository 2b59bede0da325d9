/** `response_format`: natively where model and schema allow it, else as a tool that the model has to call (`providers/structured`). */
import type { JsonObject } from "../../../../core/domain/Json.ts"
import type { UpstreamCall } from "../../../../core/pool/Protocol.ts"
import type { JsonSchemaWay } from "../../../../core/domain/Deployment.ts"
import { schemaIn } from "../../../structured/JsonSchema.ts"
import type { Losses } from "../../shared/Losses.ts"
import { answerSchema } from "../../shared/LowerChat.ts"
import { type AnthropicTraits, NOT_ON_VERTEX, servedTraits } from "../AnthropicModels.ts"
import { fitsNatively, nativeSchema } from "./AnthropicChatNativeSchema.ts"

/** Undefined: natively, or not at all. */
export const schemaWay = ({ deployment, request }: UpstreamCall): JsonSchemaWay | undefined => {
  const schema = schemaIn(request.body)
  const traits = servedTraits(deployment)
  return schema === undefined || isNative(schema, traits) || !traits.forcedTools ? undefined : "tool"
}

/** `output_config.format`; undefined when it is not used. Reports what can't be guaranteed. */
export const nativeFormat = (call: UpstreamCall, losses: Losses): JsonObject | undefined => {
  const schema = answerSchema(call.request.body, "Anthropic", losses)
  if (schema === undefined) return undefined
  const traits = servedTraits(call.deployment)
  if (isNative(schema, traits)) return { type: "json_schema", schema: nativeSchema(schema) }
  if (!traits.forcedTools) {
    const isVertex = call.deployment.quirks?.anthropicHost === "vertex"
    const why = isVertex ? NOT_ON_VERTEX : "this model can't guarantee this schema"
    losses.refuse("response_format.json_schema.schema", why)
  }
  return undefined
}

const isNative = (schema: JsonObject, traits: AnthropicTraits): boolean => traits.jsonSchema && fitsNatively(schema)
