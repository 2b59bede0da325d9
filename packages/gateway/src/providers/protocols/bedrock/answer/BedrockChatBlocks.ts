/** What Converse's content blocks mean, whole or in pieces. */
import type { JsonObject } from "../../../../core/domain/Json.ts"
import { tierNamed } from "../../../../core/domain/pricing/ServiceTier.ts"
import { arrayOf, isObject, objectOf, textOf } from "../../../json/LooseJson.ts"

/** A tool that the provider ran itself: its calls and results have no place in a chat completion. */
export const isServers = (toolUse: JsonObject): boolean => toolUse["type"] === "server_tool_use"

/** The thoughts of a model, as they have to come back with the next turn. Bytes here, they are text for Anthropic. */
export const redactedBlock = (bytes: unknown): JsonObject => ({
  type: "redacted_thinking",
  data: Buffer.from(textOf(bytes) ?? "", "base64").toString("utf8")
})

/** The text of a block that cites its sources. */
export const citedText = (citations: unknown): string =>
  arrayOf(objectOf(citations)?.["content"])
    .map((one) => (isObject(one) ? (textOf(one["text"]) ?? "") : ""))
    .join("")

/** `serviceTier: { type }`, as the tier that decides the price. */
export const servedTier = (answer: JsonObject | undefined): string | undefined =>
  tierNamed(objectOf(answer?.["serviceTier"])?.["type"])

/** The same as the chat API's field. */
export const tierField = (tier: string | undefined): JsonObject =>
  tier === "default" || tier === "flex" || tier === "priority" ? { service_tier: tier } : {}
