/** Parameters of `litellm_params` that LiteLLM adds where a caller sets none → `defaults` of the deployment. */
import { presetEfforts } from "@model-gateway/gateway/internal/core/domain/Presets"
import type { Account } from "./source/ConfigAccount.ts"
import type { Cursor } from "./source/Cursor.ts"
import type { Fields } from "./LitellmProviders.ts"
import { asSetting, looksSecret } from "./source/SourceSecrets.ts"

/** Fields of a request's body that have no name of their own among the defaults. */
const BODY = new Set(
  `top_p top_k min_p n stop seed presence_penalty frequency_penalty repetition_penalty repeat_penalty logit_bias user
  response_format tools tool_choice parallel_tool_calls logprobs top_logprobs verbosity service_tier
  dimensions encoding_format input_type keep_alive num_ctx voice size quality modalities web_search_options
  response_modalities truncation`.split(/\s+/)
)

const NAMED = ["temperature", "max_tokens", "max_completion_tokens", "reasoning_effort", "thinking", "extra_body"]

/** What callers alone say; the gateway refuses it in `extra_body`. */
const CALLERS = new Set("model stream messages input prompt system instructions previous_response_id store".split(" "))

export const isDefault = (name: string): boolean => BODY.has(name) || NAMED.includes(name)

const WHERE = "where a caller does not set it"

export const defaultsOfEntry = (params: ReadonlyMap<string, Cursor>, to: string, account: Account): Fields => {
  const defaults: Record<string, unknown> = {}
  const body: Record<string, unknown> = {}
  const put = (found: Cursor | undefined, name: string, value: unknown, why: string) => {
    if (found === undefined) return
    if (value !== undefined) defaults[name] = value
    account.say(
      found,
      value === undefined ? "left_out" : "carried",
      value === undefined ? why : WHERE,
      `${to}.defaults.${name}`
    )
  }
  const temperature = params.get("temperature")
  put(temperature, "temperature", within(temperature?.number, 0, 2), "a temperature is a number from 0 to 2")
  const most = params.get("max_completion_tokens") ?? params.get("max_tokens")
  const limit = within(most?.number, 1, 10_000_000)
  put(most, "max_tokens", Number.isInteger(limit) ? limit : undefined, "a limit is a whole number of tokens")
  if (params.has("max_completion_tokens")) {
    account.say(params.get("max_tokens"), "not_needed", "max_completion_tokens stands beside it")
  }
  const thinking = params.get("thinking")
  const effort = params.get("reasoning_effort")
  const budget = budgetOf(thinking)
  // Forms without a budget are a vendor's own.
  const own = budget === undefined && thinking?.field("type") !== undefined ? valueOf(thinking) : undefined
  if (own === undefined) put(thinking, "thinking", budget, "thinking is enabled with budget_tokens, or disabled")
  else {
    body["thinking"] = own
    account.say(thinking, "carried", WHERE, `${to}.defaults.extra_body`)
  }
  if (budget === undefined) {
    const written = effort?.text ?? effort?.field("effort")?.text
    const known = presetEfforts.find((one) => one === (written === "disable" ? "none" : written))
    put(effort, "effort", known, `efforts are ${presetEfforts.join(", ")}`)
  } else account.say(effort, "not_needed", "thinking stands beside it")
  for (const [name, found] of [...(params.get("extra_body")?.fields ?? []), ...params]) {
    const isOfBody = params.get(name) !== found
    if (!isOfBody && !BODY.has(name)) continue
    const value = CALLERS.has(name) || looksSecret(name) ? undefined : valueOf(found)
    if (value !== undefined) body[name] = value
    account.say(
      found,
      value === undefined ? "left_out" : "carried",
      value === undefined ? "callers alone say this, or it looks like a key" : WHERE,
      `${to}.defaults.extra_body`
    )
  }
  const all = { ...defaults, ...(Object.keys(body).length === 0 ? {} : { extra_body: body }) }
  return Object.keys(all).length === 0 ? {} : { defaults: all }
}

const within = (value: number | undefined, least: number, most: number): number | undefined =>
  value !== undefined && value >= least && value <= most ? value : undefined

/** Tokens; 0 for none. */
const budgetOf = (thinking: Cursor | undefined): number | undefined => {
  const type = thinking?.field("type")?.text
  if (type === "disabled") return 0
  const budget = within(thinking?.field("budget_tokens")?.number, 1, 1_000_000)
  return type === "enabled" && budget !== undefined && Number.isInteger(budget) ? budget : undefined
}

/** Plain JSON as the new file has it; undefined where a part of it looks like a key. */
const valueOf = (found: Cursor): unknown => {
  const { node } = found
  if (node.kind === "list") {
    const items = found.items.map(valueOf)
    return items.includes(undefined) ? undefined : items
  }
  if (node.kind === "table") {
    const entries = [...found.fields].map(([name, value]) => [name, valueOf(value)] as const)
    return entries.some(([name, value]) => value === undefined || looksSecret(name))
      ? undefined
      : Object.fromEntries(entries)
  }
  if (node.kind !== "scalar" || node.value instanceof Date) return undefined
  if (typeof node.value !== "string") return node.value
  return looksSecret(node.value) ? undefined : asSetting(node.value)
}
