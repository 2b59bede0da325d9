/** Made from openapi.json by `npm run openapi`: change the description there, not this file. */
import type { ProviderKey } from "./Keys.ts"

export interface DeploymentList {
  readonly object: "list"
  /** In the order of the configuration. */
  readonly data: ReadonlyArray<Deployment>
}

/** One model at one provider. */
export interface Deployment {
  readonly id: string
  readonly object: "deployment"
  /** The provider's name in the configuration. */
  readonly provider: string
  /** What the provider is asked for. */
  readonly model: string
  /** The wire language spoken to the provider. */
  readonly protocol: string
  readonly status: "in_rotation" | "out_of_rotation"
  readonly health: Health
  /** Output of its streams after the first token, half of them slower, in the last hour; null: nothing to measure. */
  readonly tokens_per_second_p50: number | null
  /** Failed calls over calls of the last 15 minutes, 0 to 1. Calls whose caller left, or whose request was at fault, count neither way. null: there were none. */
  readonly failure_rate_15m: number | null
  /** Calls of it in the last hour that count, as in `failure_rate_15m`. */
  readonly requests_1h: number
  /** Those of them that failed. */
  readonly failed_1h: number
  /** The provider's keys, in the order of the configuration; empty: it has none. */
  readonly keys: ReadonlyArray<ProviderKey>
  /** The buckets of `auto` that it serves. */
  readonly buckets: ReadonlyArray<string>
  readonly weight: number
  /** Lower is tried first where the order is by priority. */
  readonly priority: number
  /** null: nobody knows. */
  readonly price: Price | null
  /** Tokens of input and output together; null: unknown. */
  readonly context_window: number | null
  readonly max_output_tokens: number | null
  /** What it can do. */
  readonly supports: ReadonlyArray<string>
  /** Requests it is answering now. */
  readonly in_flight: number
  readonly max_in_flight: number | null
}

/** The prices in force now. */
export interface Price {
  /** Input, USD per million tokens. */
  readonly input: number
  /** Input read from the provider's cache, USD per million tokens. */
  readonly cached_input: number
  /** Input written to the provider's cache, USD per million tokens. */
  readonly cache_write: number
  /** Output, USD per million tokens. */
  readonly output: number
  /** Reasoning, USD per million tokens. */
  readonly reasoning: number
  /** Other prices for long requests, by ascending threshold; they then hold for all of the tokens. */
  readonly tiers: ReadonlyArray<{
    /** The tier holds for requests with more input tokens than this. */
    readonly above_input_tokens: number
    /** Input, USD per million tokens. */
    readonly input: number
    /** Input read from the provider's cache, USD per million tokens. */
    readonly cached_input: number
    /** Input written to the provider's cache, USD per million tokens. */
    readonly cache_write: number
    /** Output, USD per million tokens. */
    readonly output: number
    /** Reasoning, USD per million tokens. */
    readonly reasoning: number
  }>
  /** `configuration`, or `catalogue`. */
  readonly source: string
  readonly version: string
}

/** What recent real traffic says of a deployment. It is never called just to see. */
export interface Health {
  /** closed: it is called; open: it is not, for a while; half_open: one request tries it. */
  readonly circuit: "closed" | "open" | "half_open"
  /** When the circuit opened, or closed after it had been open; null: it never was. */
  readonly since: string | null
  readonly consecutive_failures: number
  /** What the circuit goes by: failures over calls of the last 30 s, or since it closed, 0 to 1. See `failure_rate_15m` for people. */
  readonly error_rate: number
  /** Median of whole answers, milliseconds. */
  readonly latency_ms_p50: number | null
  /** 95 % of whole answers took at most this. */
  readonly latency_ms_p95: number | null
  /** Median time to the first token, milliseconds. */
  readonly ttft_ms_p50: number | null
  /** 95 % of streams began within this. */
  readonly ttft_ms_p95: number | null
  readonly last_error: {
    /** RFC 3339 in UTC. */
    readonly at: string
    /** What sort of failure, e.g. `unavailable`, `rate_limited`. */
    readonly class: string
    /** The provider's HTTP status; null: it gave none. */
    readonly status: number | null
    /** The provider's error code, where it gave one. */
    readonly code: string | null
    /** In the gateway's words: what a provider says may quote the caller. */
    readonly message: string
  } | null
}

/** One deployment, or several. */
export interface DeploymentSelection {
  /** The id of a deployment. */
  readonly deployment?: string | undefined
  /** The ids of several: all of them change, or none. */
  readonly deployments?: ReadonlyArray<string> | undefined
}
