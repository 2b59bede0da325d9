/** `POST /rerank`: `V2RerankRequest` of `cohere-ai` 8.1.0 (2026-11-22). Billed by the search unit. */
import { Result } from "effect"
import { noUsage, type Usage } from "../../../core/domain/Usage.ts"
import type { Dialect } from "../../../core/pool/Protocol.ts"
import { countOf, objectOr } from "../../json/LooseJson.ts"
import { answerBody } from "../openai/OpenAiErrors.ts"
import { unstreamed } from "../openai/OpenAiEventStream.ts"
import { Losses } from "../shared/Losses.ts"
import { dropUnknown, isGiven, wireRequest } from "../shared/LowerChat.ts"
import { rankedBody } from "../shared/Ranked.ts"

const SENT = ["query", "documents", "top_n", "max_tokens_per_doc", "priority"]
/** The gateway itself returns documents. */
const KNOWN = new Set([...SENT, "model", "return_documents"])

export const CohereRerank: Dialect = {
  lower: ({ deployment, request: { body }, strict }) => {
    const losses = new Losses(strict)
    dropUnknown(body, KNOWN, "Cohere", losses)
    const fields = SENT.flatMap((name) => (isGiven(body[name]) ? [[name, body[name]]] : []))
    return wireRequest(losses, "/rerank", { model: deployment.model, ...Object.fromEntries(fields) })
  },
  lift: (text, call) => Result.flatMap(answerBody(text), (body) => rankedBody(body, call, usageOf(body["meta"]))),
  stream: unstreamed
}

const usageOf = (meta: unknown): Usage | undefined => {
  const rerankUnits = countOf(objectOr(objectOr(meta)["billed_units"])["search_units"])
  return rerankUnits === 0 ? undefined : { ...noUsage, rerankUnits }
}
