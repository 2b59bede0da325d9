/** The chat's messages as Gemini's `systemInstruction` and turns, the results of one turn's calls in the order of the calls. */
import { parseJson } from "../../../json/BoundedJson.ts"
import { isObject, objectOf, textOf, type JsonObject } from "../../../json/LooseJson.ts"
import {
  type ChatCall,
  callsIn,
  contentOf,
  eachMessage,
  inputOf,
  refusePart,
  roleOf,
  textIn
} from "../../shared/ChatMessages.ts"
import { GO_ON, reportGoOn } from "../../shared/LastTurn.ts"
import type { Losses } from "../../shared/Losses.ts"
import { reminders } from "../../shared/Reminders.ts"
import { imageParts, keptParts } from "../answer/GeminiOwnParts.ts"
import type { GeminiTraits } from "../GeminiModels.ts"
import { mediaPart } from "./GeminiChatMedia.ts"
import { signatureOf, withSignatures } from "./GeminiChatSignatures.ts"

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
    switch (roleOf(message, param, "Google", losses)) {
      case "system": {
        const parts = contentParts(message, param, losses, "text only")
        if (this.turns.length === 0) this.system.push(...parts)
        else this.append("user", reminders(parts))
        return
      }
      case "user":
        return this.append("user", contentParts(message, param, losses, "with media"))
      case "assistant":
        return this.append("model", this.assistant(message, param))
      case "tool":
        return this.result(message, param)
    }
  }

  private append(role: GeminiTurn["role"], parts: Array<JsonObject>): void {
    const last = this.turns.at(-1)
    if (last?.role === role) last.parts.push(...parts)
    else if (parts.length > 0) this.turns.push({ role, parts })
  }

  private assistant(message: JsonObject, param: string): Array<JsonObject> {
    const calls = callsIn(message, param, this.losses).map((call) => this.call(call))
    const images = imageParts(message, param, this.traits.needsSignatures, this.losses)
    const kept = keptParts(message, calls, images)
    if (kept !== undefined) return kept
    const parts = contentParts(message, param, this.losses, "with media")
    parts.push(...images)
    const signature = signatureOf(message)
    const last = parts.at(-1)
    // The signature of a response without text stands on an empty part.
    if (last !== undefined) parts[parts.length - 1] = { ...last, ...signature }
    else if (signature["thoughtSignature"] !== undefined) parts.push({ text: "", ...signature })
    parts.push(...(this.traits.needsSignatures ? withSignatures(calls) : calls))
    return parts
  }

  private call(call: ChatCall): JsonObject {
    const id = textOf(call.id)
    const name = textOf(call.name)
    if (name === undefined) this.losses.refuse(call.param, "only function calls can be sent to this provider")
    if (id !== undefined) this.called.set(id, { name: name ?? "", order: this.order++ })
    const args = inputOf(call, this.losses)
    return { functionCall: { ...(id === undefined ? {} : { id }), name, args }, ...signatureOf(call.own) }
  }

  private result(message: JsonObject, param: string): void {
    const id = textOf(message["tool_call_id"])
    const name = (id === undefined ? undefined : this.called.get(id)?.name) ?? textOf(message["name"])
    if (name === undefined) {
      const why = "no earlier tool call has this id, and Google needs its function's name"
      return this.losses.refuse(`${param}.tool_call_id`, why)
    }
    const parts = this.resultParts(message, param, id, name)
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

  /** Images and files stand inside the result for models that take them there, else behind it. */
  private resultParts(message: JsonObject, param: string, id: string | undefined, name: string): Array<JsonObject> {
    const parts = contentParts(message, param, this.losses, "with media")
    const media = parts.filter((part) => part["text"] === undefined)
    const text = parts.flatMap((part) => textOf(part["text"]) ?? []).join("\n")
    const isInside = this.traits.mediaInResults
    const result = {
      ...(id === undefined ? {} : { id }),
      name,
      response: responseOf(text),
      ...objectOf(objectOf(message["extra_content"])?.["google"]),
      ...(isInside && media.length > 0 ? { parts: media } : {})
    }
    return isInside ? [{ functionResponse: result }] : [{ functionResponse: result }, ...media]
  }
}

export const lowerConversation = (messages: unknown, traits: GeminiTraits, losses: Losses): GeminiConversation => {
  const lowering = new Lowering(traits, losses)
  eachMessage(messages, losses, (message, param) => {
    lowering.message(message, param)
    return []
  })
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

/** Empty text is left out, but where it is all that a user says. `media`: whether images and files make sense here. */
const contentParts = (
  message: JsonObject,
  param: string,
  losses: Losses,
  media: "with media" | "text only"
): Array<JsonObject> => {
  if (message["content"] === "" && message["role"] === "user") return [{ text: "" }]
  return contentOf(message, param, losses, (part, place) => {
    const own = objectOf(part["google"])
    const text = textIn(part)
    if (text !== undefined) return text === "" ? undefined : { text, ...own }
    if (part["type"] === "google") return own
    const lowered = media === "with media" ? mediaPart(part, place, losses) : undefined
    return lowered === undefined ? refusePart(part, place, losses) : { ...lowered, ...own }
  })
}

/** The JSON text of an object is that object. A `$ref` in it is refused: https://github.com/vercel/ai/issues/14369 (2026-11-22). */
const responseOf = (text: string): JsonObject => {
  const value = text.startsWith("{") && !text.includes('"$ref"') ? parseJson(text) : undefined
  return isObject(value) ? value : { result: text }
}
