/**
 * `generateContent` and `countTokens` for callers of Google's own API. Requests were read into those of chat, which have places for all
 * that is Google's alone. Answers are judged as those to chat, and come back as they are.
 */
import { Result } from "effect"
import { contentName } from "@model-gateway/protocol"
import { truncated } from "../../../../core/domain/Failures.ts"
import { noUsage } from "../../../../core/domain/Usage.ts"
import type { Dialect } from "../../../../core/pool/Protocol.ts"
import { renamed } from "../../../bridges/Bridge.ts"
import { parseJson } from "../../../json/BoundedJson.ts"
import { objectOf, objectOr, objectsIn, type JsonObject } from "../../../json/LooseJson.ts"
import { lift } from "../answer/GeminiChatResponse.ts"
import { stream } from "../answer/GeminiChatStream.ts"
import { errorIn, reportedFailure } from "../GeminiErrors.ts"
import { modelPath } from "../GeminiModels.ts"
import { lower } from "../request/GeminiChatRequest.ts"

export const GeminiContent: Dialect = {
  lower: (call) => renamed(lower(call), contentName),
  lift: (text, call) => Result.map(lift(text, call), (answer) => ({ ...answer, body: objectOr(parseJson(text)) })),
  stream: (call) => {
    const judged = stream(call)
    return {
      push: (event) => {
        const said = judged.push(event)
        const isLast = said.some(({ kind }) => kind === "finish")
        const kind = said.some((one) => one.kind === "content") ? "content" : "lifecycle"
        const own = said.some((one) => !("data" in one)) ? undefined : objectOf(parseJson(event.data))
        if (own === undefined) return said.filter((one) => !("data" in one))
        return onePart(own).map((one, index, { length }) => ({
          kind: isLast && index === length - 1 ? "finish" : isLast ? "content" : kind,
          data: JSON.stringify(one)
        }))
      },
      end: () => judged.end().map((one) => (one.kind === "usage" ? { ...one, data: "" } : one))
    }
  }
}

/** An event of several parts as several events: guardrails follow a text from event to event by its place. */
const onePart = (event: JsonObject): ReadonlyArray<JsonObject> => {
  const [{ content, finishReason, ...candidate } = {}, ...others] = objectsIn(event["candidates"])
  const parts = objectsIn(objectOr(content)["parts"])
  if (others.length > 0 || parts.length < 2) return [event]
  return parts.map((part, index) => {
    const reason = index === parts.length - 1 && finishReason !== undefined ? { finishReason } : {}
    return { ...event, candidates: [{ ...candidate, content: { ...objectOr(content), parts: [part] }, ...reason }] }
  })
}

/** Google's own count, which is free: https://ai.google.dev/api/tokens (2026-11-28). Vertex takes the request itself. */
export const GeminiCount: Dialect = {
  ...GeminiContent,
  lower: (call) =>
    Result.map(lower({ ...call, maxOutput: undefined, strict: false }), (wire) => {
      const { model, vendor } = call.deployment
      const whole = { model: `models/${model}`, ...objectOr(parseJson(wire.body)) }
      const body = vendor === "vertex" ? wire.body : JSON.stringify({ generateContentRequest: whole })
      return { ...wire, path: `${modelPath(model)}:countTokens`, body }
    }),
  lift: (text) => {
    const body = parseJson(text)
    const error = errorIn(body)
    if (error !== undefined) return Result.fail(reportedFailure(error))
    const { totalTokens } = objectOr(body)
    return typeof totalTokens === "number"
      ? Result.succeed({ body: { input_tokens: totalTokens }, usage: noUsage })
      : Result.fail(truncated("the provider's response is not a count"))
  }
}
