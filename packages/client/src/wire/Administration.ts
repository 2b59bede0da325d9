/** Made from openapi.json by `npm run openapi`: change the description there, not this file. */

export interface AuditPage {
  readonly object: "list"
  /** Newest first. */
  readonly data: ReadonlyArray<AuditEntry>
  readonly has_more: boolean
  /** What to give as `after` for the next page; null: this was the last. */
  readonly next: number | null
}

export interface AuditEntry {
  readonly object: "audit_entry"
  readonly id: number
  /** RFC 3339 in UTC. */
  readonly at: string
  readonly actor: {
    readonly kind:
      | "master_key"
      | "session"
      | "sign_in_link"
      | "command_line"
      | "user"
      | "service_token"
      | "identity_provider"
    /** The id of the person, the service token or the session; `master_key` for the key itself; `sign_in_link` for the link that `demo` prints; `command_line` for a command on the store itself. */
    readonly id: string
    /** The present name of the person or the service token; null: none, or it was erased. */
    readonly name: string | null
    /** Where the request came from; null: no address. */
    readonly address: string | null
  }
  readonly action:
    | "keys.create"
    | "keys.update"
    | "keys.revoke"
    | "keys.rotate"
    | "keys.import"
    | "teams.put"
    | "teams.delete"
    | "teams.policy"
    | "end_users.put"
    | "end_users.delete"
    | "deployments.disable"
    | "deployments.enable"
    | "deployments.reset"
    | "config.reload"
    | "content.read"
    | "sessions.open"
    | "sessions.close"
    | "sessions.revoke"
    | "sessions.close_all"
    | "users.roles_changed"
    | "users.update"
    | "users.erase"
    | "users.sign_out"
    | "members.put"
    | "members.delete"
    | "tokens.create"
    | "tokens.revoke"
    | "sign_ins.approve"
    | "sign_ins.deny"
    | "sign_ins.revoke"
    | "cache.purge"
  /** The id or name of what was changed; null: there is one. */
  readonly target: string | null
  readonly before: unknown
  readonly after: unknown
}

export interface NodeList {
  readonly object: "list"
  /** The longest at work first. */
  readonly data: ReadonlyArray<Node>
  /** Why the store could not be asked: the others are as they were last known. null: it was asked. */
  readonly trouble: string | null
}

export interface Node {
  readonly object: "node"
  /** Another one after each start, and the first half of the ids of its rows in the ledger. 0: the process that owns a file. */
  readonly id: number
  /** The name of its machine. */
  readonly name: string
  /** Of the program; empty until it has told it. */
  readonly version: string
  /** When it joined. */
  readonly since: string
  /** For so long it may work without a word from the store; null: the store is a file of its own. */
  readonly lease_ms: number | null
  /** When the store last heard of it, by the store's clock; null: the store is a file of its own. */
  readonly last_beat_at: string | null
  /** How long its oldest unwritten row has been waiting. */
  readonly flush_lag_ms: number
  /** Limits and budgets of which it holds a share. */
  readonly shares_held: number
  /** `refusing`: it lives and takes no new work, since the store refuses its writes. `silent`: the store has not heard of it for longer than its lease. */
  readonly state: "working" | "refusing" | "silent"
  /** It is the one that answers. */
  readonly is_this: boolean
}

export interface Info {
  readonly object: "info"
  readonly version: string
  /** The runtime. */
  readonly node: string
  /** RFC 3339 in UTC. */
  readonly started_at: string
  readonly uptime_seconds: number
  /** null: only global roles see it. */
  readonly store: {
    /** null: in memory. */
    readonly path: string | null
    readonly bytes: number
    /** The number of the last change of its tables. */
    readonly schema: number
  } | null
  /** How long receipts are kept; 0: none are. */
  readonly receipts_keep_seconds: number
  /** Where prices come from that the configuration does not give; null: it gives them all. */
  readonly price_list: {
    readonly source: string
    readonly version: string
  } | null
  /** Every provider is the demo's. */
  readonly demo: boolean
  /** Virtual keys that are not revoked; null: only global roles see it. */
  readonly keys: number | null
  /** Alerts that are configured. */
  readonly alerts: number
}

/** It is in force but for the fields that need a restart. */
export interface ConfigReload {
  readonly object: "config_reload"
  /** The fields whose new values are not in force before a restart. */
  readonly needs_restart: ReadonlyArray<string>
}

/** What is in force, and what the file says. */
export interface Config {
  readonly object: "config"
  readonly file: string
  /** When what is in force was read. */
  readonly loaded_at: string
  /** What the file holds now, without secrets. */
  readonly fields: ReadonlyArray<ConfigField>
  /** What is in force and may surprise. */
  readonly warnings: ReadonlyArray<string>
  /** What is wrong with the file now, each with its place: a reload would change nothing. null: nothing. */
  readonly problems: string | null
  /** The sections that a reload would change. */
  readonly changes: ReadonlyArray<string>
  /** The fields whose values in the file are not in force before a restart. */
  readonly needs_restart: ReadonlyArray<string>
}

export interface ConfigField {
  readonly path: string
  /** As the file has it, so that `${NAME}` stays a name; null: it is a secret, or nothing. */
  readonly value: string | number | boolean | null
  /** The value is not shown. */
  readonly secret: boolean
  readonly line: number
  readonly column: number
}

export interface SpendReport {
  readonly object: "spend"
  /** Inclusive. */
  readonly from: string
  /** Exclusive. */
  readonly to: string
  readonly time_zone: string
  readonly total: SpendTotal
  /** Per key, dearest first. Without `group_by`. */
  readonly by_key?: ReadonlyArray<SpendRow> | undefined
  /** Per team, dearest first. Without `group_by`. */
  readonly by_team?: ReadonlyArray<SpendRow> | undefined
  /** Per model of each provider, dearest first. Without `group_by`. */
  readonly by_model?: ReadonlyArray<SpendRow> | undefined
  readonly group_by?:
    | ReadonlyArray<
        | "key"
        | "team"
        | "model"
        | "provider"
        | "tag"
        | "end_user"
        | "session"
        | "user"
        | "client"
        | "bucket"
        | "hour"
        | "day"
        | "month"
      >
    | undefined
  /** Per group of `group_by`, dearest first. */
  readonly rows?: ReadonlyArray<SpendRow> | undefined
  /** Whether a list was cut at `limit`. The total is of everything all the same. */
  readonly has_more: boolean
}

/** It names the dimensions that were asked for, and no others. */
export interface SpendRow {
  /** The id of the key. */
  readonly key?: string | null | undefined
  /** What the key is called now, beside `key`; null: it has no name. */
  readonly key_name?: string | null | undefined
  /** The team; null: keys without one. */
  readonly team?: string | null | undefined
  /** The model, as the provider is asked for it. */
  readonly model?: string | null | undefined
  /** The provider's name in the configuration. */
  readonly provider?: string | null | undefined
  /** The tag; null: requests without one. A request with several tags counts in each of them. */
  readonly tag?: string | null | undefined
  /** The end user. Requests without one are in no row. */
  readonly end_user?: string | null | undefined
  /** The session, as `X-Gateway-Session-Id` or a coding agent names it. Requests without one are in no row. */
  readonly session?: string | null | undefined
  /** The client, such as `codex`. Requests of clients that are not known are in no row. */
  readonly client?: string | null | undefined
  /** The person whose personal keys spent it, `user_…`. Requests of other keys are in no row. */
  readonly user?: string | null | undefined
  /** The bucket of `auto`; `none`: the caller named the model. */
  readonly bucket?: string | null | undefined
  /** The hour, RFC 3339 with the offset of the time zone asked for. */
  readonly hour?: string | null | undefined
  /** The day, YYYY-MM-DD, in the time zone asked for. */
  readonly day?: string | null | undefined
  /** The month, YYYY-MM, in the time zone asked for. */
  readonly month?: string | null | undefined
  /** USD. */
  readonly cost_usd: number
  /** The part of `cost_usd` that was counted here and not by the provider, USD. */
  readonly estimated_cost_usd: number
  /** Requests, failed ones included. */
  readonly requests: number
  readonly failed_requests: number
  /** Everything read, cached input included. */
  readonly input_tokens: number
  /** The part of `input_tokens` that the provider had in its cache. */
  readonly cached_input_tokens: number
  /** Everything produced, reasoning included. */
  readonly output_tokens: number
  /** The part of `output_tokens` that was reasoning. */
  readonly reasoning_tokens: number
  /** Requests for `auto`, failed ones included. */
  readonly auto_requests: number
  /** The part of `cost_usd` that was for `auto`, USD: all attempts that were billed. */
  readonly auto_cost_usd: number
  /** What the answers to `auto` would have cost, USD, had the first deployment of the strongest bucket given each of them, with as many tokens. `auto_baseline_usd - auto_cost_usd` was saved. An answer counts what it cost itself where a price is not known, a request without an answer 0. 0 for what was booked before the gateway reckoned with it. */
  readonly auto_baseline_usd: number
  /** The last request; null without any. */
  readonly last_at: string | null
  /** The part of `requests` that the response cache answered. Left out: none. */
  readonly cache_hits?: number | undefined
  /** What the responses of `cache_hits` cost when a provider gave them, USD. */
  readonly cache_saved_usd?: number | undefined
  /** What was billed and is no token, such as `web_searches` or `images`, by the classes of a receipt's `usage`. Left out: nothing. */
  readonly units?: { readonly [field: string]: number } | undefined
}

export interface SpendTotal {
  /** USD. */
  readonly cost_usd: number
  /** The part of `cost_usd` that was counted here and not by the provider, USD. */
  readonly estimated_cost_usd: number
  /** Requests, failed ones included. */
  readonly requests: number
  readonly failed_requests: number
  /** Everything read, cached input included. */
  readonly input_tokens: number
  /** The part of `input_tokens` that the provider had in its cache. */
  readonly cached_input_tokens: number
  /** Everything produced, reasoning included. */
  readonly output_tokens: number
  /** The part of `output_tokens` that was reasoning. */
  readonly reasoning_tokens: number
  /** Requests for `auto`, failed ones included. */
  readonly auto_requests: number
  /** The part of `cost_usd` that was for `auto`, USD: all attempts that were billed. */
  readonly auto_cost_usd: number
  /** What the answers to `auto` would have cost, USD, had the first deployment of the strongest bucket given each of them, with as many tokens. `auto_baseline_usd - auto_cost_usd` was saved. An answer counts what it cost itself where a price is not known, a request without an answer 0. 0 for what was booked before the gateway reckoned with it. */
  readonly auto_baseline_usd: number
  /** The last request; null without any. */
  readonly last_at: string | null
  /** The part of `requests` that the response cache answered. Left out: none. */
  readonly cache_hits?: number | undefined
  /** What the responses of `cache_hits` cost when a provider gave them, USD. */
  readonly cache_saved_usd?: number | undefined
  /** What was billed and is no token, such as `web_searches` or `images`, by the classes of a receipt's `usage`. Left out: nothing. */
  readonly units?: { readonly [field: string]: number } | undefined
}
