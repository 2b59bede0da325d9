/** A complete response of `generateContent` as a chat completion. */
import { Result } from "effect"
import { type ProviderFailure, truncated } from "../../../../core/domain/Failures.ts"
import { tierNamed } from "../../../../core/domain/pricing/ServiceTier.ts"
import type { UpstreamCall, LiftedAnswer } from "../../../../core/pool/Protocol.ts"
import { parseJson } from "../../../json/BoundedJson.ts"
import { arrayOf, isObject, objectOf, objectOr, textOf, type JsonObject } from "../../../json/LooseJson.ts"
import { finishReason, stoppedWith } from "../../openai/answer/OpenAiChatFinish.ts"
import { chatHead, type ChatHead, completion, completionChoice } from "../../shared/ChatCompletions.ts"
import { errorIn, reportedFailure } from "../GeminiErrors.ts"
import { signed } from "../request/GeminiChatSignatures.ts"
import { annotations, blocked, CallIds, imageOf, logprobsOf, pieceOf, searchesIn } from "./GeminiCandidates.ts"
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
  const read = readUsage(raw)
  const usage = read && { ...read, webSearches: searchesIn(candidates, call.deployment.facts) }
  const head = headOf(response, call)
  const ids = new CallIds(head)
  const choices: Array<JsonObject> = []
  for (const [index, candidate] of candidates.entries()) {
    const reason = textOf(objectOr(candidate)["finishReason"])
    const message = isObject(candidate) ? messageOf(candidate, ids) : undefined
    if (!isObject(candidate) || message === undefined || reason === undefined) return Result.fail(notAnAnswer)
    const finish = finishReason(reason, message.calls.length > 0)
    if (finish === undefined) return Result.fail(stoppedWith(reason, usage))
    choices.push(completionChoice(index, finish, message, logprobsOf(candidate)))
  }
  const serviceTier = tierNamed(raw?.["serviceTier"])
  return Result.succeed({ usage, serviceTier, body: completion(head, choices, usage) })
}

const notAnAnswer = truncated("the provider's response has no candidates that can be read")

export const headOf = (response: JsonObject, call: UpstreamCall): ChatHead => {
  const id = textOf(response["responseId"])
  return chatHead(call, id && `chatcmpl-${id}`, response["modelVersion"])
}

/** Undefined where a part makes no sense. A candidate may come without any. */
const messageOf = (candidate: JsonObject, ids: CallIds) => {
  let content = ""
  let reasoning = ""
  /** Of the last piece of text. */
  let signature: unknown
  const images: Array<JsonObject> = []
  const calls: Array<JsonObject> = []
  const own = new OwnParts()
  for (const part of arrayOf(objectOr(candidate["content"])["parts"])) {
    const piece = pieceOf(part)
    if (piece === undefined) return undefined
    let id: string | undefined
    switch (piece.kind) {
      case "text":
        content += piece.text
        signature = piece.signature ?? signature
        break
      case "thought":
        reasoning += piece.text
        break
      case "image":
        images.push(imageOf(piece.url, images.length))
        signature = piece.signature ?? signature
        break
      case "call": {
        id = ids.next(piece.id)
        const called = { name: piece.name, arguments: piece.args }
        calls.push({ id, type: "function", function: called, ...signed(piece.signature) })
      }
    }
    own.add(part, piece, id)
  }
  const lists = { images, annotations: annotations(candidate, content) }
  return { content, reasoning, calls, lists, more: { ...signed(signature), ...own.end() } }
}
