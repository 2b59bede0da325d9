/**
 * A request of Anthropic's own API for a model that its caller did not name: what was right for another model has to become right for
 * this one. A request that names its deployment passes as it is.
 */
import { type Deployment, decisionName } from "../../../../core/domain/Deployment.ts"
import type { UpstreamCall } from "../../../../core/pool/Protocol.ts"
import { effortOfShare } from "../../../../core/operations/messages/ChatEffort.ts"
import { budgetWithin, EFFORTS, isEffort, nearestEffort } from "../../shared/Efforts.ts"
import { arrayOf, isObject, objectOf, objectsIn, type JsonObject } from "../../../json/LooseJson.ts"
import { GO_ON, reportGoOn } from "../../shared/LastTurn.ts"
import { reminders } from "../../shared/Reminders.ts"
import type { Losses } from "../../shared/Losses.ts"
import { type AnthropicTraits, NOT_ON_VERTEX, servedTraits } from "../AnthropicModels.ts"
import type { AnthropicTurn } from "../request/AnthropicChatConversation.ts"
import { lowerSampling } from "../request/AnthropicChatRequest.ts"
import { budgetFits, isThinking } from "../request/AnthropicChatThinking.ts"
import { topLevelObject } from "../../shared/TopLevelObject.ts"
import { isForced, topSchema } from "../request/AnthropicChatTools.ts"

/** `body` itself where nothing has to change. */
export const fitted = (body: JsonObject, { deployment, request }: UpstreamCall, losses: Losses): JsonObject =>
  isNamed(deployment, request.model) || (deployment.facts?.how ?? "unknown") === "unknown"
    ? body
    : fittedTo(body, deployment, losses)

export const fittedTo = (body: JsonObject, deployment: Deployment, losses: Losses): JsonObject => {
  const traits = servedTraits(deployment)
  const { temperature: _, top_k: __, top_p: ___, ...rest } = withoutFast(body, traits, losses)
  const chosen = fitChoice(withSystemTurns(withUserLast(rest, traits, losses), traits), traits, losses)
  const thought = fitThinking(chosen, traits, losses)
  const sampling = lowerSampling(body, traits, isThinking(objectOf(thought["thinking"])), losses)
  if (objectOf(objectOf(thought["output_config"])?.["format"]) !== undefined && !traits.jsonSchema) {
    const why =
      deployment.quirks?.anthropicHost === "vertex" ? NOT_ON_VERTEX : "this model can't guarantee a JSON schema"
    losses.refuse("output_config.format", why)
  }
  return withTopSchemas({ ...thought, ...sampling }, losses)
}

const withTopSchemas = (body: JsonObject, losses: Losses): JsonObject => {
  const tools = arrayOf(body["tools"])
  const fit = (tool: unknown) => {
    const schema = isObject(tool) ? tool["input_schema"] : undefined
    return isObject(tool) && isObject(schema) && topLevelObject(schema) !== schema
      ? { ...tool, input_schema: topSchema(schema, "tools.input_schema", losses) }
      : tool
  }
  const own = tools.map(fit)
  return own.some((tool, index) => tool !== tools[index]) ? { ...body, tools: own } : body
}

const isNamed = (deployment: Deployment, model: string): boolean =>
  model === deployment.model || model === deployment.id || model === decisionName(deployment)

const withoutFast = (body: JsonObject, { fast }: AnthropicTraits, losses: Losses): JsonObject => {
  if (body["speed"] !== "fast" || fast) return body
  losses.drop("speed", "this model has no fast mode")
  const { speed: _, ...rest } = body
  return rest
}

const isPaused = (turn: JsonObject): boolean =>
  arrayOf(turn["content"]).some((block) => isObject(block) && block["type"] !== "text" && block["type"] !== "thinking")

const withUserLast = (body: JsonObject, { prefill }: AnthropicTraits, losses: Losses): JsonObject => {
  const messages = arrayOf(body["messages"])
  const last = messages.at(-1)
  if (prefill || !isObject(last) || last["role"] !== "assistant" || isPaused(last)) return body
  reportGoOn(losses)
  return { ...body, messages: [...messages, { role: "user", content: GO_ON }] }
}

/** Instructions stay turns where the model takes them, between a turn of the user and one of the assistant; else the user says them. */
const withSystemTurns = (body: JsonObject, { systemTurns }: AnthropicTraits): JsonObject => {
  const messages = arrayOf(body["messages"])
  const roleAt = (index: number) => (messages[index] as JsonObject | undefined)?.["role"]
  const isForeign = (index: number): boolean => {
    if (roleAt(index) !== "system") return false
    return !systemTurns || roleAt(index - 1) !== "user" || (roleAt(index + 1) ?? "assistant") !== "assistant"
  }
  if (!messages.some((_, index) => isForeign(index))) return body
  const said = messages.map((message, index) =>
    isForeign(index) && isObject(message)
      ? { ...message, role: "user", content: reminders(blocksOf(message["content"])) }
      : message
  )
  return { ...body, messages: said }
}

const blocksOf = (content: unknown): ReadonlyArray<JsonObject> => {
  if (typeof content !== "string") return objectsIn(content)
  return content === "" ? [] : [{ type: "text", text: content }]
}

/** A tool that must be called can only be offered: alone, where it was named. */
const fitChoice = (body: JsonObject, { forcedTools }: AnthropicTraits, losses: Losses): JsonObject => {
  const choice = objectOf(body["tool_choice"])
  if (choice === undefined || forcedTools || !isForced(choice)) return body
  losses.drop("tool_choice", "this model can't be made to call a tool")
  const { name, ...rest } = choice
  const tools = arrayOf(body["tools"])
  return {
    ...body,
    tools: name === undefined ? tools : tools.filter((tool) => isObject(tool) && tool["name"] === name),
    tool_choice: { ...rest, type: "auto" }
  }
}

interface Wish {
  readonly thinking: JsonObject | undefined
  /** `output_config.effort`. */
  readonly effort: string | undefined
}

const fitThinking = (body: JsonObject, traits: AnthropicTraits, losses: Losses): JsonObject => {
  const { output_config: _, thinking: __, ...rest } = body
  const { effort: given, ...config } = objectOf(body["output_config"]) ?? {}
  const asked: Wish = { thinking: objectOf(body["thinking"]), effort: typeof given === "string" ? given : undefined }
  const { effort, thinking } = fitEffort(fitKind(asked, body, traits, losses), asked, traits, losses)
  const output = { ...config, ...(effort === undefined ? {} : { effort }) }
  return {
    ...rest,
    ...(thinking === undefined ? {} : { thinking }),
    ...(Object.keys(output).length === 0 ? {} : { output_config: output })
  }
}

const fitKind = (asked: Wish, body: JsonObject, traits: AnthropicTraits, losses: Losses): Wish => {
  const { effort, thinking } = asked
  const type = thinking?.["type"]
  const most = typeof body["max_tokens"] === "number" ? body["max_tokens"] : traits.maxOutput
  const lost = (why: string, instead: Wish): Wish => {
    losses.drop("thinking", why)
    return instead
  }
  if (type === "disabled" || type === "between_tools") {
    if (traits.thinking === "none") return { thinking: undefined, effort }
    if (type === traits.leastThinking) return asked
    const why = "this model always thinks, or has another least of it"
    return traits.leastThinking === "low_effort"
      ? lost(why, { thinking: undefined, effort: "low" })
      : lost(why, { thinking: { type: traits.leastThinking }, effort })
  }
  const budget = thinking?.["budget_tokens"]
  const isBudget = type === "enabled" && typeof budget === "number"
  if (isBudget && traits.thinking === "adaptive" && !traits.takesBudget) {
    const why = "this model takes an effort, no budget of tokens"
    return lost(why, { thinking: { type: "adaptive" }, effort: effort ?? effortOfShare(budget / most) })
  }
  if (isBudget && (traits.thinking === "none" || !fits(body))) {
    return lost("the model can't think on a budget here", { thinking: undefined, effort })
  }
  if (type === "enabled" && !isBudget && traits.thinking === "adaptive")
    return { thinking: { type: "adaptive" }, effort }
  if (isBudget || (type !== "adaptive" && type !== "enabled") || traits.thinking === "adaptive") return asked
  const wanted = isEffort(effort) && effort !== "none" ? effort : "high"
  const tokens = traits.thinking === "budget" && fits(body) ? budgetWithin(wanted, most) : undefined
  const instead = tokens === undefined ? undefined : { type: "enabled", budget_tokens: tokens }
  return lost("this model does not choose by itself how much to think", { thinking: instead, effort: undefined })
}

const fitEffort = (kind: Wish, asked: Wish, traits: AnthropicTraits, losses: Losses): Wish => {
  const { effort, thinking } = kind
  if (effort === undefined) return kind
  const { efforts, leastThinkingUpTo: upTo } = traits
  const isOff = thinking !== undefined && (thinking["type"] === "disabled" || thinking["type"] === "between_tools")
  const known = efforts ?? (traits.thinking === "adaptive" ? undefined : [])
  const taken = isOff && upTo !== undefined ? (known ?? EFFORTS).filter((one) => indexOf(one) <= indexOf(upTo)) : known
  const sent = taken?.length === 0 ? undefined : nearestEffort(effort, taken)
  if (sent !== effort && asked.effort !== undefined)
    losses.drop("output_config.effort", "the model does not take this effort here")
  return { thinking, effort: sent }
}

const indexOf = (effort: string): number => EFFORTS.findIndex((one) => one === effort)

const fits = (body: JsonObject): boolean =>
  budgetFits({
    forcedTool: isForced(objectOf(body["tool_choice"])),
    turns: arrayOf(body["messages"]).slice(-2).map(turnOf)
  })

const turnOf = (message: unknown): AnthropicTurn => ({
  role: isObject(message) && message["role"] === "assistant" ? "assistant" : "user",
  content: (isObject(message) ? blocksOf(message["content"]) : []).filter(isObject)
})
