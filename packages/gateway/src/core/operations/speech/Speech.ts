/** Speech from text: an audio file, or events with pieces of one (`stream_format: "sse"`). */
import { speechContent } from "@model-gateway/protocol"
import { Effect, Predicate, Result } from "effect"
import type { Deployment } from "../../domain/Deployment.ts"
import type { InvalidField } from "../../domain/Errors.ts"
import { Unsupported } from "../../domain/Failures.ts"
import type { JsonObject } from "../../domain/Json.ts"
import { inputTokens, noUsage, outputTokens, totalTokens, type Usage } from "../../domain/Usage.ts"
import { zeroBound } from "../../domain/pricing/Bound.ts"
import { cannot } from "../../domain/pricing/Pricing.ts"
import { type Billing, type CallRequest, unwritten } from "../CallRequest.ts"
import { LastEventRelay } from "../LastEventRelay.ts"
import type { Operation } from "../Operation.ts"
import { notJson, readOptionalModel, wrong } from "../ParseFields.ts"
import { nothing } from "../ProducedText.ts"
import { found, given } from "../RequestScan.ts"
import { costInUsd, gatewayObject } from "../RoutingMetadata.ts"
import { countTokens } from "../Tokens.ts"

// What speech costs: by the character of its text, or by the token of text and sound. Which of the two a deployment bills, its prices say.

/** Tokens of sound for each character, for estimates: slow speech has about ten characters and twenty tokens a second. */
const SPOKEN_PER_CHARACTER = 2

/** Characters as people count them, not as JavaScript does. */
export const charactersIn = (text: string): number => {
  let count = 0
  for (const _ of text) count++
  return count
}

/** Undefined: its prices are unknown. */
export const speechUnit = ({ price }: Deployment): "character" | "token" | undefined => {
  if (price === undefined) return undefined
  const { characters, output } = price.ratesAt(0).base
  if (!Number.isNaN(characters)) return "character"
  return Number.isNaN(output) ? undefined : "token"
}

/** `input` is spoken; `text`: with the instructions; `textBound`: an upper bound of its tokens. */
const speechBilling = (input: string, text: string, textBound: number): Billing => ({
  bound: (deployment) => {
    const { contextWindow: window, id, maxOutputTokens = window } = deployment
    if (maxOutputTokens === undefined && speechUnit(deployment) === "token") {
      return new Unsupported({
        param: "model",
        code: "cost_unbounded",
        message: `a budget requires a known maximum cost, and the gateway does not know how much ${id} may speak. The operator can set it in the deployment's \`max_output_tokens\``
      })
    }
    return {
      ...zeroBound,
      input: textBound,
      unlimitedOutput: maxOutputTokens ?? 0,
      units: { characters: charactersIn(input) },
      cannot: cannot.cache
    }
  },
  unpriced: (_, sheet) => {
    const { characters, input, output } = sheet.ratesAt(0).base
    if (!Number.isNaN(characters)) return undefined
    if (Number.isNaN(output)) return "characters"
    return Number.isNaN(input) ? "input" : undefined
  },
  estimate: (deployment, _produced) => {
    const characters = charactersIn(input)
    if (speechUnit(deployment) !== "token") return Effect.succeed({ ...noUsage, characters })
    return Effect.map(countTokens(text, deployment.protocol), (tokens) => ({
      ...noUsage,
      input: tokens,
      output: characters * SPOKEN_PER_CHARACTER
    }))
  }
})

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
  if (!Predicate.isObject(value)) return wrong("body", "the body must be a JSON object")
  const body: JsonObject = value
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
