/** Voyage: vectors and rankings, in OpenAI's protocol but for two names. */
import { compatible, operationsIn, readOn } from "../CompatibleVendors.ts"

export const Voyage = compatible({
  name: "voyage",
  title: "Voyage",
  standing: "recorded",
  sources: readOn(
    "2026-11-22",
    "https://docs.voyageai.com/docs/reranker",
    "https://app.unpkg.com/voyageai@0.0.4/files/api/client/requests/RerankRequest.d.ts"
  ),
  notes: ["`dimensions` is its `output_dimension`, `top_n` its `top_k`."],
  serves: ["embeddings", "rerank"],
  baseUrl: "https://api.voyageai.com/v1",
  apiKeyVariable: "VOYAGE_API_KEY",
  // Nothing says that a closed connection ends the bill.
  billsAfterDisconnect: "all",
  bounds: () => ({ reasoning: "inside" }),
  operations: operationsIn("embeddings"),
  // Recorded.
  quirks: () => ({ renames: { dimensions: "output_dimension", top_n: "top_k" } })
})
