/** The legacy completion of prompts. Models that only chat answer over a bridge. */
import { Predicate, Result } from "effect"
import { completionsContent } from "@model-gateway/protocol"
import type { CallRequest } from "../CallRequest.ts"
import type { LongStrings } from "../LongStrings.ts"
import type { InvalidField } from "../../domain/Errors.ts"
import type { JsonObject } from "../../domain/Json.ts"
import { answerText } from "../chat/ChatAnswerText.ts"
import { StreamRelay } from "../chat/StreamRelay.ts"
import type { Operation } from "../Operation.ts"
import { MAX_OUTPUT, notJson, readModel, readOptions, wrong } from "../ParseFields.ts"
import { producedIn } from "../ProducedText.ts"
import { readInputs } from "../ReadInputs.ts"
import { found, given, RequestScan } from "../RequestScan.ts"

/** What the vendor writes at most where the caller names no limit: https://platform.openai.com/docs/api-reference/completions (2026-11-22). */
const USUAL_OUTPUT = 16

export const completions: Operation = {
  name: "completions",
  path: "/v1/completions",
  content: completionsContent,
  read: (body) => (body.kind === "json" ? read(body.value, body.bytes, body.long) : notJson()),
  produced: producedIn,
  withMetadata: (answer, usage, metadata) => answerText(answer, usage, metadata),
  relay: (request) => new StreamRelay(request.includeUsage, request.choices)
}

const read = (body: unknown, bytes: number, long?: LongStrings): Result.Result<CallRequest, InvalidField> =>
  Result.gen(function* () {
    const [fields, model] = yield* readModel(body)
    const { count, sizes, texts } = yield* readInputs(fields, "prompt", bytes)
    const seen = new RequestScan()
    const { choices, stream } = yield* readOptions(fields, seen, [])
    const maxOutput = yield* readLimit(fields)
    const streamOptions = fields["stream_options"]
    // The bytes of the body, which bound a prompt of text, have it already.
    const suffix = sizes.tokens === undefined ? undefined : given(fields["suffix"])
    const beside = suffix === undefined ? 0 : Buffer.byteLength(JSON.stringify(suffix))
    return {
      body: fields,
      contents: "prompt",
      model,
      stream,
      includeUsage: Predicate.hasProperty(streamOptions, "include_usage") && streamOptions.include_usage === true,
      // One deployment answers all prompts, so the longest one stands for all.
      prompt: texts.reduce((longest, one) => (one.length > longest.length ? one : longest), ""),
      hasUnread: texts.length === 0,
      history: [],
      needs: seen.needs,
      media: [],
      maxOutput,
      choices: choices * count,
      ...sizes,
      textBound: sizes.textBound + beside,
      ...(long === undefined ? undefined : { long })
    } satisfies CallRequest as CallRequest
  })

/** 0 is allowed: with `echo` it asks for nothing but the prompt's own log probabilities. */
const readLimit = (fields: JsonObject): Result.Result<number, InvalidField> => {
  const limit = given(fields["max_tokens"]) ?? USUAL_OUTPUT
  const isLimit = typeof limit === "number" && Number.isSafeInteger(limit) && limit >= 0 && limit <= MAX_OUTPUT
  return isLimit
    ? Result.succeed(limit)
    : wrong("max_tokens", `\`max_tokens\` must be a whole number from 0 to ${MAX_OUTPUT}, ${found(limit)}`)
}
