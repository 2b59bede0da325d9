/**
 * What Bedrock's models can do through Converse:
 * https://docs.aws.amazon.com/bedrock/latest/userguide/conversation-inference-supported-models-features.html (2026-11-22). Names come with
 * a region in front (`us.`, `eu.`, `global.`) or in an ARN. Windows are in the catalogue.
 */
import type { VendorFamily } from "../../../core/pool/Vendor.ts"
import { without } from "../Families.ts"

const TEXT: VendorFamily["supports"] = new Set(["chat", "stream"])

/** Output limits as Anthropic's own model pages have them. The first that matches and says it counts. */
const claude: ReadonlyArray<VendorFamily> = [
  { match: /claude-opus-4-[6-9]|claude-sonnet-4-6|claude-(?:opus|sonnet|fable)-5/, maxOutput: 128_000 },
  { match: /claude-(?:sonnet|haiku|opus)-4-5|claude-sonnet-4|claude-3-7-sonnet/, maxOutput: 64_000 },
  { match: /claude-opus-4/, maxOutput: 32_000 },
  { match: /claude-3-5/, maxOutput: 8192 },
  { match: /claude-3-/, maxOutput: 4096 },
  { match: /claude-(?:2|v|instant)/, supports: new Set(["chat", "stream", "files"]) },
  { match: /claude-3-5-haiku/, supports: without("audio", "images", "reasoning") },
  { match: /claude-3-(?:5|haiku|opus|sonnet)/, supports: without("audio", "reasoning") },
  { match: /claude-/, supports: without("audio") }
]

/**
 * Output limits: https://docs.aws.amazon.com/nova/latest/nova2-userguide/request-response-schema.html has 5,000 for the first
 * generation, and https://docs.rs/crate/mixtape-core/latest/source/src/models/nova.rs 65,535 for Nova 2 Lite (both 2026-11-22). Thoughts of
 * Nova 2 come back as "[REDACTED]": https://docs.aws.amazon.com/nova/latest/nova2-userguide/reasoning-capabilities.html (2026-11-22).
 */
const nova: ReadonlyArray<VendorFamily> = [
  { match: /nova-2-lite/, maxOutput: 65_535, supports: without("audio"), hidesReasoning: "asked" },
  { match: /nova-2-(?!.*embed)/, supports: without("audio"), hidesReasoning: "asked" },
  { match: /nova-micro/, maxOutput: 5_000, supports: without("audio", "images", "files", "reasoning") },
  { match: /nova-(?:lite|pro|premier)/, maxOutput: 5_000, supports: without("audio", "reasoning") }
]

/** These show all of their thoughts, as recorded. */
const showing: VendorFamily = {
  match: /deepseek[.-](?:r1|v3)|gpt-oss|qwen|kimi|minimax|glm/,
  hidesReasoning: "never",
  thinksSilently: false
}

export const bedrockFamilies: ReadonlyArray<VendorFamily> = [
  ...claude,
  ...nova,
  showing,
  { match: /deepseek[.-]r1/, supports: new Set(["chat", "stream", "files", "reasoning"]) },
  { match: /gpt-oss|qwen|kimi|minimax|glm|deepseek[.-]v3/, supports: without("audio", "images") },
  { match: /gemma-3/, supports: without("audio", "tools", "reasoning") },
  { match: /titan-text|command-text|command-light|mistral-7b|mixtral/, supports: TEXT },
  { match: /llama3-2-(?:11|90)b|llama4/, supports: without("audio", "json_schema", "reasoning") },
  { match: /llama3-2-[13]b|llama[23]/, supports: without("audio", "images", "json_schema", "reasoning") },
  { match: /pixtral|mistral-large-3/, supports: without("audio", "reasoning") },
  { match: /mistral-(?:large|small)/, supports: without("audio", "images", "reasoning") },
  { match: /command-r|jamba/, supports: without("audio", "images", "json_schema", "reasoning") }
]
