/** Made from openapi.json by `npm run openapi`: change the description there, not this file. */

export interface TrafficReport {
  readonly object: "traffic"
  /** Inclusive: what was asked for, down to a whole interval. */
  readonly from: string
  /** Exclusive: what was asked for, up to a whole interval. */
  readonly to: string
  readonly time_zone: string
  /** null: not cut by time. */
  readonly interval: "minute" | "hour" | "day" | null
  readonly total: TrafficTotal
  /** All traffic of the time before that is as long, as far as it is kept. With `compare=true` only. */
  readonly before?: TrafficTotal | undefined
  /** Of all traffic asked for. With `histograms=true` only. */
  readonly histograms?:
    | {
        /** How many whole answers took so long, in classes that grow by a third. None of them is empty. */
        readonly latency_ms: ReadonlyArray<{
          /** Milliseconds, inclusive. */
          readonly from: number
          /** Milliseconds, exclusive. */
          readonly to: number
          readonly count: number
        }>
        /** How many streams began after so long, in classes that grow by a third. None of them is empty. */
        readonly first_token_ms: ReadonlyArray<{
          /** Milliseconds, inclusive. */
          readonly from: number
          /** Milliseconds, exclusive. */
          readonly to: number
          readonly count: number
        }>
        /** How many prompts got such a score from `auto`, in all twenty classes from 0 to 1. */
        readonly scores: ReadonlyArray<{
          /** Inclusive. */
          readonly from: number
          /** Exclusive, but for 1. */
          readonly to: number
          readonly count: number
        }>
      }
    | undefined
  /** In the order of time, then most requests first. Times without traffic have none. */
  readonly rows: ReadonlyArray<TrafficRow>
  /** Whether `rows` was cut at `limit`. The total is of everything. */
  readonly has_more: boolean
}

/** It names the dimensions that were asked for, and no others. */
export interface TrafficRow {
  /** The beginning of the interval, RFC 3339 with the offset of the time zone asked for. */
  readonly start?: string | undefined
  /** The deployment; null: refused before one was chosen. */
  readonly deployment?: string | null | undefined
  /** Its provider. */
  readonly provider?: string | null | undefined
  /** Its model, as the provider is asked for it. */
  readonly model?: string | null | undefined
  /** The bucket of `auto`; `none` where the caller named the model. */
  readonly bucket?: string | null | undefined
  /** The path of the endpoint. */
  readonly endpoint?: string | null | undefined
  /** `true` or `false`. */
  readonly stream?: string | null | undefined
  /** How the request ended, as in its receipt. */
  readonly status?: string | null | undefined
  /** How the attempt ended, as in the receipt, or the code of a refusal before routing. A request counts with its last attempt. With key, team or tag: refusals before routing only. */
  readonly error?: string | null | undefined
  /** The limit that refused it: `rpm`, `tpm`, `parallel` or `budget`. */
  readonly limit?: string | null | undefined
  /** The id of the key; null: requests that were refused before it was known. */
  readonly key?: string | null | undefined
  /** What the key is called now, beside `key`; null: it has no name. */
  readonly key_name?: string | null | undefined
  /** The team; null: keys without one. */
  readonly team?: string | null | undefined
  /** The tag; null: requests without one. A request with several counts in each of them. */
  readonly tag?: string | null | undefined
  /** Requests, refused ones included. Each counts with its last attempt. */
  readonly requests: number
  /** Answered. */
  readonly ok: number
  /** Without an answer, or lost with the process. */
  readonly failed: number
  /** Broken off after the answer had begun. */
  readonly cut: number
  /** The caller left before the end. */
  readonly client_gone: number
  /** By the gateway, before or after routing: a wrong key, a bad request, a limit, a budget, the store. */
  readonly refused: number
  /** (failed + cut) / (ok + failed + cut), 0 to 1: refused requests and those whose caller left count neither way. null: there were none. */
  readonly failure_rate: number | null
  /** Took more than one attempt. */
  readonly retried: number
  /** Calls of deployments. */
  readonly attempts: number
  /** From the beginning to the end of whole answers. */
  readonly latency_ms: Times
  /** To the first content of streams. */
  readonly first_token_ms: Times
  /** What whole answers took beside the calls of providers: the gateway itself, and its pauses between attempts. */
  readonly overhead_ms: {
    /** Half of them; at most 5 % off; null: nothing to measure. */
    readonly p50: number | null
    /** 99 %; at most 5 % off; null: nothing to measure. */
    readonly p99: number | null
  }
  /** Output of streams after the first content. */
  readonly tokens_per_second: {
    /** A tenth was slower than this; at most 5 % off; null: nothing to measure. */
    readonly p10: number | null
    /** Half was slower; at most 5 % off; null: nothing to measure. */
    readonly p50: number | null
  }
  /** Everything read, cached input included. */
  readonly input_tokens: number
  /** The part of it that providers had in their caches. */
  readonly cached_input_tokens: number
  /** Everything produced, reasoning included. */
  readonly output_tokens: number
  /** Of all attempts, USD, as the ledger has it. */
  readonly cost_usd: number
  /** Answers whose price nobody knows: they are no part of `cost_usd`. */
  readonly unpriced: number
  /** What the answers to `auto` would have cost at the first deployment of the strongest bucket, USD. */
  readonly auto_baseline_usd: number
}

/** Milliseconds. */
export interface Times {
  /** Half of them took at most this; at most 5 % off; null: nothing to measure. */
  readonly p50: number | null
  /** 90 %; at most 5 % off; null: nothing to measure. */
  readonly p90: number | null
  /** 95 %; at most 5 % off; null: nothing to measure. */
  readonly p95: number | null
  /** 99 %; at most 5 % off; null: nothing to measure. */
  readonly p99: number | null
  /** The longest, exactly. */
  readonly max: number | null
}

export interface TrafficTotal {
  /** Requests, refused ones included. Each counts with its last attempt. */
  readonly requests: number
  /** Answered. */
  readonly ok: number
  /** Without an answer, or lost with the process. */
  readonly failed: number
  /** Broken off after the answer had begun. */
  readonly cut: number
  /** The caller left before the end. */
  readonly client_gone: number
  /** By the gateway, before or after routing: a wrong key, a bad request, a limit, a budget, the store. */
  readonly refused: number
  /** (failed + cut) / (ok + failed + cut), 0 to 1: refused requests and those whose caller left count neither way. null: there were none. */
  readonly failure_rate: number | null
  /** Took more than one attempt. */
  readonly retried: number
  /** Calls of deployments. */
  readonly attempts: number
  /** From the beginning to the end of whole answers. */
  readonly latency_ms: Times
  /** To the first content of streams. */
  readonly first_token_ms: Times
  /** What whole answers took beside the calls of providers: the gateway itself, and its pauses between attempts. */
  readonly overhead_ms: {
    /** Half of them; at most 5 % off; null: nothing to measure. */
    readonly p50: number | null
    /** 99 %; at most 5 % off; null: nothing to measure. */
    readonly p99: number | null
  }
  /** Output of streams after the first content. */
  readonly tokens_per_second: {
    /** A tenth was slower than this; at most 5 % off; null: nothing to measure. */
    readonly p10: number | null
    /** Half was slower; at most 5 % off; null: nothing to measure. */
    readonly p50: number | null
  }
  /** Everything read, cached input included. */
  readonly input_tokens: number
  /** The part of it that providers had in their caches. */
  readonly cached_input_tokens: number
  /** Everything produced, reasoning included. */
  readonly output_tokens: number
  /** Of all attempts, USD, as the ledger has it. */
  readonly cost_usd: number
  /** Answers whose price nobody knows: they are no part of `cost_usd`. */
  readonly unpriced: number
  /** What the answers to `auto` would have cost at the first deployment of the strongest bucket, USD. */
  readonly auto_baseline_usd: number
}
