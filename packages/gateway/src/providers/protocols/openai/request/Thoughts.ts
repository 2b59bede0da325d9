/**
 * Models that refuse a history in which an assistant's calls stand without the thoughts that led to them: calls that another model made
 * get that model's thoughts, or a blank in their place.
 */
import type { Deployment } from "../../../../core/domain/Deployment.ts"
import { isBlank, isObject, objectsIn, textOf } from "../../shared/Json.ts"

export const needsThoughts = ({ facts }: Pick<Deployment, "facts">): boolean =>
  facts?.protocol?.["thoughtsWithCalls"] === true

/** Some of these models take "" for a field that is missing. */
const BLANK = " "

/** `messages` itself where nothing is missing. */
export const withThoughts = (messages: unknown): unknown =>
  Array.isArray(messages) && messages.some(isUnthought)
    ? messages.map((message: unknown) =>
        isUnthought(message) ? { ...message, reasoning_content: thoughtsIn(message) } : message
      )
    : messages

type Fields = { readonly [field: string]: unknown }

const isUnthought = (message: unknown): message is Fields =>
  isObject(message) &&
  message["role"] === "assistant" &&
  objectsIn(message["tool_calls"]).length > 0 &&
  textOf(message["reasoning_content"]) === undefined

const thoughtsIn = ({ reasoning, reasoning_details: details, thinking_blocks: blocks }: Fields): string => {
  const said = [
    reasoning,
    ...objectsIn(blocks).map(({ thinking }) => thinking),
    ...objectsIn(details).map(({ summary, text }) => text ?? summary)
  ].filter((text) => typeof text === "string" && !isBlank(text))
  return said.length === 0 ? BLANK : said.join("\n")
}
