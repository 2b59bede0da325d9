/**
 * Where a call of Anthropic's API goes. On Vertex the model stands in the address, and the version in the body:
 * https://docs.claude.com/en/docs/build-with-claude/claude-on-vertex-ai (2026-11-22).
 */
import type { JsonObject } from "../../../core/domain/Json.ts"
import type { UpstreamCall } from "../../../core/pool/Protocol.ts"

const VERTEX_VERSION = "vertex-2023-10-16"
const COUNT = "/messages/count_tokens"

/** `path` and `body` as Anthropic itself takes them; `body` has the model. */
export const hosted = ({ deployment, request }: UpstreamCall, path: string, body: JsonObject) => {
  if (deployment.quirks?.anthropicHost !== "vertex") return { path, body }
  const { model, ...rest } = body
  const versioned = { ...rest, anthropic_version: VERTEX_VERSION }
  // Counting has one address for all models.
  if (path === COUNT) return { path: "/models/count-tokens:rawPredict", body: { ...versioned, model } }
  const method = request.stream ? "streamRawPredict" : "rawPredict"
  return { path: `/models/${encodeURIComponent(deployment.model)}:${method}`, body: versioned }
}
