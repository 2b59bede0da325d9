/** Facts about model families, whichever vendor serves them, and how a vendor's families are read. */
import { capabilities, type Capability } from "../../core/domain/Deployment.ts"
import type { OperationName } from "../../core/domain/OperationName.ts"
import type { Vendor, VendorFamily } from "../../core/pool/Vendor.ts"

/** Everything a chat model can do but what is left out. */
export const without = (...left: ReadonlyArray<Capability>): ReadonlySet<Capability> =>
  new Set(capabilities.filter((capability) => capability !== "embeddings" && !left.includes(capability)))

const VECTORS: ReadonlySet<Capability> = new Set(["embeddings"])

/** A model for embeddings can be recognised only by its name. */
export const vectorModels: VendorFamily = { match: /embed|minilm|(?:^|[/-])(?:bge|e5|gte|voyage)-/i, supports: VECTORS }

/**
 * Models that think for minutes and send nothing meanwhile: OpenAI's reasoning models and similar ones. A model that streams its
 * thoughts is not one.
 */
const silentThinkers: VendorFamily = {
  match:
    /(?:^|[/.:-])(?:o[1-9](?!\w)|gpt-[5-9](?!.*chat)|grok-4|grok-3-mini|magistral|qwq|r1(?!\w)|reasoner|deep-research)|reasoning|thinking/,
  thinksSilently: true,
  hidesReasoning: "always"
}

/**
 * Output limits that these vendors refuse to exceed, for requests that have to be given one.
 * https://api-docs.deepseek.com/quick_start/pricing and github.com/deepseek-ai/DeepSeek-V3/issues/69 (2026-11-22).
 */
const outputLimits: ReadonlyArray<VendorFamily> = [
  { match: /deepseek-chat/i, assumedMaxOutput: 8_192 },
  { match: /deepseek-reasoner/i, assumedMaxOutput: 65_536 },
  // https://github.com/anomalyco/opencode/issues/1000 (2026-11-22): Groq's.
  { match: /kimi-k2-instruct/i, assumedMaxOutput: 16_384 },
  { match: /llama-?3\.1-8b-instant/i, assumedMaxOutput: 8_000 }
]

/** Added after a vendor's own families: resellers serve all of these. */
export const everyonesFamilies: ReadonlyArray<VendorFamily> = [silentThinkers, ...outputLimits, vectorModels]

/** The first matching family that has the fact; undefined: it is unknown. */
export const factOf = <Fact extends Exclude<keyof VendorFamily, "match">>(
  { families }: Pick<Vendor, "families">,
  model: string,
  fact: Fact
): VendorFamily[Fact] | undefined =>
  families.find((family) => family[fact] !== undefined && family.match.test(model))?.[fact]

/** What kinds of models other than chat models are called, whoever serves them. The first match counts. */
const NAMED: ReadonlyArray<readonly [match: RegExp, operations: ReadonlyArray<OperationName>]> = [
  [/rerank/i, ["rerank"]],
  [vectorModels.match, ["embeddings"]],
  [/moderation/i, ["moderations"]],
  [/whisper|transcribe/i, ["transcriptions", "translations"]],
  [/(?:^|[/-])tts(?:-|$)|speech/i, ["speech"]],
  [/dall-e-3|imagen/i, ["images"]],
  [/gpt-image/i, ["images", "image_edits"]],
  [/dall-e|flux|stable-diffusion|^picture$/i, ["images", "image_edits", "image_variations"]],
  [/gpt-3\.5-turbo-instruct|babbage|davinci/i, ["completions"]]
]

/** The operations of a model by its name; `chat`: those of a model that is none of the known kinds. */
export const operationsByName = (model: string, chat: ReadonlyArray<OperationName>): ReadonlyArray<OperationName> =>
  NAMED.find(([match]) => match.test(model))?.[1] ?? chat
