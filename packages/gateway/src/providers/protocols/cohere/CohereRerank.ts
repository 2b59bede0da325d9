/** `POST /rerank`: `V2RerankRequest` of `cohere-ai` 8.1.0 (2026-11-22). Billed by the search unit. */
import { Result } from "effect"
import type { ProviderFailure, Unsupported } from "../../../core/domain/Failures.ts"
import { noUsage, type Usage } from "../../../core/domain/Usage.ts"
import type { LiftedAnswer } from "../../../core/operations/LiftedAnswer.ts"
import type { Dialect, UpstreamCall, WireRequest } from "../../../core/pool/Protocol.ts"
import { countOf, isObject } from "../../json/LooseJson.ts"
import { Losses } from "../shared/Losses.ts"
import { rankedBody } from "../shared/Ranked.ts"
import { answerBody } from "../openai/OpenAiAnswerBody.ts"
import { unstreamed } from "../openai/OpenAiUnstreamed.ts"

const TAKEN = ["query", "documents", "top_n", "max_tokens_per_doc", "priority"]
/** Done by the gateway. */
const OWN = new Set([...TAKEN, "model", "return_documents"])

const lower = (call: UpstreamCall): Result.Result<WireRequest, Unsupported> => {
  const losses = new Losses(call.strict)
  const { deployment, request } = call
  const given = Object.entries(request.body).filter(([, value]) => value !== null && value !== "")
  for (const [name] of given) if (!OWN.has(name)) losses.drop(name, `\`${name}\` has no counterpart at Cohere`)
  if (losses.problem !== undefined) return Result.fail(losses.problem)
  const body = { model: deployment.model, ...Object.fromEntries(given.filter(([name]) => TAKEN.includes(name))) }
  return Result.succeed({
    path: "/rerank",
    headers: { accept: "application/json" },
    body: JSON.stringify(body),
    dropped: losses.dropped
  })
}

const lift = (text: string, call: UpstreamCall): Result.Result<LiftedAnswer, ProviderFailure> =>
  Result.flatMap(answerBody(text), (body) => rankedBody(body, call, usageOf(body["meta"])))

const usageOf = (meta: unknown): Usage | undefined => {
  const billed = isObject(meta) ? meta["billed_units"] : undefined
  const rerankUnits = isObject(billed) ? countOf(billed["search_units"]) : 0
  return rerankUnits === 0 ? undefined : { ...noUsage, rerankUnits }
}

export const CohereRerank: Dialect = { lower, lift, stream: unstreamed }
