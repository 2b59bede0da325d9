/** Embeddings as OpenAI's, but for the name of one field and the fields that Mistral refuses. */
import { Result } from "effect"
import type { Dialect } from "../../../core/pool/Protocol.ts"
import { Losses } from "../shared/Losses.ts"
import { OpenAiEmbeddings } from "../openai/embeddings/OpenAiEmbeddings.ts"

/** `EmbeddingRequest` of `@mistralai/mistralai` 2.7.0. The gateway packs vectors itself. */
const TAKEN = new Set(["model", "input", "metadata", "output_dimension", "output_dtype", "encoding_format"])

export const MistralEmbeddings: Dialect = {
  ...OpenAiEmbeddings,
  lower: (call) => {
    const losses = new Losses(call.strict)
    const { dimensions, ...rest } = call.request.body
    const renamed = typeof dimensions === "number" ? { ...rest, output_dimension: dimensions } : rest
    if ((renamed["output_dtype"] ?? "float") !== "float") {
      losses.refuse("output_dtype", "only vectors of floats are supported: leave `output_dtype` out")
    }
    const body = Object.fromEntries(Object.entries(renamed).filter(([name]) => TAKEN.has(name)))
    for (const [name, value] of Object.entries(renamed)) {
      if (!TAKEN.has(name) && value !== null && value !== "") losses.drop(name, `Mistral does not take \`${name}\``)
    }
    if (losses.problem !== undefined) return Result.fail(losses.problem)
    const request = { ...call.request, body }
    return Result.map(OpenAiEmbeddings.lower({ ...call, request }), (wire) => ({ ...wire, dropped: losses.dropped }))
  }
}
