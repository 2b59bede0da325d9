/** A whole answer of `generateContent` as a chat completion. */
import { Result } from "effect"
import type { JsonObject } from "../../../../core/domain/Json.ts"
import { type ProviderFailure, truncated } from "../../../../core/domain/Failures.ts"
import { wireUsage } from "../../../../core/operations/chat/ChatWireUsage.ts"
import type { LiftedAnswer } from "../../../../core/operations/LiftedAnswer.ts"
import type { UpstreamCall } from "../../../../core/pool/Protocol.ts"
import { tierNamed } from "../../../../core/domain/pricing/ServiceTier.ts"
import { arrayOf, isObject, objectOf, textOf } from "../../../json/LooseJson.ts"
import { parseJson } from "../../../json/BoundedJson.ts"
import { finishReason, stoppedWith } from "../../openai/answer/OpenAiChatFinish.ts"
import { errorIn, reportedFailure } from "../GeminiErrors.ts"
import { signed } from "../request/GeminiChatSignatures.ts"
import { blocked } from "./GeminiChatBlocked.ts"
import { CallIds } from "./GeminiChatCallIds.ts"
import { annotations, searchesIn } from "./GeminiChatGrounding.ts"
import { headOf } from "./GeminiChatHead.ts"
import { logprobsOf } from "./GeminiChatLogprobs.ts"
import { imageOf, type GeminiPiece, pieceOf } from "./GeminiChatParts.ts"
import { readUsage } from "./GeminiChatUsage.ts"
import { OwnParts } from "./GeminiOwnParts.ts"

export const lift = (text: string, call: UpstreamCall): Result.Result<LiftedAnswer, ProviderFailure> => {
  const response = parseJson(text)
  const error = errorIn(response)
  if (error !== undefined) return Result.fail(reportedFailure(error))
  if (!isObject(response)) return Result.fail(notAnAnswer)
  const refused = blocked(response)
  if (refused !== undefined) return Result.fail(refused)
  const candidates = arrayOf(response["candidates"])
  if (candidates.length === 0) return Result.fail(notAnAnswer)
  const raw = objectOf(response["usageMetadata"])
  const told = readUsage(raw)
  const usage = told && { ...told, webSearches: searchesIn(candidates, call.deployment.facts) }
  const head = headOf(response, call)
  const ids = new CallIds(head.id.slice("chatcmpl-".length))
  const choices: Array<JsonObject> = []
  for (const [index, candidate] of candidates.entries()) {
    const reason = isObject(candidate) ? textOf(candidate["finishReason"]) : undefined
    const gathered = isObject(candidate) ? gather(candidate, ids) : undefined
    if (!isObject(candidate) || gathered === undefined || reason === undefined) return Result.fail(notAnAnswer)
    const finish = finishReason(reason, gathered.calls.length > 0)
    if (finish === undefined) return Result.fail(stoppedWith(reason, usage))
    choices.push({
      index,
      finish_reason: finish,
      logprobs: logprobsOf(candidate),
      message: messageOf(gathered, annotations(candidate, gathered.text))
    })
  }
  return Result.succeed({
    usage,
    serviceTier: tierNamed(raw?.["serviceTier"]),
    body: {
      id: head.id,
      object: "chat.completion",
      created: head.created,
      model: head.model,
      choices,
      ...(usage === undefined ? {} : { usage: wireUsage(usage) })
    }
  })
}

const notAnAnswer = truncated("the provider's response has no candidates that can be read")

interface GeminiContent {
  text: string
  reasoning: string
  /** Of the last piece of text. */
  signature: unknown
  readonly images: Array<string>
  readonly calls: Array<JsonObject>
  readonly own: OwnParts
}

/** Undefined where a part makes no sense. A candidate may come without any. */
const gather = (candidate: JsonObject, ids: CallIds): GeminiContent | undefined => {
  const gathered: GeminiContent = {
    text: "",
    reasoning: "",
    signature: undefined,
    images: [],
    calls: [],
    own: new OwnParts()
  }
  for (const part of arrayOf(objectOf(candidate["content"])?.["parts"])) {
    const piece = pieceOf(part)
    if (piece === undefined) return undefined
    switch (piece.kind) {
      case "text":
        gathered.text += piece.text
        gathered.signature = piece.signature ?? gathered.signature
        break
      case "thought":
        gathered.reasoning += piece.text
        break
      case "image":
        gathered.images.push(piece.url)
        gathered.signature = piece.signature ?? gathered.signature
        break
      case "call":
        gathered.calls.push(toolCall(piece, ids))
    }
    gathered.own.add(part, piece, piece.kind === "call" ? String(gathered.calls.at(-1)!["id"]) : undefined)
  }
  return gathered
}

const messageOf = (gathered: GeminiContent, cited: ReadonlyArray<JsonObject>): JsonObject => {
  const { calls, images, reasoning, signature, text } = gathered
  return {
    role: "assistant",
    content: text === "" && calls.length > 0 ? null : text,
    refusal: null,
    ...(reasoning === "" ? {} : { reasoning_content: reasoning }),
    ...(images.length === 0 ? {} : { images: images.map(imageOf) }),
    ...(calls.length === 0 ? {} : { tool_calls: calls }),
    ...(cited.length === 0 ? {} : { annotations: cited }),
    ...signed(signature),
    ...gathered.own.end()
  }
}

const toolCall = (
  { args, id, name, signature }: Extract<GeminiPiece, { readonly kind: "call" }>,
  ids: CallIds
): JsonObject => ({
  id: ids.next(id),
  type: "function",
  function: { name, arguments: args },
  ...signed(signature)
})
