/** How a model answers one request, decided before it begins: what it thinks, says and looks up, how fast, and on which tier. */
import type { JsonObject } from "../../../src/core/domain/Json.ts"
import type { Chance } from "./Chance.ts"
import { nothing, type Used } from "./Bill.ts"
import type { Model, Tier } from "./Models.ts"
import { readingOf, type Reading, type Told } from "./Reading.ts"

export interface Plan {
  readonly tier: Tier
  readonly used: Used
  /** Of all choices. */
  readonly thought: number
  readonly said: number
  readonly choices: number
  /** Seconds before the first token, and tokens a second after it. */
  readonly silent: number
  readonly perSecond: number
  readonly finish: "stop" | "length"
}

export interface Refusal {
  readonly status: number
  readonly message: string
}

/** No answer here takes longer than this. */
const LONGEST_SECONDS = 80
/** An organization may have made priority its default: `auto` means what the project's settings say. */
export type ProjectTier = "default" | "priority"

export const planOf = (
  model: Model,
  body: JsonObject,
  told: Told,
  chance: Chance,
  project: ProjectTier
): Plan | Refusal => {
  const reading = readingOf(body, model.rules, told)
  if (reading.refusal !== undefined) return { status: 400, message: reading.refusal }
  const limit = numberOf(body["max_completion_tokens"] ?? body["max_tokens"]) ?? model.maxOutput
  if (limit > model.maxOutput) {
    return {
      status: 400,
      message: `Invalid max_tokens value, the valid range of max_tokens is [1, ${model.maxOutput}]`
    }
  }
  const lookedUp = lookUps(model, body, reading, chance)
  const strange = reading.strange === 0 ? 0 : chance.below(model.window >> 1)
  const prompt = lookedUp.input + strange
  const room = model.window - reading.input - reading.audio - strange
  if (room < 1) return { status: 400, message: "This model's maximum context length is exceeded" }

  const choices = numberOf(body["n"]) ?? 1
  const most = Math.max(1, Math.min(limit, room, Math.floor((LONGEST_SECONDS * model.perSecond) / choices)))
  const each = chance.next() < 0.4 ? most : Math.max(1, Math.floor(most * chance.next() ** 2))
  const thoughtEach = thinks(model, body) ? Math.floor(each * chance.next()) : 0
  const beyond = model.thinks === "on top" ? Math.floor(Math.max(0, room - each) * chance.next() * 0.9) : 0
  const thought = (thoughtEach + beyond) * choices
  const said = (each - thoughtEach) * choices + rejected(body, model, chance)
  const speaks = listOf(body["modalities"]).includes("audio")
  const cached = cachedOf(model, prompt, reading, chance)
  return {
    tier: tierOf(model, body["service_tier"], project, chance),
    used: {
      ...nothing,
      ...cached,
      input: prompt - cached.cachedInput - cached.cacheWrite,
      audioInput: reading.audio,
      output: thought + (speaks ? 0 : said),
      reasoning: thought,
      audioOutput: speaks ? said : 0,
      searches: lookedUp.searches
    },
    thought,
    said,
    choices,
    silent: 0.2 + chance.next() + 2 * lookedUp.rounds,
    perSecond: model.perSecond * (0.9 + 0.2 * chance.next()),
    finish: each === most && most === limit ? "length" : "stop"
  }
}

const thinks = (model: Model, body: JsonObject): boolean => {
  if (model.thinks !== "inside") return false
  if (model.provider !== "anthropic") return body["reasoning_effort"] !== "none"
  const thinking = body["thinking"] as { type?: string } | undefined
  return thinking !== undefined && thinking.type !== "disabled"
}

/** Tokens of a prediction that did not come true are billed as output: https://platform.openai.com/docs/guides/predicted-outputs. */
const rejected = (body: JsonObject, model: Model, chance: Chance): number => {
  const prediction = body["prediction"] as { content?: unknown } | undefined
  if (prediction === undefined || model.provider !== "openai") return 0
  return Math.floor(model.rules.text(String(prediction.content)) * chance.next())
}

/** Of a tool without `max_uses`. */
export const MOST_ROUNDS = 10

/** The tool of a request that runs at its vendor. */
export const hostedTool = ({ provider }: Model, body: JsonObject): JsonObject | undefined =>
  provider === "anthropic"
    ? (listOf(body["tools"]) as ReadonlyArray<JsonObject>).find(({ type }) =>
        /^web_(search|fetch)_\d{8}$/.test(String(type))
      )
    : undefined

/** What was looked up is read again in each round that follows it. */
const lookUps = (model: Model, body: JsonObject, { input }: Reading, chance: Chance) => {
  if (model.takes.includes("search")) return { input, searches: 1, rounds: 1 }
  const tool = hostedTool(model, body)
  if (tool === undefined) return { input, searches: 0, rounds: 0 }
  const { max_content_tokens, max_uses, type } = tool
  const rounds = chance.below((numberOf(max_uses) ?? MOST_ROUNDS) + 1)
  let context = input
  let read = input
  for (let round = 0; round < rounds; round++) {
    context = Math.min(model.window, context + chance.below(numberOf(max_content_tokens) ?? 30_000) + 1)
    read += context
  }
  return { input: read, searches: String(type).startsWith("web_search") ? rounds : 0, rounds }
}

const cachedOf = (model: Model, prompt: number, { marked }: Reading, chance: Chance) => {
  if (model.provider === "anthropic") {
    const written = marked >= 1024 ? Math.min(marked, prompt) : 0
    return chance.next() < 0.5 ? { cachedInput: 0, cacheWrite: written } : { cachedInput: written, cacheWrite: 0 }
  }
  const can = model.prices.default.cachedInput !== undefined && prompt >= 1024
  const cachedInput = can && chance.next() < 0.3 ? 1024 + 128 * chance.below(Math.floor((prompt - 1024) / 128) + 1) : 0
  return { cachedInput, cacheWrite: 0 }
}

/** Priority may be answered at the standard tier when there is too much of it. */
const tierOf = (model: Model, asked: unknown, project: ProjectTier, chance: Chance): Tier => {
  const wanted = asked === undefined || asked === "auto" ? project : (asked as Tier)
  if (model.prices[wanted] === undefined) return "default"
  return wanted === "priority" && chance.next() < 0.2 ? "default" : wanted
}

export const numberOf = (value: unknown): number | undefined => (typeof value === "number" ? value : undefined)

const listOf = (value: unknown): ReadonlyArray<unknown> => (Array.isArray(value) ? value : [])

/** What is said comes in so many pieces at most, all of a piece at once. */
const PIECES = 8

/** The tokens of a choice in each piece but the last. */
export const pieceSize = ({ choices, said }: Plan): number =>
  Math.max(1, Math.ceil(Math.floor(said / choices) / PIECES))

/** What was used of a plan after so many seconds: all of the input, what was thought by then, and the pieces that were said. */
export const usedBy = (plan: Plan, seconds: number): Used => {
  const { choices, perSecond, silent, thought, used } = plan
  if (seconds >= secondsOf(plan)) return used
  const made = Math.floor(Math.max(0, seconds - silent) * perSecond)
  const reasoning = Math.min(thought, made)
  const piece = pieceSize(plan) * choices
  const said = Math.floor((made - reasoning) / piece) * piece
  const spoken = used.audioOutput > 0 ? said : 0
  return { ...used, output: reasoning + said - spoken, reasoning, audioOutput: spoken }
}

export const secondsOf = ({ perSecond, silent, used }: Plan): number =>
  silent + (used.output + used.audioOutput) / perSecond
