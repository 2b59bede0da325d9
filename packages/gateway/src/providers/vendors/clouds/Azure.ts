/**
 * Azure OpenAI, and the other models of a Foundry resource. Without `api_version` its v1 API is called, where a deployment's name
 * stands in the body; with one the dated API, where it stands in the path.
 */
import type { ProviderOptions } from "../../../core/domain/ProviderOptions.ts"
import type { Vendor } from "../../../core/pool/Vendor.ts"
import { azureAuth, entraSettings } from "../../auth/Entra.ts"
import { compatibleQuirks, LEAST_OUTPUT, notesOf, otherVendorsFields, servedOf } from "../CompatibleVendors.ts"
import { openAiBounds } from "../OpenAiBounds.ts"

const SERVES = "chat responses completions embeddings images image_edits transcriptions translations speech".split(" ")

const DATED_SERVES = SERVES.filter((operation) => operation !== "responses")

/**
 * Before it, a request with `stream_options` is refused (https://www.github.com/songquanpeng/one-api/issues/1423 and
 * https://learn.microsoft.com/en-us/answers/questions/2007680, read 2026-11-22).
 */
const TELLS_STREAM_USAGE = "2024-09-01"

const versionOf = (options: ProviderOptions | undefined): string | undefined => options?.shown["api_version"]

/** An endpoint as the portal shows it, or with the path of either API. */
const resourceOf = (baseUrl: string): string => baseUrl.replace(/\/+$/, "").replace(/\/openai(?:\/v1)?$/, "")

export const Azure: Vendor = {
  ...notesOf("azure"),
  protocol: "openai-chat",
  baseUrl: "https://{resource}.openai.azure.com",
  apiKeyVariable: "AZURE_OPENAI_API_KEY",
  settings: [
    { name: "resource", what: "the name of the Azure OpenAI resource", variable: "AZURE_OPENAI_RESOURCE" },
    { name: "api_version", what: "a dated version of the API (2024-10-21)", variable: "OPENAI_API_VERSION" },
    ...entraSettings
  ],
  serves: SERVES,
  operations: (_model, options, facts) => servedOf(versionOf(options) === undefined ? SERVES : DATED_SERVES, facts),
  addressOf: ({ baseUrl, model, options }) => {
    const version = versionOf(options)
    const resource = resourceOf(baseUrl)
    return version === undefined
      ? { baseUrl: `${resource}/openai/v1` }
      : {
          baseUrl: `${resource}/openai/deployments/${encodeURIComponent(model)}`,
          query: `api-version=${encodeURIComponent(version)}`
        }
  },
  // Closing a stream stops it: the last source, "Stream cancellation".
  billsAfterDisconnect: "plain",
  quirks: (_model, options, facts) => ({
    leastOutput: LEAST_OUTPUT,
    topLevelObjects: true,
    refuses: otherVendorsFields,
    ...compatibleQuirks(facts),
    ...((versionOf(options) ?? TELLS_STREAM_USAGE) < TELLS_STREAM_USAGE ? { tellsNoStreamUsage: true } : {})
  }),
  bounds: openAiBounds,
  auth: azureAuth,
  // Its list has the models that a resource may deploy, not those that it has deployed.
  modelList: { path: "/models", namesOthers: true }
}
