/** VS Code's messages and parts, and ours. */
import * as vscode from "vscode"
import type { Asked, Part, Piece, Turn } from "../chat/Turns.ts"
import { chosenIn, isDataPart, thinkingPart, usagePart } from "./Newer.ts"

/** A role of later versions, not in the types. */
const SYSTEM = 3

export const turnOf = ({ content, role }: vscode.LanguageModelChatRequestMessage): Turn => ({
  role:
    role === vscode.LanguageModelChatMessageRole.Assistant ? "assistant" : Number(role) === SYSTEM ? "system" : "user",
  parts: content.map(partOf).filter((part) => part !== undefined)
})

/** undefined: a part of another kind, which no model reads. */
const partOf = (part: unknown): Part | undefined => {
  if (part instanceof vscode.LanguageModelTextPart) return { kind: "text", text: part.value }
  if (part instanceof vscode.LanguageModelToolCallPart) {
    return { kind: "call", id: part.callId, name: part.name, input: part.input }
  }
  if (part instanceof vscode.LanguageModelToolResultPart) {
    return { kind: "result", id: part.callId, parts: part.content.map(partOf).filter((one) => one !== undefined) }
  }
  if (part instanceof vscode.LanguageModelPromptTsxPart) return { kind: "text", text: JSON.stringify(part.value) ?? "" }
  return isDataPart(part) ? { kind: "data", mimeType: part.mimeType, data: part.data } : undefined
}

export const askedOf = (
  messages: ReadonlyArray<vscode.LanguageModelChatRequestMessage>,
  options: vscode.ProvideLanguageModelChatResponseOptions
): Asked => ({
  turns: messages.map(turnOf),
  tools: (options.tools ?? []).map(({ description, inputSchema, name }) => ({ name, description, inputSchema })),
  mustCall: options.toolMode === vscode.LanguageModelChatToolMode.Required,
  options: options.modelOptions ?? {},
  chosen: chosenIn(options)
})

/** undefined: this version of VS Code has nothing to show it with. */
export const responsePartOf = (piece: Piece): vscode.LanguageModelResponsePart | undefined => {
  switch (piece.kind) {
    case "text":
      return new vscode.LanguageModelTextPart(piece.text)
    case "thinking":
      return thinkingPart(piece.text)
    case "call":
      return new vscode.LanguageModelToolCallPart(piece.id, piece.name, piece.input)
    case "usage":
      return usagePart(piece.usage)
  }
}
