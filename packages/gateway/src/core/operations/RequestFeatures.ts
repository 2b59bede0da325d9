/** What a request asks for, as bits, so that choosing by the rules of `domain/models/Features.ts` takes a few operations. */
import type { Route } from "../domain/Deployment.ts"
import type { JsonObject } from "../domain/Json.ts"
import { detected } from "../domain/models/Features.ts"

const bits: ReadonlyMap<string, number> = new Map(detected.map((feature, index) => [feature, 1 << index]))

/** `effort`: an effort other than `none` is named. */
export const SOME_EFFORT = 1 << detected.length

/** Undefined: requests are not searched for it, and rules that need it do not apply. */
export const bitOf = (feature: string): number | undefined => (feature === "effort" ? SOME_EFFORT : bits.get(feature))

const bit = (feature: (typeof detected)[number]): number => bits.get(feature)!

const TOOLS = bit("tools")
const STRICT_TOOLS = bit("tools:strict")
const FORCED = bit("tools:forced")
const NAMED = bit("tools:named")
export const HOSTED_TOOLS = bit("tools:hosted")
const NO_PARALLEL = bit("parallel:off")
const NO_EFFORT = bit("effort:none")
const EFFORTS = detected.filter((feature) => feature.startsWith("effort:")).map(bit)
const NO_THINKING = bit("thinking:off")
const SAMPLING = bit("sampling")
const PENALTIES = bit("penalties")
const STOP = bit("stop")
const LOGPROBS = bit("logprobs")
const SEVERAL = bit("n")
const STREAM = bit("stream")
const SCHEMA = bit("schema")
const JSON_MODE = bit("json")
const MEDIA = new Map<string, number>([
  ["image", bit("images")],
  ["audio", bit("audio")],
  ["video", bit("video")],
  ["file", bit("files")]
])

/** The features by which an operation can be refused: what a refusal teaches holds for requests that are alike in these. */
export const ROUTING_FEATURES =
  TOOLS | HOSTED_TOOLS | SOME_EFFORT | SCHEMA | EFFORTS.reduce((all, effort) => all | effort)

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
  typeof effort !== "string" || effort === ""
    ? 0
    : effort === "none"
      ? NO_EFFORT
      : SOME_EFFORT | (bits.get(`effort:${effort}`) ?? 0)

export const mediaBits = (kind: string): number => MEDIA.get(kind) ?? 0

export const formatBits = (type: unknown): number =>
  type === "json_schema" ? SCHEMA : type === "json_object" ? JSON_MODE : 0

const isGiven = (value: unknown): boolean => value !== undefined && value !== null && value !== "" && value !== 0

/** Parameters that have one name in all operations, or a name in one of them alone. */
export const optionBits = (fields: JsonObject): number => {
  let found = toolBits(fields)
  if (fields["stream"] === true) found |= STREAM
  if (typeof fields["temperature"] === "number" || typeof fields["top_p"] === "number") found |= SAMPLING
  if (isGiven(fields["presence_penalty"]) || isGiven(fields["frequency_penalty"])) found |= PENALTIES
  if (isGiven(fields["stop"]) || isGiven(fields["stop_sequences"])) found |= STOP
  if (fields["logprobs"] === true || isGiven(fields["top_logprobs"])) found |= LOGPROBS
  if (typeof fields["n"] === "number" && fields["n"] > 1) found |= SEVERAL
  const tier = fields["service_tier"]
  if (typeof tier === "string") found |= bits.get(`tier:${tier}`) ?? 0
  const { thinking } = fields
  if (typeof thinking === "object" && (thinking as JsonObject | null)?.["type"] === "disabled") found |= NO_THINKING
  return found
}

/** Types of tools that the caller runs; a tool without a type is one of them. Every other type is run by the vendor. */
const CALLERS_TOOLS = new Set<unknown>([undefined, "function", "custom"])

/** `tools` and `tool_choice`, in the words of any operation. */
const toolBits = ({ parallel_tool_calls: parallel, tool_choice: choice, tools }: JsonObject): number => {
  if (!Array.isArray(tools) || tools.length === 0) return 0
  let found = parallel === false ? TOOLS | NO_PARALLEL : TOOLS
  for (const tool of tools as ReadonlyArray<JsonObject | null>) {
    if (!CALLERS_TOOLS.has(tool?.["type"])) found |= HOSTED_TOOLS
    const inside = (tool?.["function"] ?? tool) as JsonObject | null
    if (inside?.["strict"] === true) found |= STRICT_TOOLS
  }
  if (choice === "required") return found | FORCED
  if (typeof choice !== "object" || choice === null) return found
  const { disable_parallel_tool_use: single, type } = choice as JsonObject
  if (single === true) found |= NO_PARALLEL
  if (type === "any") return found | FORCED
  return type === "auto" || type === "none" || type === "allowed_tools" ? found : found | FORCED | NAMED
}
