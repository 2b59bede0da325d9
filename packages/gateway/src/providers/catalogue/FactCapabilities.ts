import { type Capability, capabilities } from "../../core/domain/Deployment.ts"
import type { Facts } from "../../core/domain/models/Facts.ts"

/** Lists of inputs come from tables that leave out what nobody tried: they add capabilities, and `lacks` takes them away. */
const INPUTS: ReadonlySet<Capability> = new Set(["images", "files", "audio"])

/**
 * `known` with what the facts say put right. A capability that they say nothing about stays as it is. Facts of a maker hold at its
 * own API alone (`isMakers`), but for what the model lacks everywhere.
 */
export const withFacts = (
  known: ReadonlySet<Capability>,
  { input, output, protocol, reasoning, schemas, tools }: Facts,
  isMakers: boolean
): ReadonlySet<Capability> => {
  if (!known.has("chat") || output?.includes("text") === false) return known
  const said: ReadonlyArray<readonly [Capability, boolean | undefined]> = [
    ["images", input?.includes("image")],
    ["files", input?.includes("pdf")],
    ["audio", input?.includes("audio")],
    ["reasoning", reasoning?.mode === undefined ? undefined : reasoning.mode !== "none"],
    ["tools", tools?.function],
    ["json_schema", schemas === "none" ? false : undefined]
  ]
  const capable = new Set(known)
  for (const [capability, has] of isMakers ? said : []) {
    if (has === true) capable.add(capability)
    else if (has === false && !INPUTS.has(capability)) capable.delete(capability)
  }
  const lacks = protocol?.["lacks"]
  if (Array.isArray(lacks)) for (const one of capabilities) if (lacks.some((word) => word === one)) capable.delete(one)
  return capable
}
