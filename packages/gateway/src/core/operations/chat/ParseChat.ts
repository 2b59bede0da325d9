/**
 * Reads a chat request leniently: unknown fields pass, and `null` and `""` count as absent. Fields that the gateway needs are
 * checked, and an error names the path of the field.
 */
import { Predicate, Result } from "effect"
import type { CallRequest } from "../CallRequest.ts"
import type { LongStrings } from "../LongStrings.ts"
import type { InvalidField } from "../../domain/Errors.ts"
import { effortBits } from "../RequestFeatures.ts"
import { readFormat, readModel, readOptions, wrong } from "../ParseFields.ts"
import { found, RequestScan } from "../RequestScan.ts"
import { readOwnParts } from "./ReadOwnParts.ts"

const LIMITS = ["max_completion_tokens", "max_tokens"]

/** `body`: parsed from JSON of `bytes` bytes. */
export const parseChat = (
  body: unknown,
  bytes: number,
  long?: LongStrings
): Result.Result<CallRequest, InvalidField> => {
  const read = readModel(body)
  if (Result.isFailure(read)) return Result.fail(read.failure)
  const [fields, model] = read.success
  const { messages } = fields
  if (!Array.isArray(messages) || messages.length === 0) {
    return wrong("messages", `\`messages\` must be a list of at least one message, ${found(messages)}`)
  }
  const seen = new RequestScan()
  for (let index = 0; index < messages.length; index++) {
    const path = `messages[${index}]`
    const mistake = seen.message(messages[index], path) ?? readOwnParts(messages[index], path, seen)
    if (mistake !== undefined) return Result.fail(mistake)
  }
  const options = readOptions(fields, seen, LIMITS)
  if (Result.isFailure(options)) return Result.fail(options.failure)
  const { choices, maxOutput, stream } = options.success
  readFormat(fields["response_format"], seen)
  seen.features |= effortBits(fields["reasoning_effort"])
  const streamOptions = fields["stream_options"]
  return Result.succeed({
    body: fields,
    contents: "messages",
    model,
    stream,
    includeUsage: Predicate.hasProperty(streamOptions, "include_usage") && streamOptions.include_usage === true,
    history: messages,
    ...seen.summary(bytes),
    maxOutput,
    choices,
    ...(long === undefined ? undefined : { long })
  })
}
