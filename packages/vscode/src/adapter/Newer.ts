/**
 * What later versions of VS Code have than the oldest one that the extension runs on: taken where it is there, done without where it is not.
 */
import * as vscode from "vscode"

const construct = (name: string, ...values: ReadonlyArray<unknown>): vscode.LanguageModelTextPart | undefined => {
  const found: unknown = Reflect.get(vscode, name)
  return typeof found === "function" ? Reflect.construct(found, values) : undefined
}

/** What the model thinks is shown folded. Not in VS Code's stable types; older versions leave it out. */
export const thinkingPart = (text: string): vscode.LanguageModelTextPart | undefined =>
  construct("LanguageModelThinkingPart", text)

/** Read by the chat's Context Window indicator; OpenAI's field names (https://github.com/microsoft/vscode/pull/315394, read 2026-11-22). */
export const usagePart = (usage: object): vscode.LanguageModelTextPart | undefined =>
  construct("LanguageModelDataPart", new TextEncoder().encode(JSON.stringify(usage)), "usage")

/** Pictures and other bytes in a conversation. */
export interface DataPart {
  readonly mimeType: string
  readonly data: Uint8Array
}

export const isDataPart = (part: unknown): part is DataPart =>
  typeof part === "object" &&
  part !== null &&
  "mimeType" in part &&
  typeof part.mimeType === "string" &&
  "data" in part &&
  part.data instanceof Uint8Array

/** What the picker of later versions shows of a model; it is no part of the oldest version's types. */
export interface NewerInformation {
  /** Without it models are not offered since 1.120 (https://github.com/microsoft/vscode/issues/316217, read 2026-11-22). */
  readonly isUserSelectable: boolean
  readonly isBYOK: boolean
  readonly pricing: string
  readonly maxContextWindowTokens: number
  readonly warningText: string | undefined
  readonly configurationSchema: object | undefined
}

/** What was chosen for the model, by the names of its schema. */
export const chosenIn = (options: vscode.ProvideLanguageModelChatResponseOptions): Record<string, unknown> => {
  const chosen: unknown = Reflect.get(options, "modelConfiguration")
  return typeof chosen === "object" && chosen !== null ? { ...chosen } : {}
}

/** Whether the editor knows models of extensions at all: some that are made of VS Code leave it out. */
export const hasModels = (): boolean =>
  typeof Reflect.get(vscode.lm ?? {}, "registerLanguageModelChatProvider") === "function"

export const hasParticipants = (): boolean =>
  typeof Reflect.get(Reflect.get(vscode, "chat") ?? {}, "createChatParticipant") === "function"
