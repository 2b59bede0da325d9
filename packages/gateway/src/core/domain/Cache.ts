/** The response cache as the file configures it. Keys and teams may set `CacheRules`. */
import type { cacheModes, cacheNamespaces } from "@model-gateway/protocol"
import type { Quota } from "./Quota.ts"

export const cacheOperations = ["chat", "responses", "messages", "completions", "embeddings", "rerank"] as const

export interface CacheSettings {
  readonly mode: (typeof cacheModes)[number] | "never"
  readonly ttlMs: number
  readonly namespace: (typeof cacheNamespaces)[number]
  /** Whether responses that call the client's functions are stored. */
  readonly toolCalls: boolean
  readonly operations: ReadonlyArray<string>
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
  operations: cacheOperations,
  quota: { all: 1024 * MB, perKey: 128 * MB },
  largestEntry: MB / 4,
  collapseMs: 5_000
}
