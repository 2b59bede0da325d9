/**
 * `server`, `logs`, `store`, `receipts` and `failover`: how the gateway itself runs.
 */
import { isIP } from "node:net"
import {
  loggedRequests,
  logFormats,
  metricsAccess,
  orders,
  type FailoverSettings,
  type LogSettings,
  type Settings
} from "../../core/domain/Settings.ts"
import { abandonedRules } from "../../core/domain/AbandonedRule.ts"
import { beside } from "../Paths.ts"
import { Fields, list, type Here, type Reader } from "../Reader.ts"
import { DAY_MS, duration, durationOrOff, integer, oneOf, positive, span, text, yesOrNo } from "../Scalars.ts"

const BYTES_PER_MB = 1024 * 1024
const LARGEST_BODY_MB = 1024

/** Port 0: any free one. */
export const readServer = (here: Here): Settings["server"] => {
  const fields = new Fields(here, [
    "host",
    "port",
    "max_body_mb",
    "shutdown_grace",
    "stalled_client",
    "early_keepalive",
    "headers_timeout",
    "request_timeout",
    "trusted_proxies",
    "auth_failures_per_minute",
    "metrics"
  ])
  return {
    host: fields.get("host", text("a host name or address to listen on")) ?? "127.0.0.1",
    port: fields.get("port", integer({ from: 0, to: 65_535 })) ?? 4100,
    maxBodyBytes: Math.round((fields.get("max_body_mb", positive(LARGEST_BODY_MB)) ?? 10) * BYTES_PER_MB),
    shutdownGraceMs: fields.get("shutdown_grace", duration(0)) ?? 300_000,
    stalledClientMs: fields.get("stalled_client", duration(1)) ?? 60_000,
    earlyKeepaliveMs: fields.get("early_keepalive", durationOrOff(100)) || undefined,
    headersTimeoutMs: fields.get("headers_timeout", duration(100)) ?? 20_000,
    requestTimeoutMs: fields.get("request_timeout", duration(100)) ?? 120_000,
    trustedProxies: fields.get("trusted_proxies", list(NETWORK, network, { mayBeEmpty: true })) ?? [],
    authFailuresPerMinute: fields.get("auth_failures_per_minute", integer({ from: 1, to: 1_000_000 })) ?? 20,
    metrics: fields.get("metrics", oneOf("an access to /metrics", metricsAccess)) ?? "public"
  }
}

export const readLogs = (here: Here): LogSettings => {
  const fields = new Fields(here, ["requests", "format"])
  return {
    requests: fields.get("requests", oneOf("a choice of requests to log", loggedRequests)) ?? "errors",
    format: fields.get("format", oneOf("a format of log lines", logFormats)) ?? "text"
  }
}

const NETWORK = "an address or a network such as 10.0.0.0/8 or fd00::/8"

const network: Reader<string> = (here) => {
  const value = text(NETWORK)(here)
  if (value === undefined) return undefined
  const [address = "", prefix, ...rest] = value.split("/")
  const bits = { 0: -1, 4: 32, 6: 128 }[isIP(address)] ?? -1
  const fits = prefix === undefined || (/^\d{1,3}$/.test(prefix) && Number(prefix) <= bits)
  return bits > 0 && fits && rest.length === 0 ? value : here.expected(NETWORK)
}

export const readStore = (here: Here, file: string): Settings["store"] => {
  const fields = new Fields(here, ["sqlite", "synchronous", "abandoned"])
  const sqlite = fields.get("sqlite", text("the path of the database file")) ?? "./gateway.db"
  return {
    sqlite: sqlite === ":memory:" ? sqlite : beside(file, sqlite),
    synchronous: fields.get("synchronous", oneOf("a way to synchronise", ["full", "normal"])) ?? "full",
    abandoned: fields.get("abandoned", oneOf("a rule for abandoned reservations", abandonedRules)) ?? "book"
  }
}

export const readReceipts = (here: Here): Settings["receipts"] => {
  const fields = new Fields(here, ["keep"])
  return { keepMs: fields.get("keep", span) ?? 30 * DAY_MS }
}

export const readFailover = (here: Here): FailoverSettings => {
  const fields = new Fields(here, [
    "attempts",
    "base_delay",
    "order",
    "stream_recovery",
    "retry_budget",
    "session_affinity",
    "finish_abandoned"
  ])
  return {
    attempts: fields.get("attempts", integer({ from: 1, to: 10 })) ?? 3,
    baseDelayMs: fields.get("base_delay", duration(0)) ?? 250,
    order: fields.get("order", oneOf("an order", orders)),
    streamRecovery: fields.get("stream_recovery", oneOf("a way to recover streams", ["cut", "buffer"])) ?? "cut",
    retryBudget: fields.get("retry_budget", readRetryBudget) ?? defaultRetryBudget,
    sessionAffinity: fields.get("session_affinity", yesOrNo) ?? true,
    finishAbandonedMs: fields.get("finish_abandoned", duration(0)) ?? 5_000
  }
}

const defaultRetryBudget: FailoverSettings["retryBudget"] = { percent: 20, extra: 3, windowMs: 10_000 }

const readRetryBudget: Reader<FailoverSettings["retryBudget"]> = (here) => {
  const fields = new Fields(here, ["percent", "extra", "window"])
  return {
    percent: fields.get("percent", integer({ from: 0, to: 1_000 })) ?? defaultRetryBudget.percent,
    extra: fields.get("extra", integer({ from: 0, to: 1_000_000 })) ?? defaultRetryBudget.extra,
    windowMs: fields.get("window", duration(100)) ?? defaultRetryBudget.windowMs
  }
}
