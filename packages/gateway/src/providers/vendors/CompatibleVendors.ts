/** A vendor that speaks OpenAI's protocol at another address. Fields that are left out get the defaults of such servers. */
import type { Quirks } from "../../core/domain/Deployment.ts"
import { type ModelFacts, noFacts } from "../../core/domain/models/ModelFacts.ts"
import type { OperationName } from "../../core/domain/OperationName.ts"
import type { OtherEndpoint, Source, Vendor } from "../../core/pool/Vendor.ts"
import { bearer } from "../auth/Static.ts"
import { compatibleBounds } from "./CompatibleBounds.ts"

/** The least `max_output_tokens` of OpenAI's Responses: https://github.com/openclaw/openclaw/issues/138825 (2026-11-27). */
export const LEAST_OUTPUT = 16

/** What some models have wherever they are served. */
export const compatibleQuirks = ({ protocol = {} }: ModelFacts = noFacts): Quirks => ({
  ...(protocol["onlyInlineImages"] === true ? { onlyInlineImages: true } : {}),
  ...(protocol["timesTranscripts"] === true ? { timesTranscripts: true } : {})
})

/** What responses of other vendors hold for the next turn: servers that refuse unknown fields refuse these. */
export const otherVendorsFields = [
  "messages[].reasoning_details",
  "messages[].thinking_blocks",
  "messages[].extra_content",
  "messages[].tool_calls[].extra_content",
  "messages[].images"
]

/** Tokens a second. */
const SERVER_RATE = 400

/** All of these a model that chats may have; the others a model of another kind. */
const CHATTING: ReadonlySet<OperationName> = new Set(["chat", "responses", "messages", "completions"])

/** Of `serves` what the model has. A model of which nothing is known chats. */
export const servedOf = (serves: ReadonlyArray<OperationName>, { operations }: ModelFacts = noFacts) => {
  const all: ReadonlyArray<string> = operations ?? serves.filter((operation) => CHATTING.has(operation))
  return serves.filter((operation) => all.includes(operation))
}

/** What the catalogue says that the model has, else `usual`. */
export const operationsIn =
  (...usual: ReadonlyArray<OperationName>): NonNullable<Vendor["operations"]> =>
  (_model, _options, facts) =>
    facts?.operations ?? usual

export const compatible = (vendor: Pick<Vendor, "name" | "baseUrl"> & Partial<Vendor>): Vendor => ({
  protocol: "openai-chat",
  apiKeyVariable: undefined,
  billsAfterDisconnect: "none",
  bounds: compatibleBounds,
  auth: bearer,
  // Of a server of which nothing is known the configuration says whether it has Responses or Completions, too.
  operations: (_model, _options, facts) =>
    vendor.serves === undefined ? (facts?.operations ?? ["chat"]) : servedOf(vendor.serves, facts),
  quirks: (_model, _options, facts) => compatibleQuirks(facts),
  assumedRate: SERVER_RATE,
  ...vendor
})

/** The quirks that all such servers have, and those of one. */
export const withQuirks =
  (own: Quirks): NonNullable<Vendor["quirks"]> =>
  (_model, _options, facts) => ({ ...compatibleQuirks(facts), ...own })

/**
 * Anthropic's Messages API beside the vendor's own: at `path` in place of `end` of its address. `hosts`: the vendor's, with those that
 * end in one of them.
 */
export const messagesAt = (path: string, end: RegExp, hosts: ReadonlyArray<string>): OtherEndpoint => ({
  operation: "messages",
  protocol: "anthropic-messages",
  at: (baseUrl) => (end.test(baseUrl) ? baseUrl.replace(end, path) : undefined),
  isKnownAt: (baseUrl) => {
    const host = URL.parse(baseUrl)?.hostname ?? ""
    return hosts.some((one) => host === one || host.endsWith(`.${one}`))
  }
})

/** Pages that were read on one day. */
export const readOn = (day: string, ...urls: ReadonlyArray<string>): ReadonlyArray<Source> =>
  urls.map((url) => ({ url, read: day }))
