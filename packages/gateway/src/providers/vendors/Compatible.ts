/** A vendor that speaks OpenAI's protocol at another address. Fields that are left out get the defaults of such servers. */
import type { Quirks } from "../../core/domain/Deployment.ts"
import type { OperationName } from "../../core/domain/OperationName.ts"
import type { Source, Vendor } from "../../core/pool/Vendor.ts"
import { bearer } from "../auth/Static.ts"
import { compatibleBounds } from "./CompatibleBounds.ts"
import { everyonesFamilies, operationsByName } from "./Families.ts"

/** The least `max_output_tokens` of OpenAI's Responses: https://github.com/openclaw/openclaw/issues/138825 (2026-11-27). */
export const LEAST_OUTPUT = 16

/** Whisper alone knows when each piece was said. */
export const timesTranscripts = (model: string): boolean => /whisper/i.test(model)

export const compatibleQuirks = (model: string): Quirks => ({
  ...imageQuirks(model),
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
