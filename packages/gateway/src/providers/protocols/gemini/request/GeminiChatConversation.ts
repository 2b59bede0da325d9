/**
 * The chat's messages as Gemini's `systemInstruction` and turns: instructions hoisted, turns of one role merged, all results of one
 * turn's calls together and in the order of the calls, each with the name of its function.
 */
import type { JsonObject } from "../../../../core/domain/Json.ts"
import { argumentsText, arrayOf, isObject, textOf } from "../../../json/LooseJson.ts"
import { parseArguments } from "../../../json/BoundedJson.ts"
import { reminders } from "../../shared/Reminders.ts"
import type { Losses } from "../../shared/Losses.ts"
import type { GeminiTraits } from "../GeminiModels.ts"
import { GO_ON, reportGoOn } from "../../shared/LastTurn.ts"
import { contentParts } from "./GeminiChatContent.ts"
import { signatureOf, withSignatures } from "./GeminiChatSignatures.ts"
import { resultPart } from "./GeminiChatToolResult.ts"
import { imageParts, keptParts } from "../answer/GeminiOwnParts.ts"

interface GeminiTurn {
  readonly role: "user" | "model"
  readonly parts: Array<JsonObject>
}

interface GeminiConversation {
  readonly system: ReadonlyArray<JsonObject>
  readonly contents: ReadonlyArray<GeminiTurn>
}

/** A call of the history: its results follow in the order of the calls, whatever order the caller has them in. */
interface HistoryCall {
  readonly name: string
  readonly order: number
}

class Lowering {
  readonly system: Array<JsonObject> = []
  readonly turns: Array<GeminiTurn> = []
  /** By id, in the last turn that has one of that id. */
  private readonly called = new Map<string, HistoryCall>()
  /** Of each result: that of the call that it answers. */
  private readonly orders = new Map<JsonObject, number>()
  private order = 0
  private readonly traits: GeminiTraits
  private readonly losses: Losses

  constructor(traits: GeminiTraits, losses: Losses) {
    this.traits = traits
    this.losses = losses
  }

  message(message: JsonObject, param: string): void {
    const { losses } = this
    if (textOf(message["name"]) !== undefined && message["role"] !== "tool") {
      losses.drop("messages.name", "Google has no names of participants")
    }
    switch (message["role"]) {
      case "system":
      case "developer": {
        const parts = contentParts(message, param, losses, "text only")
        if (this.turns.length === 0) this.system.push(...parts)
        else this.append("user", reminders(parts))
        return
      }
      case "user":
        this.append("user", contentParts(message, param, losses, "with media"))
        return
      case "assistant":
        this.append("model", this.assistant(message, param))
        return
      case "tool":
        this.result(message, param)
        return
      default:
        losses.refuse(`${param}.role`, "`role` must be system, developer, user, assistant or tool at this provider")
    }
  }

  private append(role: GeminiTurn["role"], parts: Array<JsonObject>): void {
    if (parts.length === 0) return
    const last = this.turns.at(-1)
    if (last?.role === role) last.parts.push(...parts)
    else this.turns.push({ role, parts })
  }

  private assistant(message: JsonObject, param: string): Array<JsonObject> {
    if (isObject(message["function_call"])) {
      this.losses.refuse(
        `${param}.function_call`,
        "`function_call` is not supported at this provider: use `tool_calls`"
      )
    }
    const calls = arrayOf(message["tool_calls"]).map((call, index) => this.call(call, `${param}.tool_calls[${index}]`))
    const images = imageParts(message, param, this.traits.needsSignatures, this.losses)
    const kept = keptParts(message, calls, images)
    if (kept !== undefined) return kept
    const parts = contentParts(message, param, this.losses, "with media")
    parts.push(...images)
    const signature = signatureOf(message)
    const last = parts.at(-1)
    // The signature of an answer without text stands on an empty part.
    if (last !== undefined) parts[parts.length - 1] = { ...last, ...signature }
    else if (signature["thoughtSignature"] !== undefined) parts.push({ text: "", ...signature })
    parts.push(...(this.traits.needsSignatures ? withSignatures(calls) : calls))
    return parts
  }

  private call(call: unknown, param: string): JsonObject {
    const called = isObject(call) ? call["function"] : undefined
    const name = isObject(called) ? textOf(called["name"]) : undefined
    if (!isObject(call) || !isObject(called) || name === undefined) {
      this.losses.refuse(param, "only function calls can be sent to this provider")
      return {}
    }
    const id = textOf(call["id"])
    if (id !== undefined) this.called.set(id, { name, order: this.order++ })
    const args = argumentsOf(called["arguments"], `${param}.function.arguments`, this.losses)
    return { functionCall: { ...(id === undefined ? {} : { id }), name, args }, ...signatureOf(call) }
  }

  private result(message: JsonObject, param: string): void {
    const id = textOf(message["tool_call_id"])
    const name = (id === undefined ? undefined : this.called.get(id)?.name) ?? textOf(message["name"])
    if (name === undefined) {
      this.losses.refuse(
        `${param}.tool_call_id`,
        "no earlier tool call has this id, and Google needs its function's name"
      )
      return
    }
    const parts = resultPart(message, { id, name, param }, this.traits, this.losses)
    const order = (id === undefined ? undefined : this.called.get(id)?.order) ?? this.order
    for (const part of parts) if (isResult(part)) this.orders.set(part, order)
    this.append("user", parts)
  }

  /** Results of parallel calls come back in whatever order they were ready. */
  sorted({ parts, role }: GeminiTurn): GeminiTurn {
    const results = parts.filter(isResult)
    if (results.length === 0) return { role, parts }
    const others = parts.filter((part) => !isResult(part))
    return { role, parts: [...results.toSorted((one, other) => this.place(one) - this.place(other)), ...others] }
  }

  private place(part: JsonObject): number {
    return this.orders.get(part) ?? this.order
  }
}

export const lowerConversation = (messages: unknown, traits: GeminiTraits, losses: Losses): GeminiConversation => {
  if (!Array.isArray(messages)) {
    losses.refuse("messages", "`messages` must be a list")
    return { system: [], contents: [] }
  }
  const lowering = new Lowering(traits, losses)
  for (const [index, message] of messages.entries()) {
    const param = `messages[${index}]`
    if (isObject(message)) lowering.message(message, param)
    else losses.refuse(param, "a message must be an object")
  }
  const { system, turns } = lowering
  // A request of instructions only is valid too: the last of them becomes the user's message.
  if (turns.length === 0 && system.length > 0) turns.push({ role: "user", parts: [system.pop()!] })
  if (turns.length === 0) losses.refuse("messages", "at least one message with text, an image or a file is needed")
  const contents = turns.map((turn) => lowering.sorted(turn))
  if (!traits.prefill && contents.at(-1)?.role === "model") {
    reportGoOn(losses)
    contents.push({ role: "user", parts: [{ text: GO_ON }] })
  }
  if (traits.systemInstruction || system.length === 0) return { system, contents }
  return { system: [], contents: withInstructions(system, contents) }
}

const isResult = (part: JsonObject): boolean => "functionResponse" in part

/** For models without a place for instructions: they begin the user's first message. */
const withInstructions = (system: ReadonlyArray<JsonObject>, [first, ...others]: ReadonlyArray<GeminiTurn>) =>
  first?.role === "user"
    ? [{ role: first.role, parts: [...system, ...first.parts] }, ...others]
    : [{ role: "user" as const, parts: [...system] }, ...(first === undefined ? [] : [first]), ...others]

const argumentsOf = (given: unknown, param: string, losses: Losses): JsonObject => {
  if (argumentsText(given) === "") return {}
  const args = typeof given === "string" ? parseArguments(given) : given
  if (isObject(args)) return args
  losses.refuse(param, "`arguments` must be the JSON text of an object")
  return {}
}
