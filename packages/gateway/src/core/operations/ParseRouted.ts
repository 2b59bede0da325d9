/**
 * Reads what the router needs from a request to any routed endpoint: Chat Completions, Responses (`input`), Completions (`prompt`)
 * and Embeddings (`input`). As lenient as the endpoints themselves.
 */
import { Predicate, Result } from "effect"
import type { JsonObject } from "../domain/Json.ts"
import type { RoutedRequest } from "./CallRequest.ts"
import type { InvalidField } from "../domain/Errors.ts"
import { readMessages } from "./messages/ReadMessages.ts"
import { parseChat } from "./ParseChat.ts"
import { readFormat, readModel, readOptions, wrong } from "./ParseFields.ts"
import { found, RequestScan } from "./RequestScan.ts"

const routedEndpoints = [
  "/v1/chat/completions",
  "/v1/messages",
  "/v1/responses",
  "/v1/completions",
  "/v1/embeddings"
] as const
export type RoutedEndpoint = (typeof routedEndpoints)[number]

type Read = (fields: JsonObject, model: string, bytes: number) => Result.Result<RoutedRequest, InvalidField>

/** `body`: parsed from JSON of `bytes` bytes, for the endpoint with that path. */
export const parseRouted = (
  endpoint: RoutedEndpoint,
  body: unknown,
  bytes: number
): Result.Result<RoutedRequest, InvalidField> =>
  endpoint === "/v1/chat/completions"
    ? parseChat(body, bytes)
    : endpoint === "/v1/messages"
      ? readMessages(body, bytes)
      : Result.flatMap(readModel(body), ([fields, model]) => readers[endpoint](fields, model, bytes))

const responses: Read = (fields, model, bytes) => {
  const { input, text } = fields
  const seen = new RequestScan()
  const items = typeof input === "string" ? [{ role: "user", content: input }] : input
  if (!Array.isArray(items) || items.length === 0) {
    return wrong("input", `\`input\` must be a text or a list of at least one item, ${found(input)}`)
  }
  for (let index = 0; index < items.length; index++) {
    const item: unknown = items[index]
    // Tool calls and their results are items too. An item with a role is a message.
    const isMessage = !Predicate.isObject(item) || "role" in item
    const mistake = isMessage ? seen.message(item, `input[${index}]`) : undefined
    if (mistake !== undefined) return Result.fail(mistake)
  }
  readFormat(Predicate.hasProperty(text, "format") ? text.format : undefined, seen)
  return routed(fields, model, seen, bytes, ["max_output_tokens"], items)
}

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

const readers: { readonly [Endpoint in Exclude<RoutedEndpoint, "/v1/chat/completions" | "/v1/messages">]: Read } = {
  "/v1/responses": responses,
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
