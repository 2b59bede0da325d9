/** The guardrail of a provider's configuration, for each of its requests. Callers can't choose or leave out one: it costs money. */
import type { Deployment } from "../../../core/domain/Deployment.ts"
import type { JsonObject } from "../../../core/domain/Json.ts"

const configured = ({ options }: Pick<Deployment, "options">) => {
  const id = options?.shown["guardrail"]
  return id === undefined ? undefined : { id, version: options?.shown["guardrail_version"] ?? "DRAFT" }
}

/** `guardrailConfig` of Converse. A stream is held back until a piece of it was checked. */
export const guardrailOf = (deployment: Pick<Deployment, "options">, streams: boolean): JsonObject | undefined => {
  const found = configured(deployment)
  if (found === undefined) return undefined
  const mode = streams ? { streamProcessingMode: "sync" } : {}
  return { guardrailIdentifier: found.id, guardrailVersion: found.version, ...mode }
}

export const guardrailHeaders = (deployment: Pick<Deployment, "options">): { readonly [name: string]: string } => {
  const found = configured(deployment)
  return found === undefined
    ? {}
    : { "x-amzn-bedrock-guardrailidentifier": found.id, "x-amzn-bedrock-guardrailversion": found.version }
}
