/** Jina: vectors and rankings, in OpenAI's protocol. */
import { compatible, operationsIn, readOn } from "../CompatibleVendors.ts"

export const Jina = compatible({
  name: "jina",
  title: "Jina",
  standing: "documented",
  sources: readOn("2026-11-22", "https://jina.ai/reranker", "https://docs.4allapi.com/en/rerank/jina-rerank/"),
  notes: ["Its prices are in no list that was read: the deployment's `price` says them."],
  serves: ["embeddings", "rerank"],
  // https://jina.ai/reranker (2026-11-22).
  baseUrl: "https://api.jina.ai/v1",
  apiKeyVariable: "JINA_API_KEY",
  // Nothing says that a closed connection ends the bill.
  billsAfterDisconnect: "all",
  bounds: () => ({ reasoning: "inside" }),
  operations: operationsIn("embeddings")
})
