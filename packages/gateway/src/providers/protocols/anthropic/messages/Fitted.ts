/**
 * A request of Anthropic's own API for a model that its caller did not name: an alias, `auto` or failover chose it, so what was right for
 * another model has to become right for this one. A request that names its deployment passes as it is.
 */
import { type Deployment, decisionName } from "../../../../core/domain/Deployment.ts"
import type { JsonObject } from "../../../../core/domain/Json.ts"
import type { UpstreamCall } from "../../../../core/pool/Protocol.ts"
import { effortOfShare } from "../../../../core/operations/messages/ChatEffort.ts"
import { budgetWithin, EFFORTS, isEffort, nearestEffort } from "../../shared/Efforts.ts"
import { arrayOf, isObject } from "../../shared/Json.ts"
import { GO_ON, reportGoOn } from "../../shared/LastTurn.ts"
import type { Losses } from "../../shared/Losses.ts"
import { type ModelTraits, NOT_ON_VERTEX, servedTraits } from "../Models.ts"
import type { Turn } from "../request/Conversation.ts"
import { lowerSampling } from "../request/Sampling.ts"
import { budgetFits, isThinking } from "../request/Thinking.ts"
import { isForced } from "../request/Tools.ts"

/** `body` itself where nothing has to change. */
export const fitted = (body: JsonObject, { deployment, request }: UpstreamCall, losses: Losses): JsonObject =>
  isNamed(deployment, request.model) || (deployment.facts?.how ?? "unknown") === "unknown"
    ? body
    : fittedTo(body, deployment, losses)

/** As the deployment's model takes it, whoever chose it. */
export const fittedTo = (body: JsonObject, deployment: Deployment, losses: Losses): JsonObject => {
  const traits = servedTraits(deployment)
  const { temperature: _, top_k: __, top_p: ___, ...rest } = withoutFast(body, traits, losses)
  const chosen = fitChoice(withSystemOnTop(withUserLast(rest, traits, losses), traits), traits, losses)
  const thought = fitThinking(chosen, traits, losses)
  const sampling = lowerSampling(body, traits, isThinking(objectIn(thought, "thinking")), losses)
  if (objectIn(objectIn(thought, "output_config"), "format") !== undefined && !traits.jsonSchema) {
    const why =
      deployment.quirks?.anthropicHost === "vertex" ? NOT_ON_VERTEX : "this model can't be held to a JSON schema"
    losses.refuse("output_config.format", why)
  }
  return { ...thought, ...sampling }
}

const isNamed = (deployment: Deployment, model: string): boolean =>
  model === deployment.model || model === deployment.id || model === decisionName(deployment)

const objectIn = (value: JsonObject | undefined, name: string): JsonObject | undefined => {
  const inside = value?.[name]
  return isObject(inside) ? inside : undefined
}

const withoutFast = (body: JsonObject, { fast }: ModelTraits, losses: Losses): JsonObject => {
  if (body["speed"] !== "fast" || fast) return body
  losses.drop("speed", "this model has no fast mode")
  const { speed: _, ...rest } = body
  return rest
}

/** What the vendor's own tools have done so far may stand at the end: the model goes on with that. */
const isPaused = (turn: JsonObject): boolean =>
  arrayOf(turn["content"]).some((block) => isObject(block) && block["type"] !== "text" && block["type"] !== "thinking")

const withUserLast = (body: JsonObject, { prefill }: ModelTraits, losses: Losses): JsonObject => {
  const messages = arrayOf(body["messages"])
  const last = messages.at(-1)
  if (prefill || !isObject(last) || last["role"] !== "assistant" || isPaused(last)) return body
  reportGoOn(losses)
  return { ...body, messages: [...messages, { role: "user", content: GO_ON }] }
}

const withSystemOnTop = (body: JsonObject, { ignoresSystemTurns }: ModelTraits): JsonObject => {
  const messages = arrayOf(body["messages"])
  const isSystem = (message: unknown): message is JsonObject => isObject(message) && message["role"] === "system"
  if (!ignoresSystemTurns || !messages.some(isSystem)) return body
  const system = [body["system"], ...messages.filter(isSystem).map(({ content }) => content)].flatMap(blocksOf)
  return { ...body, system, messages: messages.filter((message) => !isSystem(message)) }
}

const blocksOf = (content: unknown): ReadonlyArray<unknown> => {
  if (typeof content !== "string") return arrayOf(content)
  return content === "" ? [] : [{ type: "text", text: content }]
}

/** A tool that must be called can only be offered: alone, where it was named. */
const fitChoice = (body: JsonObject, { forcedTools }: ModelTraits, losses: Losses): JsonObject => {
  const choice = objectIn(body, "tool_choice")
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

const fitThinking = (body: JsonObject, traits: ModelTraits, losses: Losses): JsonObject => {
  const { output_config: _, thinking: __, ...rest } = body
  const { effort: given, ...config } = objectIn(body, "output_config") ?? {}
  const asked: Wish = { thinking: objectIn(body, "thinking"), effort: typeof given === "string" ? given : undefined }
  const { effort, thinking } = fitEffort(fitKind(asked, body, traits, losses), asked, traits, losses)
  const output = { ...config, ...(effort === undefined ? {} : { effort }) }
  return {
    ...rest,
    ...(thinking === undefined ? {} : { thinking }),
    ...(Object.keys(output).length === 0 ? {} : { output_config: output })
  }
}

const fitKind = (asked: Wish, body: JsonObject, traits: ModelTraits, losses: Losses): Wish => {
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

const fitEffort = (kind: Wish, asked: Wish, traits: ModelTraits, losses: Losses): Wish => {
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

/** Whether a budget fits the end of the conversation. */
const fits = (body: JsonObject): boolean =>
  budgetFits({
    forcedTool: isForced(objectIn(body, "tool_choice")),
    turns: arrayOf(body["messages"]).slice(-2).map(turnOf)
  })

const turnOf = (message: unknown): Turn => ({
  role: isObject(message) && message["role"] === "assistant" ? "assistant" : "user",
  content: (isObject(message) ? blocksOf(message["content"]) : []).filter(isObject)
})
