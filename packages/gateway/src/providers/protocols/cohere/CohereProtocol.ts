/**
 * Cohere's API, version 2: https://docs.cohere.com/v2/docs/how-does-cohere-pricing-work.md, and the types of `cohere-ai` 8.1.0 (2026-11-22).
 * Errors (`{id, message}`) are as OpenAI's reader knows them.
 */
import { Result } from "effect"
import { noUsage, type Usage } from "../../../core/domain/Usage.ts"
import type { Dialect, Protocol, UpstreamCall } from "../../../core/pool/Protocol.ts"
import { serverSentEvents } from "../../framing/Sse.ts"
import { arrayOf, countOf, isGarbage, isObject, objectOr } from "../../json/LooseJson.ts"
import { answerBody, failure } from "../openai/OpenAiErrors.ts"
import { unstreamed } from "../openai/OpenAiEventStream.ts"
import { completionEvents } from "../shared/CompletionEvents.ts"
import { Losses } from "../shared/Losses.ts"
import { dropUnknown, wireRequest, givenFields } from "../shared/LowerChat.ts"
import { rankedBody } from "../shared/Ranked.ts"
import { listedVectors, vectorDialect, vectorsAnswer } from "../shared/Vectors.ts"
import { lift, stream } from "./answer/CohereChatResponse.ts"
import { lower } from "./request/CohereChatRequest.ts"

// `POST /rerank`: `V2RerankRequest` of `cohere-ai` 8.1.0 (2026-11-22). Billed by the search unit.

const SENT = ["query", "documents", "top_n", "max_tokens_per_doc", "priority"]
/** The gateway itself returns documents. */
const RERANK_FIELDS = new Set([...SENT, "model", "return_documents"])

const CohereRerank: Dialect = {
  lower: ({ deployment, request: { body }, strict }) => {
    const losses = new Losses(strict)
    dropUnknown(body, RERANK_FIELDS, "Cohere", losses)
    return wireRequest(losses, "/rerank", { model: deployment.model, ...givenFields(body, SENT) })
  },
  lift: (text, call) => Result.flatMap(answerBody(text), (body) => rankedBody(body, call, unitsOf(body["meta"]))),
  stream: unstreamed
}

const unitsOf = (meta: unknown): Usage | undefined => {
  const rerankUnits = countOf(objectOr(objectOr(meta)["billed_units"])["search_units"])
  return rerankUnits === 0 ? undefined : { ...noUsage, rerankUnits }
}

// `POST /embed`: `V2EmbedRequest` of `cohere-ai` 8.1.0 (2026-11-22). Vectors are requested as floats, and packed here.

const MOST_TEXTS = 96
/** Cohere has to know what vectors are for. */
const USUAL_TYPE = "search_document"
const SAME = ["truncate", "max_tokens", "priority"]
const EMBEDDING_FIELDS = new Set([
  ...SAME,
  ..."model input input_type dimensions output_dimension embedding_types encoding_format".split(" ")
])
const KINDS = new Set(["float", "int8", "uint8", "binary", "ubinary"])

const lowerEmbeddings = (call: UpstreamCall) => {
  const losses = new Losses(call.strict)
  const { deployment, request } = call
  const { body } = request
  const texts = typeof body["input"] === "string" ? [body["input"]] : arrayOf(body["input"])
  if (request.tokens !== undefined) losses.refuse("input", "`input` must be a text or a list of texts at this provider")
  if (texts.length > MOST_TEXTS) losses.refuse("input", `this provider takes at most ${MOST_TEXTS} texts per request`)
  const kind = kindOf(call)
  if (kind === undefined) {
    losses.refuse("embedding_types", `\`embedding_types\` must name one of ${[...KINDS].join(", ")} or base64`)
  } else if (kind !== "float" && body["encoding_format"] === "base64") {
    losses.refuse("encoding_format", "only floats can be packed: leave `encoding_format` or `embedding_types` out")
  }
  dropUnknown(body, EMBEDDING_FIELDS, "Cohere", losses)
  const dimensions = body["output_dimension"] ?? body["dimensions"]
  return wireRequest(losses, "/embed", {
    model: deployment.model,
    texts,
    input_type: body["input_type"] ?? USUAL_TYPE,
    embedding_types: [kind],
    output_dimension: typeof dimensions === "number" ? dimensions : undefined,
    ...givenFields(body, SAME)
  })
}

/** Undefined where the caller asks for several, or for one that there is not. */
const kindOf = ({ request: { body } }: UpstreamCall): string | undefined => {
  const asked = arrayOf(body["embedding_types"])
  if (asked.length === 0) return "float"
  const [kind] = asked
  if (asked.length > 1 || typeof kind !== "string") return undefined
  return kind === "base64" ? "float" : KINDS.has(kind) ? kind : undefined
}

const CohereEmbeddings = vectorDialect(lowerEmbeddings, (bytes, call) => {
  const listed = listedVectors(bytes, kindOf(call) ?? "float")
  if (Result.isFailure(listed)) return Result.fail(listed.failure)
  const { request } = call
  const packs = arrayOf(request.body["embedding_types"])[0] === "base64"
  const asked = packs
    ? { ...call, request: { ...request, body: { ...request.body, encoding_format: "base64" } } }
    : call
  return vectorsAnswer(listed.success.vectors, asked, usageOf(listed.success.body["meta"]))
})

const usageOf = (meta: unknown): Usage | undefined => {
  const billed = isObject(meta) ? meta["billed_units"] : undefined
  if (!isObject(billed) || isGarbage(billed["input_tokens"])) return undefined
  const input = countOf(billed["input_tokens"])
  return input === 0 ? undefined : { ...noUsage, input }
}

export const CohereChat: Dialect = { lower, lift, stream, replay: completionEvents, idPrefix: "chatcmpl-" }

export const CohereProtocol: Protocol = {
  name: "cohere-v2",
  speaks: new Map([
    ["chat", CohereChat],
    ["embeddings", CohereEmbeddings],
    ["rerank", CohereRerank]
  ]),
  framing: serverSentEvents,
  failure
}
