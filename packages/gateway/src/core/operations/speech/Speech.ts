/** Speech from text: an audio file, or events with pieces of one (`stream_format: "sse"`). */
import { Result } from "effect"
import { speechContent } from "@model-gateway/protocol"
import type { InvalidField } from "../../domain/Errors.ts"
import type { JsonObject } from "../../domain/Json.ts"
import { inputTokens, outputTokens, totalTokens, type Usage } from "../../domain/Usage.ts"
import { type CallRequest, unwritten } from "../CallRequest.ts"
import { LastEventRelay } from "../LastEventRelay.ts"
import type { Operation } from "../Operation.ts"
import { notJson, readOptionalModel, wrong } from "../ParseFields.ts"
import { nothing } from "../ProducedText.ts"
import { found, given } from "../RequestScan.ts"
import { costInUsd, gatewayObject } from "../RoutingMetadata.ts"
import { speechBilling } from "./SpeechBilling.ts"

/** Tokens that an API adds around the text. */
const FRAME_TOKENS = 128

export const speech: Operation = {
  name: "speech",
  path: "/v1/audio/speech",
  content: speechContent,
  read: (body) => (body.kind === "json" ? readSpeech(body.value) : notJson()),
  produced: () => nothing,
  // Sound has no place for decision and cost: they are in the headers.
  withMetadata: ({ body, raw }, usage, metadata) =>
    raw ??
    JSON.stringify({
      ...body,
      usage: { ...speechUsage(usage), cost: costInUsd(metadata) },
      gateway: gatewayObject(metadata)
    }),
  relay: () => new LastEventRelay({ textOf: () => "", usage: speechUsage })
}

const speechUsage = (usage: Usage): JsonObject => ({
  ...(usage.characters > 0 ? { characters: usage.characters } : {}),
  input_tokens: inputTokens(usage),
  output_tokens: outputTokens(usage),
  total_tokens: totalTokens(usage)
})

const readSpeech = (value: unknown): Result.Result<CallRequest, InvalidField> => {
  if (typeof value !== "object" || value === null || Array.isArray(value)) {
    return wrong("body", "the body must be a JSON object")
  }
  const body = value as JsonObject
  const model = readOptionalModel(body)
  if (Result.isFailure(model)) return Result.fail(model.failure)
  const input = given(body["input"])
  if (typeof input !== "string") return wrong("input", `\`input\` must be the text to speak, ${found(input)}`)
  const format = given(body["stream_format"]) ?? "audio"
  if (format !== "audio" && format !== "sse") {
    return wrong("stream_format", `\`stream_format\` must be "audio" or "sse", ${found(format)}`)
  }
  const instructions = given(body["instructions"])
  const text = typeof instructions === "string" ? `${instructions}\n${input}` : input
  const textBound = Buffer.byteLength(text) + FRAME_TOKENS
  return Result.succeed({
    body,
    contents: "input",
    ...unwritten,
    model: model.success,
    stream: format === "sse",
    textBound,
    billing: speechBilling(input, text, textBound)
  })
}
