/** What a response used: its tokens, and the vendor's own tools. */
import { ProviderFailure } from "../../../../core/domain/Failures.ts"
import { containerCost, toolsIn } from "../../../../core/bounds/HostedTools.ts"
import type { Usage } from "../../../../core/domain/Usage.ts"
import type { UpstreamCall } from "../../../../core/pool/Protocol.ts"
import { usageOf } from "../answer/OpenAiChatUsage.ts"
import { failureOfErrorObject } from "../OpenAiErrors.ts"
import { countOf, isObject, objectOr, objectsIn, type JsonObject } from "../../../json/LooseJson.ts"

export const responseUsage = (response: JsonObject, call: UpstreamCall): Usage | undefined => {
  const told = response["usage"]
  if (!isObject(told)) return undefined
  const usage = usageOf({
    ...told,
    prompt_tokens: told["input_tokens"],
    completion_tokens: told["output_tokens"],
    prompt_tokens_details: objectOr(told["input_tokens_details"]),
    completion_tokens_details: objectOr(told["output_tokens_details"])
  })
  if (usage === undefined) return undefined
  const output = objectsIn(response["output"])
  const tools = objectOr(response["tool_usage"])
  const pictures = objectOr(tools["image_gen"])
  return {
    ...usage,
    // Made by another model, and billed beside the tokens of this one.
    imageInput: usage.imageInput + countOf(pictures["input_tokens"]),
    imageOutput: usage.imageOutput + countOf(pictures["output_tokens"]),
    webSearches: Math.max(
      usage.webSearches,
      countOf(objectOr(tools["web_search"])["num_requests"]) || searches(output)
    ),
    fileSearches: ofType(output, "file_search_call").length,
    codeExecutions: containers(output, call) * containerCost(call.request.body)
  }
}

const containers = (output: ReadonlyArray<JsonObject>, call: UpstreamCall): number => {
  const used = [
    ...ofType(output, "code_interpreter_call").map((item) => item["container_id"]),
    ...ofType(output, "shell_call").flatMap(({ environment }) => objectOr(environment)["container_id"] ?? [])
  ]
  return Math.max(new Set(used).size, startsContainer(call) ? 1 : 0)
}

/**
 * OpenAI starts a container before the model has asked for one, and bills it all the same: https://community.openai.com/t/1364328
 * (2026-11-22).
 */
const startsContainer = ({ deployment, request }: UpstreamCall): boolean =>
  deployment.vendor === "openai" &&
  toolsIn(request.body).some(
    ([, tool]) =>
      isObject(tool) &&
      ((tool["type"] === "code_interpreter" && typeof tool["container"] !== "string") ||
        (tool["type"] === "shell" && isObject(tool["environment"]) && tool["environment"]["type"] === "container_auto"))
  )

const ofType = (output: ReadonlyArray<JsonObject>, type: string): ReadonlyArray<JsonObject> =>
  output.filter((item) => item["type"] === type)

/** Opening a page and looking into it are not billed: https://platform.openai.com/docs/guides/tools-web-search (2026-11-22). */
const searches = (output: ReadonlyArray<JsonObject>): number =>
  ofType(output, "web_search_call").filter((item) => (objectOr(item["action"])["type"] ?? "search") === "search").length

/** Codes that say what is wrong with the request. The others are the provider's own trouble. */
const OF_REQUEST = /^(?:invalid_|empty_image|image_|unsupported_image|failed_to_download|bio_policy)/

/** The failure in a response with `status: "failed"`. What it used all the same is billed. */
export const failedResponse = (response: JsonObject, call: UpstreamCall): ProviderFailure => {
  const error = response["error"] as JsonObject | null | undefined
  const isOfRequest = typeof error?.["code"] === "string" && OF_REQUEST.test(error["code"])
  const failure = failureOfErrorObject(error, isOfRequest ? "bad_request" : "unavailable")
  const usage = responseUsage(response, call)
  return usage === undefined ? failure : new ProviderFailure({ ...failure, message: failure.message, usage })
}
