/** The operations that ship with the gateway. A new one is a folder beside this file and a name here. */
import { transcriptions, translations } from "./audio/Transcriptions.ts"
import { chat } from "./chat/Chat.ts"
import { imageEdits, images, imageVariations } from "./images/Images.ts"
import type { Operation } from "./Operation.ts"
import { speech } from "./speech/Speech.ts"

export const allOperations: ReadonlyArray<Operation> = [
  chat,
  images,
  imageEdits,
  imageVariations,
  transcriptions,
  translations,
  speech
]

/** `path`: of the operation's endpoint, in canonical spelling. */
export const operationAt = (path: string): Operation | undefined => allOperations.find((one) => one.path === path)
