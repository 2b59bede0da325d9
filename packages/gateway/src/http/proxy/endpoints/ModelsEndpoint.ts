/** `GET /v1/models` and `/v1/models/{id}`: what the key may use, in the shape of OpenAI, Anthropic or Google. */
import { Clock, Effect } from "effect"
import type { Capability, Deployment } from "../../../core/domain/Deployment.ts"
import { priceKey, pricedPer, type Rates } from "../../../core/domain/pricing/Pricing.ts"
import { usageClasses } from "../../../core/domain/Usage.ts"
import { operationNames } from "../../../core/domain/OperationName.ts"
import { ModelNotFound } from "../../../core/domain/Errors.ts"
import { nearestNames } from "../../../core/collections/NearestNames.ts"
import { ProviderPool } from "../../../core/pool/ProviderPool.ts"
import type { ModelEntry } from "../../../core/routing/ModelNames.ts"
import { Router } from "../../../core/routing/Router.ts"
import { errorsFor, isAnthropic } from "../../errors/AnthropicErrorShape.ts"
import { isGoogle } from "../../errors/GoogleErrorShape.ts"
import { type Endpoint, json } from "../../routing/Endpoint.ts"
import { anthropicList, anthropicModel, googleModel } from "./AnthropicModelsEndpoint.ts"
import { codexModel } from "./CodexModels.ts"

const makeCard = Effect.gen(function* () {
  const pool = yield* ProviderPool

  return (entry: ModelEntry, now: number) => {
    const { deployments } = entry
    const rates = deployments[0]?.price?.ratesAt(now).base
    const windows = deployments.flatMap((deployment) => deployment.contextWindow ?? [])
    const operations = operationNames.filter((name) =>
      deployments.some((deployment) => pool.operations(deployment).has(name))
    )
    const known = entry.kind === "auto" ? undefined : rates
    const facts = deployments.length === 1 ? deployments[0]!.facts : undefined
    const outputs = deployments.flatMap((deployment) => deployment.maxOutputTokens ?? [])
    return {
      id: entry.id,
      object: "model",
      created: 0,
      owned_by: deployments.length === 1 ? deployments[0]!.provider : "model-gateway",
      name: entry.id,
      context_length: windows.length === 0 ? null : Math.max(...windows),
      architecture: { input_modalities: modalities(deployments), output_modalities: written(operations) },
      pricing: known === undefined ? null : { prompt: perToken(known.input), completion: perToken(known.output) },
      ...(facts?.shutdown?.on === undefined ? {} : { expiration_date: facts.shutdown.on }),
      supported_parameters: supportedParameters(deployments),
      gateway: {
        kind: entry.kind,
        bucket: entry.bucket,
        deployments: deployments.map((deployment) => deployment.id),
        context_window: windows.length === 0 ? null : Math.max(...windows),
        max_output_tokens: outputs.length === 0 ? null : Math.max(...outputs),
        price: known === undefined ? null : priceOf(known),
        ...(facts?.reasoning?.efforts === undefined
          ? {}
          : { reasoning: { efforts: facts.reasoning.efforts, default: facts.reasoning.default ?? null } }),
        operations,
        modalities: modalities(deployments),
        health: deployments.some((one) => pool.isInRotation(one.id) && pool.isReady(one.id, now)) ? "ok" : "unavailable"
      }
    }
  }
})

export const modelsEndpoint = Effect.gen(function* () {
  const router = yield* Router
  const card = yield* makeCard
  return {
    method: "GET",
    path: "/v1/models",
    handle: (request, caller) =>
      Effect.map(Clock.currentTimeMillis, (now) => {
        const entries = router.models(caller)
        const data = entries.map((entry) => card(entry, now))
        if (isAnthropic(request.headers)) return json(anthropicList(data))
        if (isGoogle(request)) return json({ models: data.map(googleModel) })
        const models = data.flatMap((one, index) =>
          one.gateway.operations.includes("responses") ? [codexModel(one, entries[index]!.deployments, index)] : []
        )
        return json({ object: "list", data, models })
      }),
    errors: errorsFor
  } satisfies Endpoint
})

export const modelEndpoint = Effect.gen(function* () {
  const router = yield* Router
  const card = yield* makeCard
  const handle: Endpoint["handle"] = Effect.fnUntraced(function* (request, caller) {
    const id = request.params["id"]!
    const entries = router.models(caller)
    const entry = entries.find((one) => one.id === id)
    if (entry !== undefined) {
      const found = card(entry, yield* Clock.currentTimeMillis)
      const shape = isAnthropic(request.headers) ? anthropicModel : isGoogle(request) ? googleModel : undefined
      return json(shape?.(found) ?? found)
    }
    return yield* new ModelNotFound({
      model: id,
      nearest: nearestNames(
        id,
        entries.map((one) => one.id)
      )
    })
  })
  return { method: "GET", path: "/v1/models/{id}", handle, errors: errorsFor } satisfies Endpoint
})

/** Pico-USD per token are micro-USD per million tokens. */
const PICO_PER_MILLION = 1_000_000

/** USD per million tokens, and what else has a price, as the configuration's `price` has it. What has no price is null. */
const priceOf = (rates: Rates) => ({
  input: perMillion(rates.input),
  cached_input: perMillion(rates.cachedInput),
  output: perMillion(rates.output),
  ...Object.fromEntries(
    usageClasses.flatMap(({ name, unit }) =>
      unit === "token" || !(rates[name] > 0) ? [] : [[priceKey(name), (rates[name] * pricedPer[unit]) / PICO_PER_USD]]
    )
  )
})

const perMillion = (pico: number): number | null => (Number.isNaN(pico) ? null : pico / PICO_PER_MILLION)

/** In USD, as OpenRouter writes it: a decimal without an exponent. */
const perToken = (pico: number): string | null =>
  Number.isNaN(pico) ? null : (pico / PICO_PER_USD).toFixed(12).replace(/\.?0+$/, "")

const PICO_PER_USD = 1_000_000_000_000

const written = (operations: ReadonlyArray<string>): ReadonlyArray<string> => {
  const has = (name: string) => operations.includes(name)
  const kinds: ReadonlyArray<readonly [kind: string, isWritten: boolean]> = [
    ["text", has("chat") || has("transcriptions") || has("completions") || has("responses")],
    ["image", has("images")],
    ["audio", has("speech")],
    ["embeddings", has("embeddings")]
  ]
  return kinds.flatMap(([kind, isWritten]) => (isWritten ? [kind] : []))
}

const modalities = (deployments: ReadonlyArray<Deployment>) => [
  "text",
  ...(deployments.some((one) => one.supports.has("images")) ? ["image"] : []),
  ...(deployments.some((one) => one.supports.has("audio")) ? ["audio"] : [])
]

/** For each capability the request fields that need it, in the words of other gateways. */
const parameters: ReadonlyArray<readonly [Capability, ReadonlyArray<string>]> = [
  ["tools", ["tools", "tool_choice"]],
  ["json_schema", ["response_format", "structured_outputs"]],
  ["reasoning", ["reasoning_effort"]]
]

/** One capable deployment is enough: a request with the field is sent only there. An effort is optional for the others. */
const supportedParameters = (deployments: ReadonlyArray<Deployment>) =>
  parameters.flatMap(([capability, names]) => (deployments.some((one) => one.supports.has(capability)) ? names : []))
