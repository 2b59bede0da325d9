/**
 * Mistral's API: OpenAI's chat with a body of its own, which takes no field that it does not know, and answers that OpenAI's reader
 * repairs (thoughts as parts of the content, calls without a type, `model_length`, usage on the last chunk). Moderations are as OpenAI's.
 */
import { Result } from "effect"
import type { Dialect, Protocol } from "../../../core/pool/Protocol.ts"
import { serverSentEvents } from "../../framing/Sse.ts"
import { parseJson } from "../../json/BoundedJson.ts"
import { arrayOf, isObject, objectsIn, textOf } from "../../json/LooseJson.ts"
import { OpenAiEmbeddings, OpenAiModerations } from "../openai/embeddings/OpenAiEmbeddings.ts"
import { failure } from "../openai/OpenAiErrors.ts"
import { OpenAiChat } from "../openai/OpenAiProtocol.ts"
import { Losses } from "../shared/Losses.ts"
import { dropUnknown } from "../shared/LowerChat.ts"
import { lower } from "./request/MistralChatRequest.ts"

export const MistralChat: Dialect = { ...OpenAiChat, lower }

/** `EmbeddingRequest` of `@mistralai/mistralai` 2.7.0. The gateway packs vectors itself. */
const EMBEDDING_FIELDS = new Set(["model", "input", "metadata", "output_dimension", "output_dtype", "encoding_format"])

const MistralEmbeddings: Dialect = {
  ...OpenAiEmbeddings,
  lower: (call) => {
    const losses = new Losses(call.strict)
    const { dimensions, ...rest } = call.request.body
    const renamed = typeof dimensions === "number" ? { ...rest, output_dimension: dimensions } : rest
    if ((renamed["output_dtype"] ?? "float") !== "float") {
      losses.refuse("output_dtype", "only vectors of floats are supported: leave `output_dtype` out")
    }
    dropUnknown(renamed, EMBEDDING_FIELDS, "Mistral", losses)
    if (losses.problem !== undefined) return Result.fail(losses.problem)
    const body = Object.fromEntries(Object.entries(renamed).filter(([name]) => EMBEDDING_FIELDS.has(name)))
    const wire = OpenAiEmbeddings.lower({ ...call, request: { ...call.request, body } })
    return Result.map(wire, (sent) => ({ ...sent, dropped: losses.dropped }))
  }
}

/**
 * The places and words of refused fields, where others have a message:
 * `{"object":"error","message":{"detail":[{"type":"extra_forbidden","loc":["body","metadata"],"msg":"Extra inputs are not permitted"}]}}`
 * (https://github.com/OpenHands/OpenHands-CLI/issues/83), or without `message` around the list
 * (https://github.com/partITech/php-mistral/issues/76; both read 2026-11-22).
 */
const placesIn = ({ detail, message }: { readonly [name: string]: unknown }): string | undefined => {
  if (textOf(message) !== undefined) return undefined
  const listed = isObject(message) ? message["detail"] : Array.isArray(message) ? message : detail
  const places = objectsIn(listed).flatMap(({ loc, msg }) => {
    const words = textOf(msg)
    const place = arrayOf(loc).filter((part) => part !== "body")
    return words === undefined ? [] : [place.length === 0 ? words : `${place.join(".")}: ${words}`]
  })
  return places.length === 0 ? undefined : places.join("; ")
}

export const MistralProtocol: Protocol = {
  name: "mistral-chat",
  speaks: new Map([
    ["chat", MistralChat],
    ["embeddings", MistralEmbeddings],
    ["moderations", OpenAiModerations]
  ]),
  framing: serverSentEvents,
  failure: (answer) => {
    const body = parseJson(answer.text)
    const places = isObject(body) ? placesIn(body) : undefined
    if (!isObject(body) || places === undefined) return failure(answer)
    const { detail: _, ...rest } = body
    return failure({ ...answer, text: JSON.stringify({ ...rest, message: places }) })
  }
}
