/** Amazon Bedrock, in one region. */
import { noFacts } from "../../../core/domain/models/ModelFacts.ts"
import type { Vendor } from "../../../core/pool/Vendor.ts"
import { aws, awsSettings } from "../../auth/Aws.ts"
import { isClaude } from "../../protocols/anthropic/AnthropicModels.ts"
import { notesOf } from "../CompatibleVendors.ts"
import { without } from "../Families.ts"
import { bedrockBounds } from "../AnthropicBounds.ts"

const SERVICE = "bedrock"

/** Anthropic's API is there since Claude 3; tokens of its requests are counted since 3.5, as recorded. */
const operations: NonNullable<Vendor["operations"]> = (_model, _options, facts = noFacts) => {
  const { protocol = {} } = facts
  if (!isClaude(facts)) return facts.operations ?? ["chat"]
  if (protocol["invoked"] === false) return ["chat"]
  return protocol["counted"] === false ? ["chat", "messages"] : ["chat", "messages", "count_tokens"]
}

export const Bedrock: Vendor = {
  ...notesOf("bedrock"),
  aliases: ["aws-bedrock", "amazon-bedrock"],
  protocol: "bedrock",
  baseUrl: "https://bedrock-runtime.{region}.amazonaws.com",
  settings: [
    ...awsSettings,
    { name: "guardrail", what: "the id of a Bedrock guardrail, for every request" },
    { name: "guardrail_version", what: "the version of that guardrail", otherwise: "DRAFT", needs: ["guardrail"] }
  ],
  // A key is one way among several: `auth/Aws.ts`.
  apiKeyVariable: undefined,
  // https://openrouter.ai/docs/api-reference/streaming ("Stream Cancellation"), read 2026-11-22: closing a stream stops nothing there.
  billsAfterDisconnect: "all",
  inlineImages: true,
  quirks: () => ({ oneChoice: true, cacheMarks: "taken" }),
  operations,
  bounds: (_model, facts) => bedrockBounds(facts),
  families: [{ match: /^/, supports: without("audio") }],
  auth: aws(SERVICE),
  // What exists is listed at another address, and what an account may call is not in it.
  modelList: null
}

/** A server of somebody else that speaks Converse, or a proxy in front of it. */
export const BedrockCompatible: Vendor = {
  ...Bedrock,
  name: "bedrock-compatible",
  isSelfHosted: true,
  baseUrl: ""
}
