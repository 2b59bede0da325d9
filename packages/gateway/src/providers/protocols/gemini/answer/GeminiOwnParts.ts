/** The parts of a response as Gemini wrote them, for the next turn, where chat can't say them all or which of them are signed. */
import { arrayOf, objectOf, objectsIn, textOf, type JsonObject } from "../../../json/LooseJson.ts"
import { callPart, keptTurn, type OwnForm, ownTurn } from "../../shared/OwnTurn.ts"
import type { Losses } from "../../shared/Losses.ts"
import { mediaPart } from "../request/GeminiChatMedia.ts"
import { SKIP } from "../request/GeminiChatSignatures.ts"
import type { GeminiPiece } from "./GeminiCandidates.ts"

const FORM: OwnForm = {
  vendor: "google",
  list: "parts",
  textIn: ({ text }) => (typeof text === "string" ? text : "")
}

export class OwnParts {
  private readonly parts: Array<JsonObject> = []
  private isHosted = false
  private isSigned = false
  private images = 0

  /** `id`: of a call, as the message has it. */
  add(part: unknown, piece: GeminiPiece, id?: string): void {
    const own = objectOf(part) ?? {}
    const { thoughtSignature, thought_signature: snake } = own
    const signature = textOf(thoughtSignature) ?? textOf(snake)
    const signed = signature === undefined ? {} : { thoughtSignature: signature }
    this.isSigned ||= signature !== undefined
    switch (piece.kind) {
      case "thought":
        return
      case "call":
        this.parts.push(callPart(id, signed))
        return
      case "text":
        this.text(piece.text, signed)
        return
      case "image":
        this.parts.push({ image: this.images++, ...signed })
        return
      case "none":
        if (own["thought"] === true || own["inlineData"] !== undefined || Object.keys(own).length === 0) return
        this.isHosted = true
        this.parts.push(own)
    }
  }

  /** The message's field; nothing where chat says it all. */
  end(): JsonObject {
    return this.isHosted || (this.isSigned && this.images > 0) ? ownTurn(FORM, this.parts) : {}
  }

  /** The pieces of a streamed text are one part. */
  private text(text: string, signed: JsonObject): void {
    const last = this.parts.at(-1)
    const isGrowing = typeof last?.["text"] === "string" && last["thoughtSignature"] === undefined
    if (isGrowing) this.parts[this.parts.length - 1] = { ...last, text: String(last["text"]) + text, ...signed }
    else if (text !== "" || signed["thoughtSignature"] !== undefined) this.parts.push({ text, ...signed })
  }
}

/** The parts of a message, if it has some. `calls` as parts. */
export const keptParts = (
  message: JsonObject,
  calls: ReadonlyArray<JsonObject>,
  images: ReadonlyArray<JsonObject>
): Array<JsonObject> | undefined => {
  const parts = keptTurn(FORM, message, calls)
  if (parts === undefined || parts.filter(({ image }) => image !== undefined).length !== images.length) return undefined
  return parts.map(({ image, ...part }) => (typeof image === "number" ? { ...images[image], ...part } : part))
}

/** The images of a message as parts. `isSigned`: the model refuses some that it did not sign. */
export const imageParts = (
  { images }: JsonObject,
  param: string,
  isSigned: boolean,
  losses: Losses
): Array<JsonObject> =>
  objectsIn(arrayOf(images)).flatMap(({ image_url }, index) => {
    const part = mediaPart({ type: "image_url", image_url }, `${param}.images[${index}]`, losses)
    return part === undefined ? [] : [{ ...part, ...(isSigned ? { thoughtSignature: SKIP } : {}) }]
  })
