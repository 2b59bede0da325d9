/** What the catalogue's facts say of a model's capabilities. */
import { type Capability, capabilities } from "../../../core/domain/Deployment.ts"
import type { ModelFacts } from "../../../core/domain/models/ModelFacts.ts"

/**
 * `usual`, where the facts say nothing else. Lists of inputs come from tables that leave out what nobody has tried, so that they add
 * capabilities and take none away: `lacks` does.
 */
export const supportedBy = (
  { input, protocol, reasoning, schemas, tools }: ModelFacts,
  usual: ReadonlySet<Capability>
): ReadonlySet<Capability> => {
  const supported = new Set(usual)
  if (usual.has("chat")) {
    if (input?.includes("image") === true) supported.add("images")
    if (input?.includes("audio") === true) supported.add("audio")
  }
  const lacks = protocol?.["lacks"]
  if (Array.isArray(lacks))
    for (const one of capabilities) if (lacks.some((word) => word === one)) supported.delete(one)
  if (reasoning?.mode === "none") supported.delete("reasoning")
  if (tools?.function === false) supported.delete("tools")
  if (schemas === "none") supported.delete("json_schema")
  return supported
}
