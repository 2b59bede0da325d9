/**
 * Attributes of OpenTelemetry's GenAI conventions (their own repository since 1.42, state of November 2026; status: development) and of
 * the general and HTTP conventions 1.41.1, for what receipts know.
 */
import type { Usage } from "@model-gateway/gateway/internal/core/domain/Usage"
import type { Receipt, ReceiptAttempt } from "@model-gateway/gateway/internal/core/receipts/Receipt"
import { conventionOf, genAiOperation } from "@model-gateway/gateway/internal/telemetry/Conventions"

type Attributes = Readonly<Record<string, unknown>>

export const requestOf = ({ endpoint, parameters = {}, stream }: Receipt): Attributes => ({
  "gen_ai.operation.name": genAiOperation(endpoint),
  "gen_ai.output.type": conventionOf(endpoint).output,
  "gen_ai.request.stream": stream ? true : undefined,
  "gen_ai.request.max_tokens": parameters.maxTokens,
  "gen_ai.request.temperature": parameters.temperature,
  "gen_ai.request.top_p": parameters.topP,
  "gen_ai.request.top_k": parameters.topK,
  "gen_ai.request.frequency_penalty": parameters.frequencyPenalty,
  "gen_ai.request.presence_penalty": parameters.presencePenalty,
  "gen_ai.request.seed": parameters.seed,
  "gen_ai.request.choice.count": parameters.choices
})

export const responseOf = ({ answer, model }: ReceiptAttempt): Attributes => ({
  "gen_ai.response.id": answer?.id,
  "gen_ai.response.model": answer?.model ?? model,
  "gen_ai.response.finish_reasons":
    answer === undefined || answer.finishReasons.length === 0 ? undefined : answer.finishReasons
})

const DEFAULT_PORTS: Readonly<Record<string, number>> = { "http:": 80, "https:": 443 }

export const serverOf = (baseUrl: string | undefined): Attributes => {
  const url = baseUrl === undefined ? null : URL.parse(baseUrl)
  if (url === null || url.hostname === "") return {}
  return {
    "server.address": url.hostname,
    "server.port": url.port === "" ? DEFAULT_PORTS[url.protocol] : Number(url.port)
  }
}

export const cacheWrites = ({ cacheWrite, cacheWrite1h, cacheWrite12h }: Usage): number =>
  cacheWrite + (cacheWrite1h ?? 0) + (cacheWrite12h ?? 0)

/** The gateway's own status, where the receipt decides it: a stream that broke off had begun with 200. */
export const answeredWith = ({ status, stream }: Receipt): number | undefined =>
  status === "ok" || (status === "cut" && stream) ? 200 : undefined
