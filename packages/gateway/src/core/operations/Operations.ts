/** The operations that ship with the gateway. A new one is a folder beside this file and a name here. */
import { transcriptions, translations } from "./audio/Transcriptions.ts"
import { chat } from "./chat/Chat.ts"
import { completions } from "./completions/Completions.ts"
import { embeddings } from "./embeddings/Embeddings.ts"
import { moderations } from "./moderations/Moderations.ts"
import { countContentTokens, generateContent } from "./generate_content/GenerateContent.ts"
import { countTokens } from "./count_tokens/CountTokens.ts"
import { messages } from "./messages/Messages.ts"
import { imageEdits, images, imageVariations } from "./images/Images.ts"
import type { Operation } from "./Operation.ts"
import { rerank } from "./rerank/Rerank.ts"
import { responses } from "./responses/Responses.ts"
import { speech } from "./speech/Speech.ts"

export const allOperations: ReadonlyArray<Operation> = [
  chat,
  responses,
  messages,
  countTokens,
  generateContent,
  countContentTokens,
  completions,
  embeddings,
  moderations,
  images,
  imageEdits,
  imageVariations,
  transcriptions,
  translations,
  speech,
  rerank
]

/** `path`: of the operation's endpoint, in canonical spelling. */
export const operationAt = (path: string): Operation | undefined => allOperations.find((one) => one.path === path)
