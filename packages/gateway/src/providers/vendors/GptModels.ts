/**
 * What OpenAI's reasoning models take, whoever serves them, and what their chat endpoint refuses. Chat refuses function tools while a
 * model thinks (https://community.openai.com/t/1386454, https://github.com/BerriAI/litellm/pull/34569), and the effort `max`
 * (`pydantic-ai-slim` 2.68.0, profiles tried live). Efforts and defaults: the same profiles, and the models' pages at
 * https://developers.openai.com/api/docs/models. All read 2026-11-27.
 */
import type { Quirks, Route } from "../../core/domain/Deployment.ts"
import { matchesGlob } from "../../core/collections/Glob.ts"
import { type ModelRule, type Reasoning, routesOf } from "../catalogue/CompileRules.ts"

interface Gpt extends Reasoning {
  /** Names of models; the first entry that has the name counts, so globs for models that are not known yet come last. */
  readonly models: ReadonlyArray<string>
  readonly rules?: ReadonlyArray<ModelRule>
}

const TOOLS_THINKING: ModelRule = { in: ["chat"], when: ["tools", "reasons"], use: "responses" }
const MOST_EFFORT: ModelRule = { in: ["chat"], when: ["effort:max"], use: "responses" }

const SINCE_5_1 = ["none", "low", "medium", "high"]
const UP_TO_XHIGH = [...SINCE_5_1, "xhigh"]
const UP_TO_MAX = [...UP_TO_XHIGH, "max"]
const ALWAYS_THINKS = UP_TO_MAX.slice(1)
const PRO = ["medium", "high", "xhigh"]

const MODELS: ReadonlyArray<Gpt> = [
  { models: ["gpt-5.1"], efforts: SINCE_5_1, default: "none" },
  {
    models: ["gpt-5.4", "gpt-5.4-mini", "gpt-5.4-nano"],
    efforts: UP_TO_XHIGH,
    default: "none",
    rules: [TOOLS_THINKING]
  },
  { models: ["gpt-5.5"], efforts: UP_TO_XHIGH, default: "medium", rules: [TOOLS_THINKING] },
  { models: ["gpt-5.2-pro", "gpt-5.4-pro", "gpt-5.5-pro"], efforts: PRO },
  {
    models: ["gpt-5.6", "gpt-5.6-sol", "gpt-5.6-terra", "gpt-5.6-luna", "gpt-6-sol", "gpt-6-luna", "gpt-6.1-terra"],
    efforts: UP_TO_MAX,
    default: "medium",
    rules: [TOOLS_THINKING, MOST_EFFORT]
  },
  { models: ["gpt-6*"], efforts: ALWAYS_THINKS, default: "medium", rules: [TOOLS_THINKING, MOST_EFFORT] }
]

/** Without the maker's name, what fine-tuning added, and the date of a snapshot. */
const plainName = (model: string): string =>
  model
    .replace(/^(?:.*\/|ft:)/, "")
    .replace(/:.*$/, "")
    .replace(/-\d{4}-\d\d-\d\d$/, "")

const found = (model: string): Gpt | undefined => {
  const name = plainName(model)
  return MODELS.find(({ models }) => models.some((known) => matchesGlob(known, name)))
}

export const gptEfforts = (model: string): Pick<Quirks, "efforts"> => {
  const gpt = found(model)
  return gpt === undefined ? {} : { efforts: gpt.efforts }
}

/** At OpenAI and Azure. */
export const gptRoutes = (model: string): ReadonlyArray<Route> => {
  const gpt = found(model)
  return gpt?.rules === undefined ? [] : routesOf(gpt.rules, gpt)
}
