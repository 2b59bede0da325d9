/** The gateway's models in VS Code's chat. */
import * as vscode from "vscode"
import { type Chat, ChatFailed } from "../chat/Chat.ts"
import { tokensOf, tokensOfTurn } from "../chat/Tokens.ts"
import type { ModelChoice, ModelInfo } from "../models/ModelInfo.ts"
import type { NewerInformation } from "./Newer.ts"
import { askedOf, responsePartOf, turnOf } from "./Parts.ts"

export const VENDOR = "model-gateway"

interface Information extends vscode.LanguageModelChatInformation, NewerInformation {
  readonly model: ModelInfo
}

export const modelProvider = (
  chat: Chat,
  changed: vscode.Event<void>,
  add: () => Promise<void>,
  failed: (failure: ChatFailed) => void
): vscode.LanguageModelChatProvider<Information> => ({
  onDidChangeLanguageModelChatInformation: changed,

  provideLanguageModelChatInformation: async ({ silent }) => {
    // Not silent: somebody chose "Model Gateway" to add models.
    if (!silent) await add()
    return (await chat.models()).map(informationOf)
  },

  provideLanguageModelChatResponse: async ({ model }, messages, options, progress, token) => {
    const left = new AbortController()
    const listening = token.onCancellationRequested(() => left.abort())
    if (token.isCancellationRequested) left.abort()
    try {
      await chat.answer(
        model,
        askedOf(messages, options),
        (piece) => {
          const part = responsePartOf(piece)
          if (part !== undefined) progress.report(part)
        },
        left.signal
      )
    } catch (error) {
      if (error instanceof ChatFailed) failed(error)
      throw error
    } finally {
      listening.dispose()
    }
  },

  provideTokenCount: async (_model, text) => (typeof text === "string" ? tokensOf(text) : tokensOfTurn(turnOf(text)))
})

const informationOf = (model: ModelInfo): Information => {
  const { choices, contextWindow, imageInput, pricing, toolCalling, warning } = model
  return {
    id: model.id,
    name: model.name,
    family: model.family,
    version: model.version,
    detail: model.detail,
    tooltip: model.tooltip,
    maxInputTokens: model.maxInputTokens,
    maxOutputTokens: model.maxOutputTokens,
    capabilities: { imageInput, toolCalling },
    isUserSelectable: true,
    isBYOK: true,
    pricing,
    maxContextWindowTokens: contextWindow,
    warningText: warning,
    configurationSchema: choices.length === 0 ? undefined : schemaOf(choices),
    model
  }
}

/** Lists in the picker, as VS Code reads them. */
const schemaOf = (choices: ReadonlyArray<ModelChoice>): object => ({
  type: "object",
  properties: Object.fromEntries(
    choices.map(({ name, title, values }, index) => [
      name,
      {
        type: "string",
        title,
        enum: values.map(({ value }) => value),
        enumItemLabels: values.map(({ label }) => label),
        enumDescriptions: values.map(({ description }) => description),
        default: values[0]?.value,
        // The picker has room for one beside the model; the others are found under "Manage Models".
        ...(index === 0 ? { group: "navigation" } : {})
      }
    ])
  )
})
