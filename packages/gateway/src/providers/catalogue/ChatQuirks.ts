import type { Adaptation, Quirks } from "../../core/domain/Deployment.ts"
import type { Facts, Rule } from "../../core/domain/models/Facts.ts"
import { testOf } from "./CompileRules.ts"

/** Parameters of sampling, with the value that asks for nothing. */
const SAMPLING = [
  ["temperature", 1],
  ["top_p", 1]
] as const
const PENALTIES = [
  ["presence_penalty", 0],
  ["frequency_penalty", 0]
] as const
const LOGPROBS = ["logprobs", "top_logprobs", "include=message.output_text.logprobs"]

export const chatQuirks = (facts: Facts, takesMax: boolean): Quirks => {
  const { choices, protocol, reasoning = {} } = facts
  const outputLimit = protocol?.["outputLimit"]
  const adaptations = adaptationsOf(facts)
  const off = reasoning.off === "disabled" ? (protocol?.["thinkingSwitch"] ?? "thinking") : undefined
  return {
    ...effortsOf(reasoning, takesMax),
    ...(off === "thinking" || off === "enable_thinking" ? { thinkingSwitch: off } : {}),
    ...(outputLimit === "max_completion_tokens" || outputLimit === "max_tokens" ? { outputLimit } : {}),
    ...(choices === 1 ? { oneChoice: true } : {}),
    ...(adaptations.length === 0 ? {} : { adaptations })
  }
}

/** Chat of some models lacks efforts that their Responses have; requests with these are routed where Responses can be asked for. */
const effortsOf = (reasoning: NonNullable<Facts["reasoning"]>, takesMax: boolean): Pick<Quirks, "efforts"> => {
  const { efforts, effortsAt, mode } = reasoning
  const known = (takesMax ? undefined : effortsAt?.["chat"]) ?? efforts
  if (known !== undefined) return { efforts: known }
  // It reasons, or can be switched, and takes no level.
  return mode === "always" || mode === "hybrid" ? { efforts: [] } : {}
}

const adaptationsOf = (facts: Facts): ReadonlyArray<Adaptation> => {
  const { logprobs, penalties, prefill: _, reasoning, rules = [], sampling, stop, tools = {} } = facts
  const always = { mask: 0, not: 0 }
  const reasons = testOf(["reasons"], reasoning)
  const found: Array<Adaptation> = []
  const drop = (test: typeof always | undefined, fields: ReadonlyArray<readonly [field: string, neutral?: number]>) => {
    if (test === undefined) return
    for (const [field, neutral] of fields)
      found.push({ ...test, action: "drop", field, ...(neutral === undefined ? {} : { to: neutral }) })
  }
  if (sampling === "default") drop(always, [...SAMPLING, ...PENALTIES, ["logit_bias"]])
  else if (sampling === "none_effort") drop(reasons, [...SAMPLING, ["logit_bias"]])
  else if (sampling === "refused" || sampling === "ignored") drop(always, SAMPLING)
  if (penalties === "refused" || penalties === "ignored") drop(always, PENALTIES)
  if (stop === false) drop(always, [["stop"]])
  const logs = LOGPROBS.map((field) => [field] as const)
  if (logprobs === false) drop(always, logs)
  else if (logprobs === "none_effort") drop(reasons, logs)
  if (tools.strict === false) drop(always, [["tools[].function.strict"]])
  const { forced, named = forced } = tools
  for (const [name, taken] of [
    ["tools:forced", forced],
    ["tools:named", named]
  ] as const) {
    const test = testOf(taken === "not_thinking" ? [name, "reasons"] : [name], reasoning)
    if (test === undefined || taken === undefined || taken === true) continue
    // A model that may rest is told to, so that the tool is called; others choose for themselves.
    found.push(
      taken === "not_thinking"
        ? { ...test, action: "set", field: "reasoning_effort", to: "none" }
        : { ...test, action: "set", field: "tool_choice", to: "auto" }
    )
  }
  if (reasoning?.off === "refused" || reasoning?.off === "ignored") {
    const test = testOf(["thinking:off"], reasoning)
    if (test !== undefined) found.push({ ...test, action: "drop", field: "thinking" })
  }
  return [...found, ...rules.flatMap((rule) => ruled(rule, reasoning))]
}

/** `do` of a rule. Which operation it is for shows in the field. */
const ruled = (
  { do: action, field, note, to, when }: Rule,
  reasoning: Facts["reasoning"]
): ReadonlyArray<Adaptation> => {
  const test = testOf(when, reasoning)
  if (action === undefined || field === undefined || test === undefined) return []
  const why = note === undefined ? {} : { note }
  switch (action) {
    case "drop":
      return [{ ...test, action, field, ...why }]
    case "refuse":
      return [{ ...test, action, field, ...why }]
    case "nearest":
      return typeof to === "string" || typeof to === "number" ? [{ ...test, action: "set", field, to, ...why }] : []
    case "rename":
      return typeof to === "string" ? [{ ...test, action, field, to, ...why }] : []
    case "clamp":
      return Array.isArray(to) ? [{ ...test, action, field, least: to[0], most: to[1], ...why }] : []
  }
}
