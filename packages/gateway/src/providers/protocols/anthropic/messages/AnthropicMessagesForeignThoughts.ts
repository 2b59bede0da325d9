/**
 * Anthropic signs the thoughts of its models, and refuses others. In a conversation that began with another model some turns may
 * hold that model's thoughts, which the bridge to it has marked in place of a signature. These are left out.
 */
import { unseal } from "../../../responses/Sealed.ts"
import { isObject } from "../../../json/LooseJson.ts"

const MARK = "model-gateway:"

/** In place of a signature: the field under which the model's server sent its thoughts. */
export const foreignSignature = (field: string): string => MARK + field

/** The field in a mark; undefined for a real signature. */
export const foreignField = (signature: unknown): string | undefined =>
  typeof signature === "string" && signature.startsWith(MARK) ? signature.slice(MARK.length) : undefined

/** `messages` itself where there is nothing to leave out. */
export const withoutForeignThoughts = (messages: unknown): unknown =>
  Array.isArray(messages) && messages.some(holdsForeign)
    ? messages.flatMap((message: unknown) => (holdsForeign(message) ? rest(message) : [message]))
    : messages

interface MessageWithBlocks {
  readonly content: ReadonlyArray<unknown>
}

const holdsForeign = (message: unknown): message is MessageWithBlocks =>
  isObject(message) && Array.isArray(message["content"]) && message["content"].some(isForeign)

const isForeign = (block: unknown): boolean =>
  isObject(block) &&
  ((block["type"] === "thinking" && foreignField(block["signature"]) !== undefined) ||
    (block["type"] === "redacted_thinking" && unseal(block["data"]) !== undefined))

/** A turn without content is refused too. */
const rest = (message: MessageWithBlocks): ReadonlyArray<unknown> => {
  const content = message.content.filter((block) => !isForeign(block))
  return content.length === 0 ? [] : [{ ...message, content }]
}
