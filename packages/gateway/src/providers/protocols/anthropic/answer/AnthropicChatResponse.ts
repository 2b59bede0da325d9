/** A whole Anthropic message as a chat completion. */
import { Result } from "effect"
import { type ProviderFailure, truncated } from "../../../../core/domain/Failures.ts"
import type { JsonObject } from "../../../../core/domain/Json.ts"
import { noUsage, plus, totalTokens, type Usage } from "../../../../core/domain/Usage.ts"
import { tierNamed } from "../../../../core/domain/pricing/ServiceTier.ts"
import type { UpstreamCall, LiftedAnswer } from "../../../../core/pool/Protocol.ts"
import { parseJson } from "../../../json/BoundedJson.ts"
import {
  arrayOf,
  countOf,
  encodeJson,
  isGarbage,
  isObject,
  objectOf,
  objectsIn,
  textOf
} from "../../../json/LooseJson.ts"
import { chatHead, completion, completionChoice, type FinishReason } from "../../shared/ChatCompletions.ts"
import { callPart, type OwnForm, ownTurn } from "../../shared/OwnTurn.ts"
import { reportedFailure } from "../AnthropicErrors.ts"

/** Undefined if there are no counts, or a total is not a number of tokens: booking the rest would make that part free. */
export const readUsage = (raw: JsonObject | undefined): Usage | undefined => {
  if (raw === undefined || (raw["input_tokens"] === undefined && raw["output_tokens"] === undefined)) return undefined
  if (isGarbage(raw["input_tokens"]) || isGarbage(raw["output_tokens"])) return undefined
  const rounds = ownRounds(raw)
  const total = (rounds.length > 0 ? rounds : [raw]).map(oneRound).reduce(plus)
  if (totalTokens(total) === 0) return undefined
  const details = raw["output_tokens_details"]
  const reasoning = Math.min(total.output, isObject(details) ? countOf(details["thinking_tokens"]) : 0)
  const tools = raw["server_tool_use"]
  return {
    ...total,
    output: total.output - reasoning,
    reasoning,
    webSearches: isObject(tools) ? countOf(tools["web_search_requests"]) : 0
  }
}

/**
 * The rounds of a response that compacted its context or asked an advisor, since the top level leaves compaction out. The advisor's rounds
 * belong to another model with other prices and are left out. After a fallback to another model the top level is correct as it is.
 */
const ownRounds = (raw: JsonObject): ReadonlyArray<JsonObject> => {
  const rounds = objectsIn(raw["iterations"])
  if (rounds.some((round) => round["type"] === "fallback_message")) return []
  return rounds.filter((round) => round["type"] === "message" || round["type"] === "compaction")
}

const oneRound = (round: JsonObject): Usage => {
  const written = isObject(round["cache_creation"]) ? round["cache_creation"] : {}
  const write1h = countOf(written["ephemeral_1h_input_tokens"])
  const write5m = countOf(written["ephemeral_5m_input_tokens"])
  // The total is authoritative: a stream's last usage has it without the split.
  const total = round["cache_creation_input_tokens"]
  const writes = typeof total === "number" ? countOf(total) : write5m + write1h
  const cacheWrite1h = Math.min(writes, write1h)
  return {
    ...noUsage,
    input: countOf(round["input_tokens"]),
    cachedInput: countOf(round["cache_read_input_tokens"]),
    cacheWrite: writes - cacheWrite1h,
    cacheWrite1h,
    output: countOf(round["output_tokens"])
  }
}

/** A later usage of a stream replaces earlier values; fields that it leaves out stay. */
export const mergeUsage = (earlier: JsonObject | undefined, later: JsonObject): JsonObject => ({
  ...earlier,
  ...Object.fromEntries(Object.entries(later).filter(([, value]) => value !== null))
})

/** The blocks of a response as Anthropic wrote them, for the next turn. */
export const OWN_BLOCKS: OwnForm = {
  vendor: "anthropic",
  list: "content",
  textIn: ({ text, type }) => (type === "text" && typeof text === "string" ? text : "")
}

/** The message's field; nothing where chat says it all. */
const ownBlocks = (blocks: ReadonlyArray<JsonObject>): JsonObject =>
  blocks.some((block, index) => !isPlain(block, blocks[index - 1])) ? ownTurn(OWN_BLOCKS, blocks.flatMap(kept)) : {}

/** Chat has the thoughts first, then one text, then calls. */
const isPlain = ({ caller, citations, type }: JsonObject, before: JsonObject | undefined): boolean => {
  if (type === "thinking" || type === "redacted_thinking") return before === undefined || rank(before) === 0
  if (type === "text") return (before === undefined || rank(before) < 2) && arrayOf(citations).length === 0
  return type === "tool_use" && !(isObject(caller) && caller["type"] !== "direct")
}

const rank = ({ type }: JsonObject): number => (type === "tool_use" ? 2 : type === "text" ? 1 : 0)

/** Empty texts are refused. */
const kept = (block: JsonObject): ReadonlyArray<JsonObject> => {
  const { id, input: _, name: __, type, ...more } = block
  if (type === "tool_use") return [callPart(id, more)]
  return type === "text" && textOf(block["text"]) === undefined ? [] : [block]
}

export class StreamedBlocks {
  private readonly blocks = new Map<unknown, Record<string, unknown>>()
  private readonly inputs = new Map<unknown, string>()

  open(index: unknown, block: JsonObject): void {
    this.blocks.set(index, { ...block })
  }

  add(index: unknown, { citation, content, partial_json: json, signature, text, thinking }: JsonObject): void {
    const block = this.blocks.get(index)
    if (block === undefined) return
    for (const [name, piece] of Object.entries({ content, signature, text, thinking })) {
      if (typeof piece === "string") block[name] = typeof block[name] === "string" ? block[name] + piece : piece
    }
    if (citation !== undefined) block["citations"] = [...arrayOf(block["citations"]), citation]
    // The arguments of the caller's tools are in the message's calls.
    if (typeof json === "string" && block["type"] !== "tool_use")
      this.inputs.set(index, (this.inputs.get(index) ?? "") + json)
  }

  end(): JsonObject {
    for (const [index, json] of this.inputs) {
      const input = parseJson(json)
      if (isObject(input)) this.blocks.get(index)!["input"] = input
    }
    return ownBlocks([...this.blocks.values()])
  }
}

export const lift = (text: string, call: UpstreamCall): Result.Result<LiftedAnswer, ProviderFailure> => {
  const message = parseJson(text)
  if (isObject(message) && message["type"] === "error") return Result.fail(reportedFailure(message))
  if (!isObject(message) || !Array.isArray(message["content"]) || !message["content"].every(isSound)) {
    return Result.fail(notAMessage)
  }
  const raw = objectOf(message["usage"])
  const usage = readUsage(raw)
  return Result.succeed({
    usage,
    serviceTier: tierNamed(raw?.["service_tier"]),
    body: completion(chatHead(call, message["id"], message["model"]), [choiceOf(message)], usage, {
      fields: servedTier(raw)
    })
  })
}

export const notAMessage = truncated("the provider's response is not a message")

const isSound = (block: unknown): boolean =>
  isObject(block) &&
  (block["type"] !== "tool_use" ||
    (typeof block["id"] === "string" && typeof block["name"] === "string" && toolArguments(block) !== undefined))

/** JSON text; undefined when it can't be written. */
export const toolArguments = (block: JsonObject): string | undefined => encodeJson(block["input"] ?? {})

const choiceOf = (message: JsonObject): JsonObject => {
  const blocks = objectsIn(message["content"])
  let content = ""
  let reasoning = ""
  const thinking: Array<JsonObject> = []
  const calls: Array<JsonObject> = []
  const cited: Array<JsonObject> = []
  for (const block of blocks) {
    switch (block["type"]) {
      case "text": {
        const start = content.length
        content += textOf(block["text"]) ?? ""
        cited.push(...annotations(arrayOf(block["citations"]), start, content.length))
        break
      }
      case "thinking":
        reasoning += textOf(block["thinking"]) ?? ""
        thinking.push(thinkingBlock(block["thinking"], block["signature"]))
        break
      case "redacted_thinking":
        thinking.push({ type: "redacted_thinking", data: textOf(block["data"]) ?? "" })
        break
      case "tool_use": {
        const called = { name: block["name"], arguments: toolArguments(block)! }
        calls.push({ id: block["id"], type: "function", function: called })
      }
    }
  }
  return completionChoice(0, finishReason(message["stop_reason"], calls.length), {
    content,
    refusal: refusalText(message["stop_details"]),
    reasoning,
    calls,
    lists: { thinking_blocks: thinking, annotations: cited },
    // Blocks of the provider's own tools are in `extra_content` alone.
    more: ownBlocks(blocks)
  })
}

export const thinkingBlock = (thinking: unknown, signature: unknown): JsonObject => ({
  type: "thinking",
  thinking: typeof thinking === "string" ? thinking : "",
  signature: typeof signature === "string" ? signature : ""
})

const REASONS: ReadonlyMap<unknown, FinishReason> = new Map<unknown, FinishReason>([
  ["max_tokens", "length"],
  ["model_context_window_exceeded", "length"],
  ["refusal", "content_filter"],
  // Bedrock's own.
  ["content_filtered", "content_filter"],
  ["guardrail_intervened", "content_filter"]
])

/** `calls`: how many tool calls the caller gets. Reasons that are not listed follow from it. */
export const finishReason = (stopReason: unknown, calls: number): FinishReason =>
  REASONS.get(stopReason) ?? (calls > 0 ? "tool_calls" : "stop")

export const refusalText = (stopDetails: unknown): string | undefined =>
  isObject(stopDetails) && stopDetails["type"] === "refusal" ? textOf(stopDetails["explanation"]) : undefined

/** The `service_tier` that served the response; none for those the chat API has no word for. */
export const servedTier = (usage: JsonObject | undefined): JsonObject => {
  const tier = usage?.["service_tier"]
  if (tier === "standard") return { service_tier: "default" }
  return tier === "priority" ? { service_tier: tier } : {}
}

/** Web citations of one text block, which takes `start` to `end` (characters) of the content. */
export const annotations = (citations: ReadonlyArray<unknown>, start: number, end: number): ReadonlyArray<JsonObject> =>
  objectsIn(citations).flatMap((citation) => {
    const url = textOf(citation["url"])
    if (url === undefined) return []
    const title = textOf(citation["title"]) ?? url
    return [{ type: "url_citation", url_citation: { start_index: start, end_index: end, url, title } }]
  })
