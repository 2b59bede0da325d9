/**
 * Every metric there is. `id` and `unit` are OpenTelemetry's (GenAI semantic conventions where they know the thing, `gateway.…`
 * elsewhere); `prometheus` is the same name as `/metrics` spells it.
 */
export interface MetricDefinition {
  readonly id: string
  readonly prometheus: string
  /** UCUM; left out for plain numbers. */
  readonly unit?: string
  readonly help: string
}

export const requestDuration = {
  id: "gen_ai.server.request.duration",
  prometheus: "gen_ai_server_request_duration_seconds",
  unit: "s",
  help: "Duration of requests, from the first byte to the end of the response, by the last deployment called."
}

export const firstToken = {
  id: "gen_ai.server.time_to_first_token",
  prometheus: "gen_ai_server_time_to_first_token_seconds",
  unit: "s",
  help: "From the request to the first content of a streamed response, including earlier failed attempts."
}

export const callDuration = {
  id: "gen_ai.client.operation.duration",
  prometheus: "gen_ai_client_operation_duration_seconds",
  unit: "s",
  help: "Single calls to providers; error_type where they failed."
}

export const tokenUsage = {
  id: "gen_ai.client.token.usage",
  prometheus: "gen_ai_client_token_usage",
  unit: "{token}",
  help: "Tokens of single calls to providers."
}

export const requests = {
  id: "gateway.requests",
  prometheus: "gateway_requests_total",
  help: "Requests that ended, by how they ended; refused ones before routing included."
}

export const errors = {
  id: "gateway.errors",
  prometheus: "gateway_errors_total",
  help: "Error responses to callers of /v1, including refusals before routing."
}

export const guardrailChecks = {
  id: "gateway.guardrail_checks",
  prometheus: "gateway_guardrail_checks_total",
  help: "Checks of guardrails that ran, by check, stage and what they did."
}

export const guardrailDuration = {
  id: "gateway.guardrail.duration",
  prometheus: "gateway_guardrail_seconds",
  unit: "s",
  help: "What requests waited for webhooks of guardrails, each check and stage in all."
}

export const cacheRequests = {
  id: "gateway.cache_requests",
  prometheus: "gateway_cache_requests_total",
  help: "Requests that used the response cache, by endpoint and result: hit, miss or bypass."
}

export const cacheSaved = {
  id: "gateway.cache_saved",
  prometheus: "gateway_cache_saved_usd_total",
  help: "What the responses that the cache gave cost when a provider gave them."
}

export const cacheBytes = {
  id: "gateway.cache.bytes",
  prometheus: "gateway_cache_bytes",
  unit: "By",
  help: "Responses in the response cache, measured once a minute while it is used."
}

export const cacheEntries = {
  id: "gateway.cache.entries",
  prometheus: "gateway_cache_entries",
  help: "The number of those responses."
}

export const cacheEvictions = {
  id: "gateway.cache_evictions",
  prometheus: "gateway_cache_evictions_total",
  help: "Entries of the response cache that were deleted because they had expired, or to make room."
}

export const contentRecords = {
  id: "gateway.content_records",
  prometheus: "gateway_content_records_total",
  help: "Requests whose content was written to a sink or dropped."
}

export const contentQueue = {
  id: "gateway.content_queue",
  prometheus: "gateway_content_queue_bytes",
  unit: "By",
  help: "Content that waits for sinks."
}

export const tokens = {
  id: "gateway.tokens",
  prometheus: "gateway_tokens_total",
  help: "Tokens in classes that do not overlap."
}

export const units = {
  id: "gateway.units",
  prometheus: "gateway_units_total",
  help: "What is billed and is no token: fees per call, images, seconds of audio."
}

export const cost = {
  id: "gateway.cost",
  prometheus: "gateway_cost_usd_total",
  unit: "{USD}",
  help: "What calls to providers cost, failed ones that are billed included."
}

export const autoCost = {
  id: "gateway.auto_cost",
  prometheus: "gateway_auto_cost_usd_total",
  unit: "{USD}",
  help: "What requests for auto cost, all attempts that were billed."
}

export const autoBaseline = {
  id: "gateway.auto_baseline",
  prometheus: "gateway_auto_baseline_usd_total",
  unit: "{USD}",
  help: "What the responses to auto would have cost at the strongest bucket's first deployment, with as many tokens."
}

export const unpriced = {
  id: "gateway.unpriced_answers",
  prometheus: "gateway_unpriced_answers_total",
  help: "Responses without a known price: their cost counts as 0."
}

export const retries = {
  id: "gateway.retries",
  prometheus: "gateway_retries_total",
  help: "Attempts after the first of a request, by the deployment they went to."
}

export const upstreamFailures = {
  id: "gateway.upstream_failures",
  prometheus: "gateway_upstream_failures_total",
  help: "Calls to providers that failed, by class."
}

export const inFlight = {
  id: "gateway.in_flight",
  prometheus: "gateway_in_flight",
  help: "Calls to a deployment that are under way."
}

export const upstreamCalls = {
  id: "gateway.upstream_calls",
  prometheus: "gateway_upstream_calls",
  help: "Calls to the address of a provider: open (sent, response in progress), and waiting for a connection."
}

export const upstreamCallsMax = {
  id: "gateway.upstream_calls_max",
  prometheus: "gateway_upstream_calls_max",
  help: "Maximum number of parallel calls to the address of a provider."
}

export const circuit = {
  id: "gateway.circuit_state",
  prometheus: "gateway_circuit_state",
  help: "Circuit of a deployment: 0 closed, 1 half open, 2 open."
}

export const inRotation = {
  id: "gateway.in_rotation",
  prometheus: "gateway_in_rotation",
  help: "1 while a deployment is enabled, 0 while it is disabled."
}

export const storeLag = {
  id: "gateway.store.lag",
  prometheus: "gateway_store_lag_seconds",
  unit: "s",
  help: "Age of the oldest write that is not on disk yet."
}

export const storeCommit = {
  id: "gateway.store.last_commit_duration",
  prometheus: "gateway_store_last_commit_seconds",
  unit: "s",
  help: "How long the last commit took."
}

export const storeCommits = {
  id: "gateway.store.commits",
  prometheus: "gateway_store_commits_total",
  help: "Transactions of the store, failed ones included."
}

export const storeTrouble = {
  id: "gateway.store.trouble",
  prometheus: "gateway_store_trouble",
  help: "1 while the store refuses writes."
}

export const leaseAge = {
  id: "gateway.store.lease_age",
  prometheus: "gateway_store_lease_age_seconds",
  unit: "s",
  help: "Since this gateway last heard from Postgres and renewed its lease."
}

export const clockDifference = {
  id: "gateway.store.clock_difference",
  prometheus: "gateway_store_clock_difference_seconds",
  unit: "s",
  help: "How far this machine's clock is ahead of that of Postgres; negative: behind."
}

export const resentFlushes = {
  id: "gateway.store.resent_flushes",
  prometheus: "gateway_store_resent_flushes_total",
  help: "Groups of the ledger that were said again to a Postgres that had lost them."
}

export const sharesHeld = {
  id: "gateway.shares.held",
  prometheus: "gateway_shares_held",
  help: "Limits and budgets of which this gateway holds a share."
}

export const shareRecalls = {
  id: "gateway.share.recalls",
  prometheus: "gateway_share_recalls_total",
  help: "Shares of limits that other gateways called back from this one."
}

export const shareQuestions = {
  id: "gateway.share.questions",
  prometheus: "gateway_share_questions_total",
  help: "Requests for a larger quota lease that a request waited for before its provider was called."
}

export const dropped = {
  id: "gateway.telemetry.dropped",
  prometheus: "gateway_telemetry_dropped_total",
  help: "Spans of requests (signal traces) and lines (signal logs) that could not be kept for a slow reader."
}

export const memory = {
  id: "gateway.process.resident_memory",
  prometheus: "gateway_process_resident_memory_bytes",
  unit: "By",
  help: "Resident memory of the process."
}

export const cpu = {
  id: "gateway.process.cpu",
  prometheus: "gateway_process_cpu_seconds_total",
  unit: "s",
  help: "CPU time of the process, user and system."
}

export const eventLoopDelay = {
  id: "gateway.process.event_loop_delay_p99",
  prometheus: "gateway_process_event_loop_delay_p99_seconds",
  unit: "s",
  help: "99th percentile of how late the event loop was over the last seconds."
}

export const openSockets = {
  id: "gateway.process.open_sockets",
  prometheus: "gateway_process_open_sockets",
  help: "TCP connections of the process, to callers and to providers."
}

export const catalogueInfo = {
  id: "gateway.catalogue.info",
  prometheus: "gateway_catalogue_info",
  help: "1 for the model catalogue in force, by version and layer (shipped, loaded); 0 for former ones."
}

export const catalogueFailures = {
  id: "gateway.catalogue.failures",
  prometheus: "gateway_catalogue_failures_total",
  help: "Catalogue files that were refused; the one before stayed in force."
}

export const modelLoaded = {
  id: "gateway.router.model_loaded_time",
  prometheus: "gateway_router_model_loaded_time_seconds",
  unit: "s",
  help: "When the model that scores prompts was loaded, seconds since 1970."
}

export const modelRefused = {
  id: "gateway.router.model_refused",
  prometheus: "gateway_router_model_refused",
  help: "1 while the file of router.model holds something that was refused, and the model before it goes on."
}

export const started = {
  id: "gateway.process.start_time",
  prometheus: "gateway_process_start_time_seconds",
  unit: "s",
  help: "When the process started, seconds since 1970."
}

export const jwtVerifications = {
  id: "gateway.jwt.verifications",
  prometheus: "gateway_jwt_verifications_total",
  help: "Tokens of callers that were verified, by issuer and outcome; a token that is remembered is not verified again."
}

export const signIns = {
  id: "gateway.sign_ins",
  prometheus: "gateway_sign_ins_total",
  help: "People who came back from an identity provider, by provider and outcome."
}

export const revalidations = {
  id: "gateway.revalidations",
  prometheus: "gateway_revalidations_total",
  help: "Calls of an identity provider that ask whether a sign-in still holds, by provider and outcome."
}

export const jwksAge = {
  id: "gateway.jwks.age",
  prometheus: "gateway_jwks_age_seconds",
  unit: "s",
  help: "Time since the keys of an issuer were fetched."
}

export const definitions: ReadonlyArray<MetricDefinition> = [
  requests,
  errors,
  requestDuration,
  firstToken,
  callDuration,
  tokenUsage,
  tokens,
  units,
  cost,
  autoCost,
  autoBaseline,
  guardrailChecks,
  guardrailDuration,
  cacheRequests,
  cacheSaved,
  cacheBytes,
  cacheEntries,
  cacheEvictions,
  contentRecords,
  contentQueue,
  unpriced,
  retries,
  upstreamFailures,
  inFlight,
  upstreamCalls,
  upstreamCallsMax,
  circuit,
  inRotation,
  storeLag,
  storeCommit,
  storeCommits,
  storeTrouble,
  leaseAge,
  clockDifference,
  resentFlushes,
  sharesHeld,
  shareRecalls,
  shareQuestions,
  dropped,
  memory,
  cpu,
  eventLoopDelay,
  openSockets,
  catalogueInfo,
  catalogueFailures,
  modelLoaded,
  modelRefused,
  signIns,
  revalidations,
  jwtVerifications,
  jwksAge,
  started
]
