/**
 * What the new file has no field for, and why, with the nearest thing there is. LiteLLM's settings are listed at
 * https://docs.litellm.ai/docs/proxy/config_settings (read 2026-11-22).
 */
import type { Account, Outcome } from "./source/ConfigAccount.ts"
import type { Cursor } from "./source/Cursor.ts"

type Reason = readonly [outcome: Outcome, message: string]

const left = (message: string): Reason => ["left_out", message]
const not = (message: string): Reason => ["not_needed", message]

const STORE = not(
  "keys, budgets and spending are in the gateway's own store (store.sqlite), which needs no database server"
)
const REDIS = not("the state of the router is in the process; there is nothing to share")
const CACHE = left(
  "the response cache is configured under `cache`, in litellm_settings alone; vendors' prompt caches work, and are priced"
)
const CIRCUIT = not("a deployment that fails is left alone by its circuit breaker, which needs no setting")
const HEALTH = not("circuit breakers learn from the calls themselves; model-gateway check --live calls all providers")
const GUARD = left(
  "checks of guardrails are not carried over: write them under `guardrails` (secrets, personal data, patterns, or a webhook of yours)"
)
const CALLBACK = left(
  "there are no callbacks; receipts, /metrics, logs and OpenTelemetry report every request, and `content` logs prompts"
)
const CUSTOM = left("programs in Python can't run here; put a proxy in front that does it")
const ALERTS = left("alerts report budgets, circuits, failures and the store: configure them in alerts")
const MCP = left("there are no MCP servers here; callers connect to them")
const FILES = left("there are no files, batches, fine-tuning, vector stores and agents here")
const PROMPTS = left("there are no stored prompts here; callers send what they say")
const ADDRESSES = left("there is no list of addresses; a firewall, or the proxy in front, has it")
const SSO = left(
  "people sign in with the master key, callers with keys; put a proxy with single sign-on in front of /admin"
)
const SECRETS = left("values come from the environment or files: ${NAME}, ${file:/run/secrets/x}")
const ATTEMPTS = left("failover.attempts holds for all deployments")
const CALLERS = left("callers alone say this")
const BUDGET = left("budgets belong to keys and teams: model-gateway keys create --budget")
const END_USERS = left(
  "keys and teams have it as per_end_user: model-gateway import litellm-keys --end-user-budget ID brings a budget"
)
const KEYS = left("keys get their limits when they are made: model-gateway keys create --help")
const ROUTES = left("callers reach /v1 alone and administrators /admin; keys say which models they may use")
const TAGS = left("deployments have no tags; give each group an alias, and keys the aliases that they may use")
const PASS = left("nothing is passed through unread, as budgets could not bound it")
const PRIVACY = not("prompts are logged only where `content` says so; receipts and metrics hold numbers")

const patterns: ReadonlyArray<readonly [RegExp, Reason]> = [
  [
    /^(guardrails?|guardrail_.*|guardrailConfig|.*_in_guardrail|policies|policy_.*|.*content_filter.*|.*moderation_(?!model).*|banned_keywords.*|blocked_user.*|presidio.*|lakera.*|llamaguard.*|llm_guard.*|google_moderation.*|aporia.*|hide_secrets.*)$/,
    GUARD
  ],
  [/^(mcp_.*|search_tools|user_mcp_.*|a2a.*|skills.*)$/, MCP],
  [/^(prompts|prompt_.*)$/, PROMPTS],
  [
    /^(files_settings|finetune_settings|assistant_settings|assistants_config|vector_store.*|agents?|agent_list)$/,
    FILES
  ],
  [/^(allowed_ips)$/, ADDRESSES],
  [
    /^(cache|cache_params|cache_kwargs|cache_responses|caching_groups|caching|enable_caching.*|.*semantic_cache.*)$/,
    CACHE
  ],
  [/^(redis_.*|client_ttl|user_api_key_cache_ttl)$/, REDIS],
  [
    /^(database_.*|store_model_in_db|supported_db_objects|proxy_batch_.*|proxy_budget_rescheduler_.*|allow_requests_on_db_unavailable|disable_prisma.*|disable_reset_budget|disable_adding_master_key_hash_to_db|use_redis_transaction_buffer|.*spend_logs_retention.*|worker_registry)$/,
    STORE
  ],
  [
    /^(allowed_fails|allowed_fails_policy|cooldown_time|disable_cooldowns|ignore_invalid_deployments|model_group_retry_policy|retry_policy|disable_retry_on_.*)$/,
    CIRCUIT
  ],
  [
    /^(background_health_checks|health_check_.*|use_shared_health_check|enable_health_check.*|disable_background_health_check)$/,
    HEALTH
  ],
  [/^(alerting.*|alert_.*|spend_report_frequency|slack_.*)$/, ALERTS],
  [
    /^(success_callback|failure_callback|callbacks|service_callbacks|callback_settings|audit_log_callbacks|langfuse_.*|langsmith_.*|datadog_.*|s3_callback_params|gcs_.*|logging_callback.*|default_team_settings|aws_sqs_.*|prometheus_.*|custom_prometheus.*|otel.*|post_call_rules|pre_call_rules|require_auth_for_metrics_endpoint)$/,
    CALLBACK
  ],
  [
    /^(custom_auth.*|custom_key_generate|custom_key_update|custom_ui_sso.*|custom_provider_map|custom_validate|callback_class)$/,
    CUSTOM
  ],
  [
    /^(enable_jwt_auth|litellm_jwtauth|enable_oauth2.*|oauth2_.*|custom_sso|ui_.*|allow_user_auth|.*sso.*|admin_ui_.*|control_plane_url|litellm_license)$/,
    SSO
  ],
  [/^(key_management_.*|use_google_kms|use_azure_key_vault|use_aws_secret_manager)$/, SECRETS],
  [
    /^(max_budget|budget_duration|max_internal_user_budget|internal_user_budget_duration|max_user_budget|provider_budget_config|model_max_budget|default_internal_user_params|soft_budget|max_ui_session_budget|priority_reservation.*)$/,
    BUDGET
  ],
  [/^max_end_user_budget.*$/, END_USERS],
  [
    /^(key_generation_settings|default_key_generate_params|upperbound_key_generate_params|default_team_.*|default_user_.*|service_account_settings|enforce_user_param|enforced_params|litellm_key_header_name|enable_key_alias.*|tag_budget.*|user_header_mappings|token_rate_limit_type|default_max_internal.*|internal_user_.*)$/,
    KEYS
  ],
  [
    /^(allowed_routes|public_routes|admin_only_routes|role_permissions|public_model_.*|model_group_settings|access_groups|model_access_groups?)$/,
    ROUTES
  ],
  [
    /^(tags?|enable_tag_filtering|tag_.*|reject_clientside_metadata_tags|.*_default_tags|extra_spend_tag_headers|team_id|team_public_model_name)$/,
    TAGS
  ],
  [
    /^(pass_through_endpoints|use_client_credentials_.*|pass_through_.*|enable_oauth2_proxy_auth|use_in_pass_through|default_vertex_config)$/,
    PASS
  ],
  [
    /^(turn_off_message_logging|redact_.*|store_prompts_in_spend_logs|disable_end_user_cost_tracking.*|store_audit_logs|disable_.*logging.*|.*message_logging)$/,
    PRIVACY
  ],
  [
    /^(telemetry|disable_error_logs|suppress_debug_info|disable_hf_tokenizer_download|force_ipv4|aiohttp_.*|disable_aiohttp.*|network_mock|headers_timeout|disable_master_key_return|infer_model_from_keys|enable_preview_features|polling_interval|default_priority|router_general_settings|debug_level|set_verbose|detailed_debug|num_workers|disable_copilot_.*|disable_responses_id_security|enable_pre_call_checks?|optional_pre_call_checks|.*affinity.*|max_fallbacks|routing_strategy_args|enable_loadbalancing.*)$/,
    not("this gateway has no use for it, or does so anyway")
  ],
  [
    /^(modify_params|drop_params|enable_json_schema_validation|disable_add_transform_inline_image_block|use_chat_completions_.*|LITELLM_.*|use_litellm_proxy|add_function_to_prompt|disable_stop_sequence.*|use_chat_completions_api)$/,
    not("requests are adapted to each vendor; what had to be dropped is in X-Gateway-Dropped-Params")
  ],
  [
    /^(forward_client_headers_to_llm_api|forward_.*|extra_headers|headers|default_headers|add_user_information_.*)$/,
    left("headers are the gateway's own: the callers' go no further, and none can be added")
  ],
  [
    /^(cost_discount_config|cost_margin_config)$/,
    left("a price has no discount of its own: write what you pay as price of the deployments")
  ],
  [
    /^(merge_reasoning_.*)$/,
    left("what a model thought is in reasoning_content, beside what it says; clients that know only content miss it")
  ],
  [/^(organization|openai_organization)$/, left("a key belongs to one organization; use a key of that one")],
  [
    /^(safety_settings|cache_control_injection_points|allowed_openai_params|additional_drop_params|configurable_clientside_auth_params|allow_client.*|mock_.*|prompt_id|include|supports_system_message|use_system_prompt.*|model_config|output_schema)$/,
    left("there is no such setting here; defaults.extra_body of a deployment adds fields to requests")
  ],
  [/^(stream|default_litellm_params|metadata)$/, CALLERS],
  [
    /^(aws_.*|azure_.*|vertex_.*|watsonx_.*|region_name|tenant_id|client_id|client_secret|project|space_id|account_id|ssl_verify|ssl_.*|gcp_.*|s3_.*)$/,
    left(
      "a setting of the provider that is not carried over: model-gateway providers <name> shows those that there are"
    )
  ],
  [/^(default_api_version|api_version|api_type)$/, not("only Azure has versions of its API in a setting")],
  [
    /^(id|db_model|description|version|created_.*|updated_.*|blocked|display_name|notes|owner|release_date|mode|litellm_provider|supported_.*|supports_.*|base_model|max_tokens|metadata|tpm|rpm|source|knowledge_cutoff|deprecation_date|health_check_.*)$/,
    left("a note about the model that nothing here reads")
  ],
  [
    /^(image_generation_model|embedding_model|completion_model|moderation_model|default_model)$/,
    left("callers name their model; an alias can have any name that they use")
  ],
  [
    /^(max_parallel_requests|global_max_parallel_requests|default_max_parallel_requests)$/,
    left(
      "max_in_flight of deployments and max_connections of providers bound calls at a time; keys have limits of their own"
    )
  ],
  [
    /^(tiered_pricing|input_cost_.*|output_cost_.*|.*_cost_per_.*|.*cost.*)$/,
    left("a price that is not by the token, or with a threshold: write it as price of the deployment")
  ],
  [/^(max_retries|num_retries)$/, ATTEMPTS],
  [/^(use_x_forwarded_for)$/, left("name the proxies that may say so in server.trusted_proxies")],
  [
    /^(content_policy_fallbacks)$/,
    left("a refusal is a response, which the caller gets; other models are called when a call fails")
  ],
  [
    /^(include_cost_in_streaming_usage|return_response_headers|always_include_stream_usage)$/,
    not("what a call costs is in its headers, its receipt and the last event of a stream")
  ]
]

const reasonOf = (key: string): Reason | undefined => patterns.find(([match]) => match.test(key))?.[1]

/** Of everything below, where nobody has spoken of it: the reason of the innermost setting that has one. */
export const explainRest = (cursor: Cursor, account: Account): void => {
  for (const [key, value] of named(cursor)) {
    const reason = reasonOf(key)
    explainRest(value, account)
    if (reason !== undefined) account.sayRest(value, reason[0], reason[1])
  }
  for (const item of cursor.items) explainRest(item, account)
}

/** All entries as written, those with nothing in them too. */
const named = (cursor: Cursor): ReadonlyArray<readonly [string, Cursor]> => {
  const { node } = cursor
  if (node.kind !== "table") return []
  const { children } = cursor
  return node.entries.flatMap(({ key }, index) => {
    const child = children[index]
    return child === undefined ? [] : [[key, child] as const]
  })
}
