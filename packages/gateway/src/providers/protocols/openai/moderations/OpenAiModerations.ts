/** Moderations of OpenAI and of servers that speak like it. */
import { Result } from "effect"
import { truncated } from "../../../../core/domain/Failures.ts"
import type { JsonObject } from "../../../../core/domain/Json.ts"
import type { Dialect } from "../../../../core/pool/Protocol.ts"
import { parseJson } from "../../../json/BoundedJson.ts"
import { isObject, objectOr } from "../../../json/LooseJson.ts"
import { usageOf } from "../answer/OpenAiChatUsage.ts"
import { errorIn, failureOfErrorBody, noObject } from "../OpenAiErrors.ts"
import { unstreamed } from "../OpenAiEventStream.ts"
import { forwarded, jsonRequest } from "../OpenAiForwarded.ts"

/** Mistral leaves `flagged` to its reader (https://docs.mistral.ai/capabilities/guardrailing, 2026-11-22). */
const judged = (result: JsonObject): JsonObject =>
  typeof result["flagged"] === "boolean"
    ? result
    : { flagged: Object.values(objectOr(result["categories"])).includes(true), ...result }

export const OpenAiModerations: Dialect = {
  lower: (call) => {
    const { body, splice } = forwarded(call)
    return Result.succeed(jsonRequest("/moderations", body, { splice }))
  },
  lift: (text, { deployment, now }) => {
    const body = parseJson(text)
    if (!isObject(body)) return Result.fail(noObject(text))
    const error = errorIn({ choices: [], ...body })
    if (error !== undefined) return Result.fail(failureOfErrorBody(error, body))
    const { results } = body
    if (!Array.isArray(results) || results.length === 0 || !results.every((one) => isObject(one))) {
      return Result.fail(truncated("the response has no results"))
    }
    const named = { id: `modr-${now.toString(36)}`, model: deployment.model, ...body, results: results.map(judged) }
    return Result.succeed({ body: named, usage: usageOf(body["usage"], true) })
  },
  stream: unstreamed
}
