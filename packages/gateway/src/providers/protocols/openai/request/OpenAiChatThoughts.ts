/**
 * Models that refuse a history in which an assistant's calls stand without the thoughts that led to them: calls that another model made
 * get that model's thoughts, or a blank in their place.
 */
import type { Deployment } from "../../../../core/domain/Deployment.ts"
import { isBlank, isObject, objectsIn, textOf } from "../../../json/LooseJson.ts"

export const needsThoughts = ({ facts }: Pick<Deployment, "facts">): boolean =>
  facts?.protocol?.["thoughtsWithCalls"] !== undefined

/** Some of these models take "" for a field that is missing. */
const BLANK = " "

/** `messages` itself where nothing is missing. The fact is `filled` where "" counts as missing, and `present` where it does not. */
export const withThoughts = (messages: unknown, { facts }: Pick<Deployment, "facts">): unknown => {
  const isFilled = facts?.protocol?.["thoughtsWithCalls"] === "filled"
  const isMissing = (message: unknown): message is ThoughtMessage => isUnthought(message, isFilled)
  return Array.isArray(messages) && messages.some(isMissing)
    ? messages.map((message: unknown) =>
        isMissing(message) ? { ...message, reasoning_content: thoughtsIn(message) } : message
      )
    : messages
}

type ThoughtMessage = { readonly [field: string]: unknown }

const isUnthought = (message: unknown, isFilled: boolean): message is ThoughtMessage =>
  isObject(message) &&
  message["role"] === "assistant" &&
  objectsIn(message["tool_calls"]).length > 0 &&
  (isFilled ? textOf(message["reasoning_content"]) === undefined : typeof message["reasoning_content"] !== "string")

const thoughtsIn = ({ reasoning, reasoning_details: details, thinking_blocks: blocks }: ThoughtMessage): string => {
  const said = [
    reasoning,
    ...objectsIn(blocks).map(({ thinking }) => thinking),
    ...objectsIn(details).map(({ summary, text }) => text ?? summary)
  ].filter((text) => typeof text === "string" && !isBlank(text))
  return said.length === 0 ? BLANK : said.join("\n")
}
