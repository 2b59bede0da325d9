/** Google's `generateContent` at models that chat: `generate-content/GenerateContentToChatRequest.ts` goes down, the rest is here. */
import { contentName } from "@model-gateway/protocol"
import { NOTHING_YET } from "../../core/operations/chat/StreamRelay.ts"
import type { UpstreamCall, StreamEvent } from "../../core/pool/Protocol.ts"
import { parseJson } from "../json/BoundedJson.ts"
import { argumentsText, arrayOf, objectOf, objectOr, objectsIn, textOf, type JsonObject } from "../json/LooseJson.ts"
import { parseDataUrl } from "../protocols/shared/ChatMessages.ts"
import { completionEvents } from "../protocols/shared/CompletionEvents.ts"
import type { Bridge } from "./Bridge.ts"
import { CountTokensHere } from "./CountTokensHere.ts"
import { down, signatureOf } from "./generate-content/GenerateContentToChatRequest.ts"
import { inputOf, thoughtIn } from "./messages/MessagesToChatResult.ts"
import { callSeal, MessageSeals } from "./Seals.ts"

export const GenerateContentToChat: Bridge = {
  from: "generate_content",
  to: "chat",
  down,
  nameOf: contentName,
  // A complete response is a stream that came at once: all parts of a candidate together.
  up: (answer, call) => {
    const events = new ContentEvents(call)
    const pieces = completionEvents(answer, call).flatMap((event) => events.push(event))
    const candidates = new Map<unknown, JsonObject>()
    let head: JsonObject = {}
    for (const piece of pieces) {
      if (!("data" in piece) || piece.kind === "usage") continue
      const { candidates: said, ...rest } = objectOr(parseJson(piece.data))
      head = rest
      for (const one of objectsIn(said)) {
        const before = objectOr(candidates.get(one["index"])?.["content"])
        const parts = [...arrayOf(before["parts"]), ...arrayOf(objectOr(one["content"])["parts"])]
        candidates.set(one["index"], { ...one, content: { role: "model", parts } })
      }
    }
    return {
      body: { candidates: [...candidates.values()], ...head },
      usage: answer.usage,
      serviceTier: answer.serviceTier
    }
  },
  upStream: (call) => new ContentEvents(call)
}

export const CountContentTokensHere: Bridge = { ...CountTokensHere, from: "count_content_tokens" }

interface ToldCandidate {
  readonly seals: MessageSeals
  /** Calls, whose arguments come in pieces; Google's come whole. */
  readonly calls: Map<unknown, JsonObject>
}

const UNSHOWN: StreamEvent = { kind: "content", data: NOTHING_YET }

const FINISHES = new Map<unknown, string>([
  ["length", "MAX_TOKENS"],
  ["content_filter", "SAFETY"]
])

class ContentEvents {
  private readonly call: UpstreamCall
  private readonly candidates = new Map<unknown, ToldCandidate>()

  constructor(call: UpstreamCall) {
    this.call = call
  }

  push(event: StreamEvent): ReadonlyArray<StreamEvent> {
    if (event.kind === "usage") return [{ ...event, data: "" }]
    if (!("data" in event)) return [event]
    const chunk = objectOr(parseJson(event.data))
    return objectsIn(chunk["choices"]).flatMap((choice) => this.choice(choice, chunk))
  }

  end(): ReadonlyArray<StreamEvent> {
    return []
  }

  private choice(
    { delta: given, finish_reason: finish, index = 0 }: JsonObject,
    { id, model }: JsonObject
  ): ReadonlyArray<StreamEvent> {
    const delta = objectOr(given)
    const candidate = this.candidates.get(index) ?? { seals: new MessageSeals(this.call), calls: new Map() }
    this.candidates.set(index, candidate)
    const parts = this.said(delta, candidate)
    const reason = textOf(finish)
    if (reason !== undefined) parts.push(...this.rest(candidate))
    if (parts.length === 0) {
      if (reason === undefined) return objectsIn(delta["tool_calls"]).length > 0 ? [UNSHOWN] : []
      // Clients take an event without parts for a broken answer.
      parts.push({ text: "" })
    }
    const data = JSON.stringify({
      candidates: [
        {
          content: { role: "model", parts },
          index,
          ...(reason === undefined ? {} : { finishReason: FINISHES.get(reason) ?? "STOP" })
        }
      ],
      modelVersion: textOf(model) ?? this.call.deployment.model,
      ...(textOf(id) === undefined ? {} : { responseId: id })
    })
    return [{ kind: reason === undefined ? "content" : "finish", data }]
  }

  private said(delta: JsonObject, { calls, seals }: ToldCandidate): Array<JsonObject> {
    seals.add(delta)
    const { images: _, ...unshown } = delta
    seals.addUnshown(unshown)
    for (const piece of objectsIn(delta["tool_calls"])) {
      const { index = calls.size } = piece
      const before = calls.get(index) ?? {}
      const [begun, added] = [objectOr(before["function"]), objectOr(piece["function"])]
      const text = argumentsText(begun["arguments"]) + (textOf(added["arguments"]) ?? "")
      const name = textOf(begun["name"]) ?? added["name"]
      calls.set(index, { ...piece, ...before, function: { name, arguments: text } })
    }
    const thought = thoughtIn(delta)
    const texts = [delta["content"], delta["refusal"]].flatMap((text) => textOf(text) ?? [])
    return [
      ...(thought === undefined ? [] : [{ text: thought.text, thought: true }]),
      ...texts.map((text) => ({ text })),
      ...objectsIn(delta["images"]).flatMap(imagePart)
    ]
  }

  /** Calls, and what only the provider can read, which the parts bring back as their signatures. */
  private rest({ calls, seals }: ToldCandidate): ReadonlyArray<JsonObject> {
    const parts = [...calls.values()].map((one) => {
      const { arguments: given, name } = objectOr(one["function"])
      const seal = callSeal(one, this.call)
      const signature = signatureOf([...seals.takeDetails(), ...(seal === undefined ? [] : [seal])])
      return { functionCall: { id: one["id"], name, args: inputOf(argumentsText(given) || "{}") }, ...signature }
    })
    calls.clear()
    const left = signatureOf(seals.takeAll())
    return left["thoughtSignature"] === undefined ? parts : [...parts, { text: "", ...left }]
  }
}

const imagePart = ({ image_url: image }: JsonObject): ReadonlyArray<JsonObject> => {
  const data = parseDataUrl(String(objectOf(image)?.["url"]))
  return data === undefined ? [] : [{ inlineData: { mimeType: data.mediaType, data: data.base64 } }]
}
