/** The response cache as it is configured, by the file, a team and a key. */
import type { Quota } from "./Quota.ts"

export const cacheModes = ["off", "on_request", "on"] as const
export const cacheNamespaces = ["key", "team"] as const
export const cacheOperations = ["chat", "responses", "messages", "completions", "embeddings", "rerank"] as const

/** Seconds: 30 days. */
export const LONGEST_TTL = 30 * 24 * 3_600

/** What a key or team sets. What is left out holds as its team or the file says. */
export interface CacheRules {
  readonly mode?: (typeof cacheModes)[number]
  readonly ttlMs?: number
  readonly namespace?: (typeof cacheNamespaces)[number]
  /** Whether responses that call the client's functions are stored. */
  readonly toolCalls?: boolean
}

export interface CacheSettings extends Required<Omit<CacheRules, "mode">> {
  readonly mode: (typeof cacheModes)[number] | "never"
  readonly operations: ReadonlySet<string>
  readonly quota: Quota
  /** Bytes. */
  readonly largestEntry: number
  /** How long an equal request waits for the first one. */
  readonly collapseMs: number
}

const MB = 1024 * 1024

/** Where nothing is configured. */
export const defaultCache: CacheSettings = {
  mode: "off",
  ttlMs: 3_600_000,
  namespace: "key",
  toolCalls: false,
  operations: new Set(cacheOperations),
  quota: { all: 1024 * MB, perKey: 128 * MB },
  largestEntry: MB / 4,
  collapseMs: 5_000
}
