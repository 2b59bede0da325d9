/**
 * The chunks of a compatible server's stream as OpenAI would have sent them: one id, time and model on all of them; a role in the first
 * delta of a choice and only there; tool calls numbered from 0; one finish reason for each choice, on a chunk of its own.
 */
import type { JsonObject } from "../../../../core/domain/Json.ts"
import {
  StreamedCalls,
  contentOf,
  isKnownTier,
  newId,
  seconds,
  withKnownFields,
  withKnownTier
} from "./OpenAiChatRepair.ts"
import { finishReason } from "./OpenAiChatFinish.ts"
import { isFilled, isObject, objectsIn, textOf } from "../../../json/LooseJson.ts"

/** One chunk in, those to send out: `finish` where a choice ends on it. */
interface Repaired {
  readonly chunks: ReadonlyArray<RepairedChunk>
  /** The reason by which the provider said that it failed: no chunk comes after it. */
  readonly failed?: string
  /** Another chunk that differs in its text alone would be repaired in the same way. */
  readonly steady: boolean
}

interface RepairedChunk {
  readonly chunk: JsonObject
  readonly finish: boolean
}

interface StreamedChoice {
  readonly calls: StreamedCalls
  called: boolean
  finished: boolean
}

export class ChunkRepair {
  private readonly now: number
  private id: string | undefined
  private created = 0
  private model = ""
  /** Chunks that came before the response had a name: Azure's first one has no choices and none of the three. */
  private nameless: Array<JsonObject> = []
  private readonly choices = new Map<unknown, StreamedChoice>()
  private steady = true

  /** `now`: epoch milliseconds, for servers that leave out when the response was made. */
  constructor(now: number) {
    this.now = now
  }

  push(raw: JsonObject): Repaired {
    const given = objectsIn(raw["choices"])
    this.steady = true
    if (this.id === undefined && given.length === 0 && (typeof raw["id"] !== "string" || raw["id"] === "")) {
      this.nameless.push(raw)
      return { chunks: [], steady: false }
    }
    const chunk = this.named(raw)
    const chunks = this.nameless.map((early): RepairedChunk => ({
      chunk: { ...this.named(early), choices: [] },
      finish: false
    }))
    this.nameless = []
    const open: Array<JsonObject> = []
    const ended: Array<JsonObject> = []
    for (const [position, choice] of given.entries()) {
      const failed = this.choice(choice, position, open, ended)
      if (failed !== undefined) return { chunks, failed, steady: false }
    }
    if (open.length > 0 || given.length === 0) chunks.push({ chunk: { ...chunk, choices: open }, finish: false })
    for (const choice of ended) chunks.push({ chunk: { ...chunk, choices: [choice] }, finish: true })
    return { chunks, steady: this.steady && chunks.length === 1 }
  }

  /** The chunks to push for a server that ended its stream without a finish reason. */
  finishes(): ReadonlyArray<JsonObject> {
    const open = [...this.choices].filter(([, { finished }]) => !finished)
    return open.map(([index]) => ({ choices: [{ index, delta: {}, finish_reason: "stop" }] }))
  }

  /** Whether a chunk is in all that is repaired as OpenAI would have sent it, a repeated role aside: most are, from the second one on. */
  isSound({ choices, created, id, model, object, service_tier: tier }: JsonObject): boolean {
    return (
      id === this.id &&
      created === this.created &&
      model === this.model &&
      object === "chat.completion.chunk" &&
      isKnownTier(tier) &&
      Array.isArray(choices) &&
      choices.length > 0 &&
      choices.every((choice) => this.isSoundChoice(choice))
    )
  }

  private isSoundChoice(choice: unknown): boolean {
    if (!isObject(choice) || choice["finish_reason"] !== null || !this.choices.has(choice["index"])) return false
    const { delta } = choice
    return (
      isObject(delta) &&
      delta["tool_calls"] === undefined &&
      delta["annotations"] === undefined &&
      delta["function_call"] !== null &&
      delta["audio"] !== null &&
      !Array.isArray(delta["content"])
    )
  }

  /** With the response's id, time and model: those of its first chunk that has them. */
  named(chunk: JsonObject): JsonObject {
    const { created, id, model } = chunk
    if (this.id === undefined) {
      this.steady = false
      this.id = textOf(id) ?? newId(this.now)
      this.created = Number.isInteger(created) && created !== 0 ? (created as number) : seconds(this.now)
    }
    if (typeof model === "string" && model !== "") this.model = model
    const named = { id: this.id, object: "chat.completion.chunk", created: this.created, model: this.model }
    return { ...withKnownTier(chunk), ...named }
  }

  /** Into `open` what it isFilled, into `ended` that it is over; the reason of a failure. */
  private choice(
    raw: JsonObject,
    position: number,
    open: Array<JsonObject>,
    ended: Array<JsonObject>
  ): string | undefined {
    const index = Number.isInteger(raw["index"]) ? raw["index"] : position
    const isFirst = !this.choices.has(index)
    const choice = this.choices.get(index) ?? { calls: new StreamedCalls(), called: false, finished: false }
    this.choices.set(index, choice)
    const delta = this.delta(isObject(raw["delta"]) ? raw["delta"] : {}, choice)
    if (isFirst) {
      this.steady = false
      delta["role"] = "assistant"
    }
    const given = raw["finish_reason"]
    if (typeof given !== "string" || given === "" || choice.finished) {
      open.push({ ...raw, index, delta, finish_reason: null })
      return undefined
    }
    const reason = finishReason(given, choice.called)
    if (reason === undefined) return given
    const unsaid = choice.calls.unsaid()
    const pieces = delta["tool_calls"] as ReadonlyArray<JsonObject> | undefined
    if (unsaid.length > 0) delta["tool_calls"] = pieces === undefined ? unsaid : [...pieces, ...unsaid]
    const isSaying = Object.values(delta).some(isFilled)
    if (isSaying) open.push({ ...raw, index, delta, finish_reason: null })
    choice.finished = true
    const logprobs = isSaying && "logprobs" in raw ? { logprobs: null } : {}
    ended.push({ ...raw, ...logprobs, index, delta: {}, finish_reason: reason })
    return undefined
  }

  private delta(raw: JsonObject, choice: StreamedChoice): Record<string, unknown> {
    const { content, role: _, tool_calls: calls, ...rest } = raw
    const out = withKnownFields(rest)
    if (Array.isArray(content)) {
      const parts = contentOf(content)
      out["content"] = parts.text
      if (parts.reasoning !== "") out["reasoning_content"] = parts.reasoning
    } else if (content !== undefined) out["content"] = content
    if (Array.isArray(calls) && calls.length > 0) {
      this.steady = false
      choice.called = true
      out["tool_calls"] = choice.calls.pieces(calls, this.id)
    }
    return out
  }
}
