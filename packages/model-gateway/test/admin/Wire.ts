/** Records as a gateway's admin API sends them. */

export const budget = {
  usd: 10,
  window: "day",
  time_zone: "UTC",
  spent_usd: 1.5,
  reserved_usd: 0,
  remaining_usd: 8.5,
  resets_at: "2026-10-03T00:00:00.000Z"
}

export const key = {
  id: "key_abcdefghijkl",
  object: "key",
  name: "my app",
  team: "research",
  models: ["auto"],
  limits: { rpm: 60, tpm: null, max_parallel: null },
  budgets: [budget],
  on_unknown_price: "deny",
  unknown_fields: "remove",
  allow_from: [],
  kind: "service",
  owner: null,
  created_by: null,
  require: { region: [], zdr: false },
  status: "active",
  tags: ["prod"],
  metadata: {},
  created_at: "2026-10-01T08:00:00.000Z",
  updated_at: "2026-10-01T08:00:00.000Z",
  expires_at: null,
  revoked_at: null,
  last_used_at: "2026-10-02T09:30:00.000Z"
}

export const SECRET = "mgw_abcdefghijkl_Zt8Wq3LmXc5Vb9Rf2Yd7Hs4Jn6Gk1TaPe0aB1cD2eF3gH4iJ5kLm"

export const team = {
  object: "team",
  team: "research",
  limits: { rpm: 600, tpm: null, max_parallel: 8 },
  budgets: [{ ...budget, usd: 500, window: "month", time_zone: "Europe/Berlin" }],
  keys: 3,
  updated_at: "2026-10-01T08:00:00.000Z"
}

export const deployment = {
  id: "openai/gpt-5",
  object: "deployment",
  provider: "openai",
  model: "gpt-5",
  protocol: "openai-chat",
  status: "in_rotation",
  health: {
    circuit: "closed",
    since: null,
    consecutive_failures: 0,
    error_rate: 0.025,
    latency_ms_p50: 1250,
    latency_ms_p95: 2600,
    ttft_ms_p50: 310,
    ttft_ms_p95: 900,
    last_error: null
  },
  tokens_per_second_p50: 80,
  failure_rate_15m: 0.025,
  requests_1h: 12,
  failed_1h: 1,
  keys: [],
  buckets: ["complex"],
  weight: 1,
  priority: 0,
  price: null,
  context_window: 400_000,
  max_output_tokens: null,
  supports: ["chat", "stream"],
  in_flight: 2,
  max_in_flight: null
}

const sums = {
  cost_usd: 12.5,
  estimated_cost_usd: 0,
  requests: 1200,
  failed_requests: 3,
  input_tokens: 1_500_000,
  cached_input_tokens: 0,
  output_tokens: 20_000,
  reasoning_tokens: 0,
  auto_requests: 0,
  auto_cost_usd: 0,
  auto_baseline_usd: 0,
  last_at: "2026-10-02T09:30:00.000Z"
}

export const spend = {
  object: "spend",
  from: "2026-10-01T00:00:00.000Z",
  to: "2026-11-01T00:00:00.000Z",
  time_zone: "UTC",
  total: sums,
  by_key: [{ key: "key_abcdefghijkl", ...sums }],
  by_team: [{ team: null, ...sums }],
  by_model: [{ model: "gpt-5", ...sums, estimated_cost_usd: 0.5 }],
  has_more: false
}

export const spendByDay = {
  ...spend,
  by_key: undefined,
  by_team: undefined,
  by_model: undefined,
  group_by: ["day"],
  rows: [
    { day: "2026-10-02", ...sums, cost_usd: 10 },
    { day: "2026-10-01", ...sums, cost_usd: 2.5 }
  ]
}

const attempt = {
  deployment: "openai/gpt-5",
  outcome: "unavailable",
  http_status: 503,
  started_ms: 0,
  first_token_ms: null,
  duration_ms: 85,
  cost_usd: 0,
  error: null
}

export const receipt = {
  id: "rcpt_01jcq7v5g8r2k0m4n6p9s3t1",
  object: "receipt",
  at: "2026-10-02T09:30:00.000Z",
  duration_ms: 1520,
  key_id: "key_abcdefghijkl",
  key_name: "ci",
  team: "research",
  endpoint: "/v1/chat/completions",
  requested_model: "auto",
  decision: {
    provider: "anthropic",
    model: "claude-sonnet-4-5",
    deployment: "eu",
    bucket: "complex",
    score: 0.7,
    reasons: ["auto: score 0.7 is not below 0.65 and below 0.85, bucket complex", "code marks +0.12"],
    cut_points: [0.35, 0.65, 0.85],
    features: [{ name: "code marks", value: 3.25, weight: 0.12 }],
    considered: [
      { deployment: "openai/gpt-5", fate: "chosen", why: null },
      { deployment: "eu", fate: "spare", why: null },
      { deployment: "demo/mini", fate: "filtered", why: "demo/mini does not support vision" },
      { deployment: "demo/max", fate: "lower_bucket", why: "its bucket is below complex" }
    ],
    shadow: null
  },
  attempts: [
    attempt,
    {
      ...attempt,
      deployment: "eu",
      outcome: "ok",
      http_status: 200,
      started_ms: 240,
      first_token_ms: 700,
      cost_usd: 0.0012
    }
  ],
  usage: {
    input: 1200,
    cached_input: 0,
    cache_write: 0,
    cache_write_1h: 0,
    output: 80,
    reasoning: 0,
    audio_input: 0,
    audio_output: 0
  },
  cost_usd: 0.0012,
  price_lines: [
    {
      attempt: 2,
      deployment: "eu",
      class: "input",
      count: 1200,
      unit: "token",
      rate_usd: 0.5,
      per: 1_000_000,
      cost_usd: 0.0006
    },
    {
      attempt: 2,
      deployment: "eu",
      class: "output",
      count: 80,
      unit: "token",
      rate_usd: 7.5,
      per: 1_000_000,
      cost_usd: 0.0006
    }
  ],
  baseline_usd: 0.0044,
  refusal: null,
  refused_by: null,
  session_id: "thread-7",
  cost_is_estimate: false,
  price: { source: "catalogue", version: "2026-11-27.1" },
  status: "ok",
  error: null,
  stream: true,
  client_disconnected: false,
  tags: ["prod"],
  feedback: { score: 0.75, at: "2026-10-02T09:45:00.000Z" }
}
