/**
 * Reads what the router needs from a request to an endpoint that is explained but has no operation yet: Completions (`prompt`). As
 * lenient as the endpoint itself.
 */
import { Result } from "effect"
import type { JsonObject } from "../domain/Json.ts"
import type { RoutedRequest } from "./CallRequest.ts"
import type { InvalidField } from "../domain/Errors.ts"
import { readModel, readOptions, wrong } from "./ParseFields.ts"
import { found, RequestScan } from "./RequestScan.ts"

/** `body`: parsed from JSON of `bytes` bytes, for the endpoint with that path. */
export const parseRouted = (
  endpoint: string,
  body: unknown,
  bytes: number
): Result.Result<RoutedRequest, InvalidField> =>
  Result.flatMap(readModel(body), ([fields, model]) =>
    endpoint === "/v1/completions"
      ? completions(fields, model, bytes)
      : wrong("endpoint", `there is no routed endpoint ${endpoint}`)
  )

const completions = (fields: JsonObject, model: string, bytes: number): Result.Result<RoutedRequest, InvalidField> => {
  const { prompt } = fields
  const seen = new RequestScan()
  if (!isText(prompt)) {
    return wrong("prompt", `\`prompt\` must be a text, a list of texts, or tokens, ${found(prompt)}`)
  }
  // One deployment answers all prompts, so the longest one stands for all.
  const texts = typeof prompt === "string" ? [prompt] : prompt.filter((one) => typeof one === "string")
  seen.prompt = texts.reduce((longest, one) => (one.length > longest.length ? one : longest), "")
  seen.hasUnread = texts.length === 0
  return routed(fields, model, seen, bytes, ["max_tokens"], [])
}

/** A text, a list of texts, the tokens of one text, or a list of those. */
const isText = (value: unknown): value is string | ReadonlyArray<unknown> =>
  typeof value === "string" ||
  (Array.isArray(value) &&
    value.length > 0 &&
    value.every((one) => typeof one === "string" || typeof one === "number" || Array.isArray(one)))

const routed = (
  body: JsonObject,
  model: string,
  seen: RequestScan,
  bytes: number,
  limits: ReadonlyArray<string>,
  history: ReadonlyArray<unknown>
): Result.Result<RoutedRequest, InvalidField> =>
  Result.map(readOptions(body, seen, limits), ({ choices, maxOutput }) => ({
    body,
    model,
    prompt: seen.prompt,
    hasUnread: seen.hasUnread,
    history,
    needs: [...seen.needs],
    inputEstimate: seen.sizes(bytes).inputEstimate,
    maxOutput,
    choices
  }))
