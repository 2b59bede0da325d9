/** The gateway's models as the editor's picker wants them. */
import type { Model, ModelList } from "@model-gateway/client"
import { NotTheGateway } from "../gateways/Trouble.ts"

/** One entry of the picker. */
export interface ModelInfo {
  /** `<gateway>/<model>`: the same whether one gateway is connected or several, and never `auto`, which the editor takes for its own. */
  readonly id: string
  readonly name: string
  readonly family: string
  readonly version: string
  /** Beside the name. */
  readonly detail: string
  readonly tooltip: string
  /** Input and output together. */
  readonly contextWindow: number
  readonly maxInputTokens: number
  readonly maxOutputTokens: number
  readonly imageInput: boolean
  readonly toolCalling: boolean
  readonly pricing: string
  readonly warning: string | undefined
  readonly choices: ReadonlyArray<ModelChoice>
  readonly gateway: string
  /** What the gateway is asked for. */
  readonly model: string
}

/** What can be chosen for a model in the picker; the first value is the default. */
export interface ModelChoice {
  readonly name: "routing" | "reasoningEffort"
  readonly title: string
  readonly values: ReadonlyArray<{ readonly value: string; readonly label: string; readonly description: string }>
}

/** Where the gateway does not know a model's size, one that most have. */
const USUAL_CONTEXT = 128_000
const USUAL_OUTPUT = 16_384

/** Those that chat. `among`: how many gateways are connected; names tell them apart from two on. */
export const modelInfos = (gateway: string, { data }: ModelList, among: number): ReadonlyArray<ModelInfo> => {
  // Any server of OpenAI's API has a list of models, without what the gateway knows of them.
  const known = Array.isArray(data) ? data.filter(isOfTheGateway) : []
  if (data.length !== 0 && known.length === 0) throw new NotTheGateway()
  return known
    .filter((model) => model.gateway.operations.includes("chat"))
    .map((model) => modelInfo(gateway, model, among))
}

const isOfTheGateway = (model: Partial<Model> | null): boolean =>
  typeof model?.id === "string" &&
  Array.isArray(model.supported_parameters) &&
  Array.isArray(model.gateway?.operations) &&
  Array.isArray(model.gateway.modalities)

const modelInfo = (gateway: string, model: Model, among: number): ModelInfo => {
  const { context_window, health, kind, max_output_tokens } = model.gateway
  const context = context_window ?? USUAL_CONTEXT
  const output = Math.min(max_output_tokens ?? USUAL_OUTPUT, context)
  const isAuto = kind === "auto"
  const pricing = isAuto ? "by the prompt" : priceText(model)
  const label = isAuto ? "Auto" : model.id
  const isReasoning = model.supported_parameters.includes("reasoning_effort")
  return {
    id: `${gateway}/${model.id}`,
    name: among > 1 || isAuto ? `${label} (${gateway})` : label,
    family: model.id,
    version: "1",
    detail: pricing,
    tooltip: tooltipOf(model, pricing),
    contextWindow: context,
    maxInputTokens: Math.max(context - output, 1),
    maxOutputTokens: output,
    imageInput: model.gateway.modalities.includes("image"),
    toolCalling: model.supported_parameters.includes("tools"),
    pricing,
    warning: health === "unavailable" ? "None of its deployments answers at the moment." : undefined,
    choices: [...(isAuto ? [routing] : []), ...(isReasoning ? [effort] : [])],
    gateway,
    model: model.id
  }
}

/** `$0.25 in, $2 out per 1M tokens`. Null is a price that nobody knows. */
const priceText = ({ gateway: { price } }: Model): string => {
  if (price === null) return "price unknown"
  const { input, output } = price
  if (input === null || output === null) return "not billed by the token"
  return `$${rate(input)} in, $${rate(output)} out per 1M tokens`
}

/** `2`, `2.50`, `0.075`. */
const rate = (usd: number): string => {
  if (Number.isInteger(usd)) return String(usd)
  const short = String(Number(usd.toPrecision(4)))
  return /\.\d$/.test(short) ? `${short}0` : short
}

const tooltipOf = ({ gateway, id }: Model, pricing: string): string => {
  const { bucket, context_window, deployments } = gateway
  const tokens = context_window === null ? "context window unknown" : `${context_window.toLocaleString("en-US")} tokens`
  const what =
    gateway.kind === "auto"
      ? "The gateway chooses the model by the prompt: the cheapest that is good enough."
      : gateway.kind === "alias"
        ? `${id}: ${deployments.join(", then ")}.`
        : `${id}${bucket === null ? "" : `, bucket ${bucket}`}.`
  return `${what} ${tokens}, ${pricing}.`
}

const routing: ModelChoice = {
  name: "routing",
  title: "Routing",
  values: [
    { value: "balanced", label: "Balanced", description: "As the gateway's operator set it." },
    { value: "cost", label: "Cheapest", description: "Strong models for fewer prompts." },
    { value: "quality", label: "Best", description: "Strong models for more prompts." }
  ]
}

const effort: ModelChoice = {
  name: "reasoningEffort",
  title: "Reasoning effort",
  values: [
    { value: "default", label: "Default", description: "As the model does by itself." },
    { value: "low", label: "Low", description: "Thinks little: fast and cheap." },
    { value: "medium", label: "Medium", description: "Thinks some." },
    { value: "high", label: "High", description: "Thinks long: slower and dearer." }
  ]
}
