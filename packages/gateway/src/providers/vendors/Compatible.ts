/** A vendor that speaks OpenAI's protocol at another address. Fields that are left out get the defaults of such servers. */
import type { Quirks } from "../../core/domain/Deployment.ts"
import type { OperationName } from "../../core/domain/OperationName.ts"
import type { Source, Vendor } from "../../core/pool/Vendor.ts"
import { bearer } from "../auth/Static.ts"
import { compatibleBounds } from "./CompatibleBounds.ts"
import { everyonesFamilies, operationsByName } from "./Families.ts"

/** OpenAI's models that refuse `max_tokens`, whoever resells them: the o-series, and everything since gpt-5. */
export const NEEDS_COMPLETION_TOKENS = /^(?:openai\/|ft:)?(?:o\d|gpt-[5-9]|codex)/

/**
 * OpenAI's models that always reason take only the defaults of the sampling parameters
 * (https://zenn.dev/headwaters/articles/a5468c45ec2e52, https://community.openai.com/t/1341049, read 2026-11-22). From gpt-5.1 on it
 * depends on the effort that is asked for (https://github.com/vercel/ai/issues/10932, read 2026-11-22).
 */
const ALWAYS_REASONS = /^(?:openai\/)?(?:o[134](?:-(?:mini|pro))?|gpt-5(?:-(?:mini|nano|pro))?)(?:-\d{4}-\d\d-\d\d)?$/

const DEFAULT_SAMPLING: Quirks = {
  ranges: { temperature: [1, 1], top_p: [1, 1], presence_penalty: [0, 0], frequency_penalty: [0, 0] },
  refuses: ["logprobs", "top_logprobs", "logit_bias"]
}

export const reasoningQuirks = (model: string): Quirks => (ALWAYS_REASONS.test(model) ? DEFAULT_SAMPLING : {})

/**
 * The efforts that OpenAI's models take, whoever resells them; of later ones than these nobody knows. Since gpt-5.1:
 * https://learn.microsoft.com/en-us/javascript/api/@azure/ai-projects/reasoningeffort; the o-series:
 * https://docs.rs/openai-tools/3.0.0/openai_tools/responses/request/enum.ReasoningEffort.html; minimal of gpt-5 alone:
 * https://github.com/router-for-me/CLIProxyAPI/pull/249; gpt-oss: as `@ai-sdk/groq` 4.0.84 sends them. All read 2026-11-22.
 */
const EFFORTS: ReadonlyArray<readonly [model: RegExp, efforts: ReadonlyArray<string>]> = [
  [/gpt-oss/, ["low", "medium", "high"]],
  [/(?:^|\/)o[134](?:-mini)?(?:-\d{4}|$)/, ["low", "medium", "high"]],
  [/(?:^|\/)gpt-5-pro/, ["high"]],
  [/(?:^|\/)gpt-5(?:-mini|-nano)?(?:-\d{4}|$)/, ["minimal", "low", "medium", "high"]],
  [/(?:^|\/)gpt-5\.1(?:-\d{4}|$)/, ["none", "low", "medium", "high"]]
]

export const effortQuirks = (model: string): Quirks => {
  const efforts = EFFORTS.find(([match]) => match.test(model))?.[1]
  return efforts === undefined ? {} : { efforts }
}

/** Whisper alone knows when each piece was said. */
export const timesTranscripts = (model: string): boolean => /whisper/i.test(model)

export const compatibleQuirks = (model: string): Quirks => ({
  outputLimit: NEEDS_COMPLETION_TOKENS.test(model) ? "max_completion_tokens" : "max_tokens",
  ...imageQuirks(model),
  ...reasoningQuirks(model),
  ...effortQuirks(model),
  ...(timesTranscripts(model) ? { timesTranscripts: true } : {})
})

/** OpenAI's newer models for images, whoever resells them: https://developers.openai.com/api/docs/api-reference/images (2026-11-22). */
export const imageQuirks = (model: string): Quirks => (/gpt-image/.test(model) ? { onlyInlineImages: true } : {})

/** Tokens a second. */
const SERVER_RATE = 400

/** All of these a model that chats may have; the others a model of another kind. */
const CHATTING: ReadonlySet<OperationName> = new Set(["chat", "responses", "messages", "completions"])

/** What `serves` names has, by the kind of model that its name tells. */
export const servedOf =
  (serves: ReadonlyArray<OperationName>) =>
  (model: string): ReadonlyArray<OperationName> => {
    const chat = serves.filter((operation) => CHATTING.has(operation))
    return operationsByName(model, chat).filter((operation) => serves.includes(operation))
  }

/** Of a server of which nothing is known: whether it also has Responses or Completions, the configuration says. */
const unknownOperations = (model: string): ReadonlyArray<OperationName> => operationsByName(model, ["chat"])

export const compatible = (vendor: Pick<Vendor, "name" | "baseUrl"> & Partial<Vendor>): Vendor => ({
  protocol: "openai-chat",
  apiKeyVariable: undefined,
  starterModels: [],
  billsAfterDisconnect: "none",
  bounds: compatibleBounds,
  auth: bearer,
  operations: vendor.serves === undefined ? unknownOperations : servedOf(vendor.serves),
  quirks: compatibleQuirks,
  families: everyonesFamilies,
  assumedRate: SERVER_RATE,
  ...vendor
})

/** The quirks that all such servers have, and those of one. */
export const withQuirks =
  (own: Quirks) =>
  (model: string): Quirks => ({ ...compatibleQuirks(model), ...own })

/** Pages that were read on one day. */
export const readOn = (day: string, ...urls: ReadonlyArray<string>): ReadonlyArray<Source> =>
  urls.map((url) => ({ url, read: day }))
