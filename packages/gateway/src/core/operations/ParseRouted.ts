/**
 * Reads what the router needs from a request to any routed endpoint: Chat Completions, Completions (`prompt`) and Embeddings
 * (`input`). As lenient as the endpoints themselves.
 */
import { Result } from "effect"
import type { JsonObject } from "../domain/Json.ts"
import type { RoutedRequest } from "./CallRequest.ts"
import type { InvalidField } from "../domain/Errors.ts"
import { parseChat } from "./ParseChat.ts"
import { readModel, readOptions, wrong } from "./ParseFields.ts"
import { found, RequestScan } from "./RequestScan.ts"

type Read = (fields: JsonObject, model: string, bytes: number) => Result.Result<RoutedRequest, InvalidField>

/** `body`: parsed from JSON of `bytes` bytes, for the endpoint with that path. */
export const parseRouted = (
  endpoint: string,
  body: unknown,
  bytes: number
): Result.Result<RoutedRequest, InvalidField> =>
  endpoint === "/v1/chat/completions"
    ? parseChat(body, bytes)
    : Result.flatMap(readModel(body), ([fields, model]) => {
        const reader = readers[endpoint]
        return reader === undefined ? wrong("endpoint", "no such endpoint is routed") : reader(fields, model, bytes)
      })

const completions: Read = (fields, model, bytes) => {
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

const embeddings: Read = (fields, model, bytes) => {
  const seen = new RequestScan()
  seen.needs.delete("chat")
  seen.needs.add("embeddings")
  return isText(fields["input"])
    ? routed(fields, model, seen, bytes, [], [])
    : wrong("input", `\`input\` must be a text, a list of texts, or tokens, ${found(fields["input"])}`)
}

const readers: { readonly [endpoint: string]: Read | undefined } = {
  "/v1/completions": completions,
  "/v1/embeddings": embeddings
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
