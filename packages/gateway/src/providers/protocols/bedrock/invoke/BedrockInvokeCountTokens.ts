/**
 * Bedrock's own count of a request to Anthropic's models, which is free:
 * https://docs.aws.amazon.com/bedrock/latest/userguide/count-tokens.html (2026-11-22). It counts for a model, not for a profile, as
 * recorded: the region in front of the name is left out.
 */
import { Result } from "effect"
import { truncated } from "../../../../core/domain/Failures.ts"
import { noUsage } from "../../../../core/domain/Usage.ts"
import type { Dialect } from "../../../../core/pool/Protocol.ts"
import { parseJson } from "../../../json/BoundedJson.ts"
import { isObject } from "../../../json/LooseJson.ts"
import { wireRequest } from "../../anthropic/messages/AnthropicMessagesRequest.ts"
import { stream } from "../../anthropic/messages/AnthropicMessagesStream.ts"
import { modelPath } from "../BedrockPath.ts"
import { bedrockFields } from "./BedrockInvokeMessages.ts"

/** A body without a limit is none of the model's. */
const SOME_LIMIT = { max_tokens: 1 }

const ofModel = (name: string): string =>
  name
    .split("/")
    .at(-1)!
    .replace(/^(?:[a-z]{2,6}(?:-gov)?\.)(?=anthropic\.)/, "")

export const BedrockCount: Dialect = {
  lower: (call) => {
    const { deployment } = call
    const path = modelPath(ofModel(deployment.baseModel ?? deployment.model), "count-tokens")
    const wire = wireRequest({ ...call, strict: false }, path, {
      ...SOME_LIMIT,
      ...bedrockFields(call)
    })
    return Result.map(wire, ({ body, splice }) => {
      const bytes = splice === undefined ? Buffer.from(body) : Buffer.from(splice(body))
      return {
        path,
        headers: { "content-type": "application/json", accept: "application/json" },
        body: JSON.stringify({ input: { invokeModel: { body: bytes.toString("base64") } } }),
        dropped: []
      }
    })
  },
  lift: (text) => {
    const answer = parseJson(text)
    const count = isObject(answer) ? answer["inputTokens"] : undefined
    if (typeof count !== "number") return Result.fail(truncated("the provider's response is not a count"))
    return Result.succeed({ body: { input_tokens: count }, usage: noUsage })
  },
  stream
}
