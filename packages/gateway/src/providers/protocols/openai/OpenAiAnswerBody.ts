/** What every whole answer is read by first. */
import { Result } from "effect"
import { type ProviderFailure, truncated } from "../../../core/domain/Failures.ts"
import type { JsonObject } from "../../../core/domain/Json.ts"
import { errorIn, failureOfErrorBody } from "./OpenAiErrors.ts"
import { parseJson } from "../../json/BoundedJson.ts"
import { isObject } from "../../json/LooseJson.ts"

/** The object that `text` is, or the error that it holds instead of an answer. */
export const answerBody = (text: string): Result.Result<JsonObject, ProviderFailure> => {
  const parsed = parseJson(text)
  // Gemini's compatible API wraps an error in a list.
  const body = Array.isArray(parsed) && isObject(parsed[0]) && errorIn(parsed[0]) !== undefined ? parsed[0] : parsed
  if (!isObject(body)) return Result.fail(noObject(text))
  const error = errorIn(body)
  return error === undefined ? Result.succeed(body) : Result.fail(failureOfErrorBody(error, body))
}

export const noObject = (text: string): ProviderFailure =>
  truncated(text.trim() === "" ? "the response is empty" : "the response is not JSON")
