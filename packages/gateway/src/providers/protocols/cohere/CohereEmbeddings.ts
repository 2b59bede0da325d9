/** `POST /embed`: `V2EmbedRequest` of `cohere-ai` 8.1.0 (2026-11-22). Vectors are asked for as floats, and packed here. */
import { Result } from "effect"
import { type ProviderFailure, truncated, type Unsupported } from "../../../core/domain/Failures.ts"
import { noUsage, type Usage } from "../../../core/domain/Usage.ts"
import type { LiftedAnswer, BinaryAnswer } from "../../../core/operations/LiftedAnswer.ts"
import type { Dialect, UpstreamCall, WireRequest } from "../../../core/pool/Protocol.ts"
import { arrayOf, countOf, isGarbage, isObject } from "../../json/LooseJson.ts"
import { listedVectors, vectorsAnswer } from "../shared/ListedVectors.ts"
import { Losses } from "../shared/Losses.ts"
import { answerBody } from "../openai/OpenAiAnswerBody.ts"
import { unstreamed } from "../openai/OpenAiUnstreamed.ts"

const MOST_TEXTS = 96
/** It must be said what vectors are for; most are kept to be found. */
const USUAL_TYPE = "search_document"
const SAME = ["truncate", "max_tokens", "priority"]
const TAKEN = new Set([
  ...SAME,
  ..."model input input_type dimensions output_dimension embedding_types encoding_format".split(" ")
])
/** Numbers, but for what is asked for as base64, which is made of floats here. */
const KINDS = new Set(["float", "int8", "uint8", "binary", "ubinary"])

const lower = (call: UpstreamCall): Result.Result<WireRequest, Unsupported> => {
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
  for (const [name, value] of Object.entries(body)) {
    if (!TAKEN.has(name) && value !== null && value !== "")
      losses.drop(name, `\`${name}\` has no counterpart at Cohere`)
  }
  if (losses.problem !== undefined) return Result.fail(losses.problem)
  const dimensions = body["output_dimension"] ?? body["dimensions"]
  const sent = {
    model: deployment.model,
    texts,
    input_type: body["input_type"] ?? USUAL_TYPE,
    embedding_types: [kind],
    ...(typeof dimensions === "number" ? { output_dimension: dimensions } : {}),
    ...Object.fromEntries(
      SAME.flatMap((name) => (body[name] === undefined || body[name] === null ? [] : [[name, body[name]]]))
    )
  }
  const headers = { accept: "application/json" }
  return Result.succeed({ path: "/embed", headers, body: JSON.stringify(sent), dropped: losses.dropped })
}

/** Undefined where the caller asks for several, or for one that there is not. */
const kindOf = ({ request: { body } }: UpstreamCall): string | undefined => {
  const asked = arrayOf(body["embedding_types"])
  if (asked.length === 0) return "float"
  const [kind] = asked
  if (asked.length > 1 || typeof kind !== "string") return undefined
  return kind === "base64" ? "float" : KINDS.has(kind) ? kind : undefined
}

const liftRaw = ({ bytes }: BinaryAnswer, call: UpstreamCall): Result.Result<LiftedAnswer, ProviderFailure> => {
  const listed = listedVectors(bytes, kindOf(call) ?? "float")
  if (listed === undefined) {
    const read = answerBody(Buffer.from(bytes).toString("utf8"))
    return Result.fail(Result.isFailure(read) ? read.failure : truncated("the response has no vectors"))
  }
  const packs = arrayOf(call.request.body["embedding_types"])[0] === "base64"
  const asked = packs
    ? { ...call, request: { ...call.request, body: { ...call.request.body, encoding_format: "base64" } } }
    : call
  return vectorsAnswer(listed.vectors, asked, usageOf(listed.body["meta"]))
}

const usageOf = (meta: unknown): Usage | undefined => {
  const billed = isObject(meta) ? meta["billed_units"] : undefined
  if (!isObject(billed) || isGarbage(billed["input_tokens"])) return undefined
  const input = countOf(billed["input_tokens"])
  return input === 0 ? undefined : { ...noUsage, input }
}

export const CohereEmbeddings: Dialect = {
  lower,
  lift: (text, call) => liftRaw({ contentType: "application/json", bytes: Buffer.from(text) }, call),
  liftRaw,
  stream: unstreamed
}
