/** The configuration of the gateway under attack: what a careful operator writes for these models. */
import type { JsonObject } from "../../../src/core/ChatRequest.ts"
import { type Model, models } from "./Models.ts"

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

const known = new Set(["openai", "anthropic"])

/** `audio`: whether this gateway's configuration has prices of audio. */
export const configured = (at: Addresses = addresses, audio = true): Configured => ({
  providers: Object.fromEntries(
    Object.entries(at).map(([name, base_url]) => [
      name,
      known.has(name) ? { api_key: "test", base_url } : { protocol: "openai-chat", base_url, api_key: "none" }
    ])
  ),
  deployments: models.map((model) => deployment(model, audio))
})

const deployment = (model: Model, withAudio: boolean): string | JsonObject => {
  const { id, maxOutput, model: name, prices, provider, window } = model
  const { audioInput, audioOutput, input, output } = prices.default
  if (known.has(provider) && audioInput === undefined) return id
  const audio = withAudio && {
    ...(audioInput === undefined ? {} : { audio_input: audioInput }),
    ...(audioOutput === undefined ? {} : { audio_output: audioOutput })
  }
  return {
    provider,
    model: name,
    price: { input, output, ...audio },
    context_window: window,
    // Of the server with small outputs nobody knows the limit.
    ...(provider === "small" ? {} : { max_output_tokens: maxOutput })
  }
}
