/**
 * What a request asks for, as bits of one number. Rules about models are written in these names and compared as numbers, so that
 * choosing by rule costs a request a few integer operations.
 */
import type { Route } from "../domain/Deployment.ts"
import type { JsonObject } from "../domain/Json.ts"

/** The closed list. The order is the order of the bits. */
export const featureNames = [
  "tools",
  "tools:forced",
  "tools:named",
  "tools:hosted",
  "effort",
  "effort:none",
  "effort:minimal",
  "effort:low",
  "effort:medium",
  "effort:high",
  "effort:xhigh",
  "effort:max"
] as const
export type Feature = (typeof featureNames)[number]

export const bitOf = (feature: Feature): number => 1 << featureNames.indexOf(feature)

const TOOLS = bitOf("tools")
const FORCED = bitOf("tools:forced")
const NAMED = bitOf("tools:named")
const HOSTED = bitOf("tools:hosted")
/** An effort other than `none`. */
const EFFORT = bitOf("effort")
const NO_EFFORT = bitOf("effort:none")
const EFFORTS = new Map<unknown, number>(
  ["minimal", "low", "medium", "high", "xhigh", "max"].map((name) => [
    name,
    EFFORT | bitOf(`effort:${name}` as Feature)
  ])
)

/** The features by which an operation can be refused: what a refusal teaches holds for requests that are alike in these. */
export const ROUTING_FEATURES = TOOLS | HOSTED | EFFORT | NO_EFFORT | [...EFFORTS.values()].reduce((a, b) => a | b, 0)

/** Features that must all be present (`mask`), and features that must all be absent (`not`). */
export interface FeatureTest {
  readonly mask: number
  readonly not: number
}

export const holds = (features: number, { mask, not }: FeatureTest): boolean =>
  (features & mask) === mask && (features & not) === 0

/** The first route that a request with these features takes; undefined: none. */
export const routeOf = (features = 0, routes: ReadonlyArray<Route> | undefined): Route | undefined =>
  routes === undefined ? undefined : routes.find((route) => holds(features, route))

/** An effort that the caller names; null and "" are none. */
export const effortBits = (effort: unknown): number =>
  typeof effort !== "string" || effort === "" ? 0 : effort === "none" ? NO_EFFORT : (EFFORTS.get(effort) ?? EFFORT)

/** Types of tools that the caller runs; a tool without a type is one of them. Every other type is run by the vendor. */
const CALLERS_TOOLS = new Set<unknown>([undefined, "function", "custom"])

/** `tools` and `tool_choice`, in the words of any operation. */
export const toolBits = ({ tool_choice: choice, tools }: JsonObject): number => {
  if (!Array.isArray(tools) || tools.length === 0) return 0
  let bits = TOOLS
  for (const tool of tools) if (!CALLERS_TOOLS.has((tool as JsonObject | null)?.["type"])) bits |= HOSTED
  if (choice === "required") return bits | FORCED
  if (typeof choice !== "object" || choice === null) return bits
  const { type } = choice as JsonObject
  if (type === "any") return bits | FORCED
  return type === "auto" || type === "none" || type === "allowed_tools" ? bits : bits | FORCED | NAMED
}
