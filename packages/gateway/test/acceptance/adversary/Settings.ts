/** The configuration of the gateway under attack: what a careful operator writes for these models. */
import type { JsonObject } from "../../../src/core/domain/Json.ts"
import { type Model, models } from "./Models.ts"
import { services } from "./Services.ts"

/** Where each provider listens; the ways of the vendors themselves when left out. */
export type Addresses = { readonly [provider: string]: string }

export const addresses: Addresses = {
  openai: "https://api.openai.com/v1",
  anthropic: "https://api.anthropic.com/v1",
  google: "https://generativelanguage.googleapis.com/v1beta/openai",
  thinks: "http://thinks.test/v1",
  quiet: "http://quiet.test/v1",
  small: "http://small.test/v1"
}

export interface Configured {
  readonly providers: { readonly [name: string]: JsonObject }
  readonly deployments: ReadonlyArray<string | JsonObject>
}

/** Each service is a provider of its own. */
export const serviceAddresses: Addresses = Object.fromEntries(
  services.map(({ provider }) => [provider, `http://${provider}.test/v1`])
)

export const withServices = ({ deployments, providers }: Configured): Configured => ({
  providers: {
    ...providers,
    ...Object.fromEntries(
      services.map(({ provider, settings }) => [
        provider,
        // Signed requests have keys of their own.
        { base_url: serviceAddresses[provider], ...("region" in settings ? {} : { api_key: "test" }), ...settings }
      ])
    )
  },
  deployments: [
    ...deployments,
    ...services.map(({ deployment, model, provider }) => ({ provider, model, ...deployment }))
  ]
})

const known = new Set(["openai", "anthropic"])

export const configured = (at: Addresses = addresses): Configured => ({
  providers: Object.fromEntries(
    Object.entries(at).map(([name, base_url]) => [
      name,
      known.has(name) ? { api_key: "test", base_url } : { protocol: "openai-chat", base_url, ...ofOthers(name) }
    ])
  ),
  deployments: models.map(deployment)
})

/** Google goes on with plain calls, as the other large vendors do. */
const ofOthers = (name: string): JsonObject => ({
  api_key: "none",
  ...(name === "google" ? { bills_after_disconnect: "plain" } : {})
})

/** Servers of one's own count text as o200k does here: their operator says so, with room to spare. */
const OWN_TOKENIZER = { tokens_per_o200k: 1.5 }

const deployment = ({ id, maxOutput, model, prices, provider, thinks, window }: Model): string | JsonObject => {
  const { audioInput, audioOutput, input, output, search } = prices.default
  const hasOwnPrice = !known.has(provider) || audioInput !== undefined || search !== undefined
  if (!hasOwnPrice || provider === "anthropic") return id
  // A model that searches in each call costs its fee in each; USD for 1,000.
  const fee = search === undefined ? {} : { request_fee: search * 1000 }
  const audio = {
    ...(audioInput === undefined ? {} : { audio_input: audioInput }),
    ...(audioOutput === undefined ? {} : { audio_output: audioOutput })
  }
  return {
    provider,
    model,
    price: { input, output, ...audio, ...fee },
    context_window: window,
    // Of a server of one's own nobody but its operator knows its tokenizer, and whether it thinks.
    bounds: {
      ...(known.has(provider) || provider === "google" ? {} : OWN_TOKENIZER),
      ...(thinks === "no" ? { reasoning_tokens: 0 } : {})
    },
    // Of the server with small outputs nobody knows the limit.
    ...(provider === "small" ? {} : { max_output_tokens: maxOutput })
  }
}
