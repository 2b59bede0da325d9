/** What a model can do, as its facts say. */
import type { Capability } from "../../core/domain/Deployment.ts"
import type { Facts } from "../../core/domain/models/Facts.ts"

/** `known` with what the facts say put right. A capability that they say nothing about stays as it is. */
export const withFacts = (
  known: ReadonlySet<Capability>,
  { input, output, reasoning, tools }: Facts
): ReadonlySet<Capability> => {
  if (!known.has("chat") || output?.includes("text") === false) return known
  const said: ReadonlyArray<readonly [Capability, boolean | undefined]> = [
    ["images", input?.includes("image")],
    ["files", input?.includes("pdf")],
    ["audio", input?.includes("audio")],
    ["reasoning", reasoning?.mode === undefined ? undefined : reasoning.mode !== "none"],
    ["tools", tools?.function]
  ]
  const capable = new Set(known)
  for (const [capability, has] of said) {
    if (has === true) capable.add(capability)
    else if (has === false) capable.delete(capability)
  }
  return capable
}
