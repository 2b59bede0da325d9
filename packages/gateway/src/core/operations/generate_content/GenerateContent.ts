/** Google's `generateContent`, streamed or complete, and `countTokens`, which is free. Requests are read into those of chat. */
import { Predicate, Result } from "effect"
import { camel, chatContent, chatOfContents, contentName, contentsContent } from "@model-gateway/protocol"
import type { InvalidField } from "../../domain/Errors.ts"
import type { JsonObject } from "../../domain/Json.ts"
import { inputTokens, outputTokens, totalTokens, type Usage } from "../../domain/Usage.ts"
import type { MediaPart } from "../../media/Contents.ts"
import type { CallRequest } from "../CallRequest.ts"
import { parseChat } from "../chat/ParseChat.ts"
import { NOTHING_YET, StreamRelay } from "../chat/StreamRelay.ts"
import { counted } from "../count_tokens/CountTokens.ts"
import type { Operation } from "../Operation.ts"
import { notJson, wrong } from "../ParseFields.ts"
import { nothing, producedIn } from "../ProducedText.ts"
import type { RequestBody } from "../RequestBody.ts"
import { gatewayObject } from "../RoutingMetadata.ts"

/** What one account keeps at Google. */
const CACHED = {
  kind: "other",
  path: "cachedContent",
  source: undefined,
  detail: undefined,
  fileId: "cachedContent"
} as const

const read = (given: RequestBody): Result.Result<CallRequest, InvalidField> => {
  if (given.kind !== "json") return notJson()
  const { bytes, named, value } = given
  if (!Predicate.isObject(value) || Array.isArray(value)) return wrong("body", "the body must be a JSON object")
  const body = value as JsonObject
  // Guardrails and presets have changed it since it was read.
  if (named === undefined && body["messages"] !== undefined) return parseChat(body, bytes)
  const { model, stream = false } = named ?? (body as { readonly model?: unknown; readonly stream?: boolean })
  const name = typeof model === "string" ? model.replace(/^models\//, "") : ""
  if (name === "") return wrong("model", '`model` must be a model name or "auto", and it is missing')
  const chat = chatOfContents(body, name, stream)
  if (Result.isFailure(chat)) return wrong(chat.failure.param, chat.failure.message)
  const parsed = parseChat(chat.success, bytes)
  if (Result.isSuccess(parsed)) {
    const kept: ReadonlyArray<MediaPart> = camel(body)["cachedContent"] === undefined ? [] : [CACHED]
    return Result.succeed({ ...parsed.success, media: [...parsed.success.media, ...kept] })
  }
  const { message, param } = parsed.failure
  return wrong(contentName(param), message.replaceAll(`\`${param}\``, `\`${contentName(param)}\``))
}

const usageMetadata = (usage: Usage): JsonObject => ({
  promptTokenCount: inputTokens(usage),
  cachedContentTokenCount: usage.cachedInput + usage.cachedAudioInput,
  candidatesTokenCount: outputTokens(usage) - usage.reasoning,
  thoughtsTokenCount: usage.reasoning,
  totalTokenCount: totalTokens(usage)
})

const withGateway = (body: JsonObject, usage: Usage, gateway: JsonObject): string =>
  JSON.stringify({ ...body, usageMetadata: body["usageMetadata"] ?? usageMetadata(usage), gateway })

/** The last event waits for the settlement. There is no end mark. */
class ContentsRelay extends StreamRelay {
  protected override content(data: string, said?: string): string {
    if (data !== NOTHING_YET) return super.content(data, said)
    this.produced.add(data, said)
    return ""
  }

  override ending(metadata: Parameters<StreamRelay["ending"]>[0], usage: Usage): string {
    const events = [...this.held]
    const last = JSON.parse(events.pop()!) as JsonObject
    return [...events, withGateway(last, usage, gatewayObject(metadata))].map((data) => `data: ${data}\n\n`).join("")
  }
}

export const generateContent: Operation = {
  name: "generate_content",
  path: "/v1/models/{model}:generateContent",
  content: { ...contentsContent, request: chatContent.request },
  readAs: "chat",
  read,
  produced: producedIn,
  withMetadata: ({ body }, usage, metadata) => withGateway(body, usage, gatewayObject(metadata)),
  relay: ({ choices }) => new ContentsRelay(false, choices)
}

export const countContentTokens: Operation = {
  ...generateContent,
  name: "count_content_tokens",
  path: "/v1/models/{model}:countTokens",
  // What is counted stands in the body, or in `generateContentRequest`.
  read: (body) => {
    const whole = body.kind === "json" ? camel(body.value)["generateContentRequest"] : undefined
    return Result.map(read(whole === undefined || body.kind !== "json" ? body : { ...body, value: whole }), counted)
  },
  produced: () => nothing,
  withMetadata: ({ body: { gateway, input_tokens: totalTokens } }, _, metadata) =>
    JSON.stringify({ totalTokens, gateway: { ...gatewayObject(metadata), ...(gateway as JsonObject) } })
}
