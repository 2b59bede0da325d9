// Code generated from openapi.json by `npm run openapi`. DO NOT EDIT.

package gateway

// AuditPage is made from the schema of that name.
type AuditPage struct {
	Answer `json:"-"`

	Object string `json:"object"`

	// Newest first.
	Data []AuditEntry `json:"data"`

	HasMore bool `json:"has_more"`

	// What to give as `after` for the next page; null: this was the last.
	Next *int64 `json:"next"`
}

// AuditEntry is made from the schema of that name.
type AuditEntry struct {
	Object string `json:"object"`

	ID int64 `json:"id"`

	// RFC 3339 in UTC.
	At string `json:"at"`

	Actor AuditEntryActor `json:"actor"`

	Action string `json:"action"`

	// The id or name of what was changed; null: there is one.
	Target *string `json:"target"`

	Before any `json:"before"`

	After any `json:"after"`
}

// AuditEntryActor is made from the schema of that name.
type AuditEntryActor struct {
	Kind string `json:"kind"`

	// The id of the person, the service token or the session; `master_key` for the key itself; `sign_in_link` for the link that `demo` prints; `command_line` for a command on the store itself.
	ID string `json:"id"`

	// The present name of the person or the service token; null: none, or it was erased.
	Name *string `json:"name"`

	// Where the request came from; null: no address.
	Address *string `json:"address"`
}

// NodeList is made from the schema of that name.
type NodeList struct {
	Answer `json:"-"`

	Object string `json:"object"`

	// The longest at work first.
	Data []Node `json:"data"`

	// Why the store could not be asked: the others are as they were last known. null: it was asked.
	Trouble *string `json:"trouble"`
}

// Node is made from the schema of that name.
type Node struct {
	Object string `json:"object"`

	// Another one after each start, and the first half of the ids of its rows in the ledger. 0: the process that owns a file.
	ID int64 `json:"id"`

	// The name of its machine.
	Name string `json:"name"`

	// Of the program; empty until it has told it.
	Version string `json:"version"`

	// When it joined.
	Since string `json:"since"`

	// For so long it may work without a word from the store; null: the store is a file of its own.
	LeaseMs *int64 `json:"lease_ms"`

	// When the store last heard of it, by the store's clock; null: the store is a file of its own.
	LastBeatAt *string `json:"last_beat_at"`

	// How long its oldest unwritten row has been waiting.
	FlushLagMs int64 `json:"flush_lag_ms"`

	// Limits and budgets of which it holds a share.
	SharesHeld int64 `json:"shares_held"`

	// `refusing`: it lives and takes no new work, since the store refuses its writes. `silent`: the store has not heard of it for longer than its lease.
	State string `json:"state"`

	// It is the one that answers.
	IsThis bool `json:"is_this"`
}

// Info is made from the schema of that name.
type Info struct {
	Answer `json:"-"`

	Object string `json:"object"`

	Version string `json:"version"`

	// The runtime.
	Node string `json:"node"`

	// RFC 3339 in UTC.
	StartedAt string `json:"started_at"`

	UptimeSeconds int64 `json:"uptime_seconds"`

	// null: only global roles see it.
	Store *InfoStore `json:"store"`

	// How long receipts are kept; 0: none are.
	ReceiptsKeepSeconds int64 `json:"receipts_keep_seconds"`

	// Where prices come from that the configuration does not give; null: it gives them all.
	PriceList *InfoPriceList `json:"price_list"`

	// Every provider is the demo's.
	Demo bool `json:"demo"`

	// Virtual keys that are not revoked; null: only global roles see it.
	Keys *int64 `json:"keys"`

	// Alerts that are configured.
	Alerts int64 `json:"alerts"`
}

// InfoStore is made from the schema of that name.
type InfoStore struct {
	// null: in memory.
	Path *string `json:"path"`

	Bytes int64 `json:"bytes"`

	// The number of the last change of its tables.
	Schema int64 `json:"schema"`
}

// InfoPriceList is made from the schema of that name.
type InfoPriceList struct {
	Source string `json:"source"`

	Version string `json:"version"`
}

// ConfigReload: It is in force but for the fields that need a restart.
type ConfigReload struct {
	Answer `json:"-"`

	Object string `json:"object"`

	// The fields whose new values are not in force before a restart.
	NeedsRestart []string `json:"needs_restart"`
}

// Config: What is in force, and what the file says.
type Config struct {
	Answer `json:"-"`

	Object string `json:"object"`

	File string `json:"file"`

	// When what is in force was read.
	LoadedAt string `json:"loaded_at"`

	// What the file holds now, without secrets.
	Fields []ConfigField `json:"fields"`

	// What is in force and may surprise.
	Warnings []string `json:"warnings"`

	// What is wrong with the file now, each with its place: a reload would change nothing. null: nothing.
	Problems *string `json:"problems"`

	// The sections that a reload would change.
	Changes []string `json:"changes"`

	// The fields whose values in the file are not in force before a restart.
	NeedsRestart []string `json:"needs_restart"`
}

// ConfigField is made from the schema of that name.
type ConfigField struct {
	Path string `json:"path"`

	// As the file has it, so that `${NAME}` stays a name; null: it is a secret, or nothing.
	Value any `json:"value"`

	// The value is not shown.
	Secret bool `json:"secret"`

	Line int64 `json:"line"`

	Column int64 `json:"column"`
}

// SpendReport is made from the schema of that name.
type SpendReport struct {
	Answer `json:"-"`

	Object string `json:"object"`

	// Inclusive.
	From string `json:"from"`

	// Exclusive.
	To string `json:"to"`

	TimeZone string `json:"time_zone"`

	Total SpendTotal `json:"total"`

	// Per key, dearest first. Without `group_by`.
	ByKey []SpendRow `json:"by_key,omitempty"`

	// Per team, dearest first. Without `group_by`.
	ByTeam []SpendRow `json:"by_team,omitempty"`

	// Per model of each provider, dearest first. Without `group_by`.
	ByModel []SpendRow `json:"by_model,omitempty"`

	GroupBy []string `json:"group_by,omitempty"`

	// Per group of `group_by`, dearest first.
	Rows []SpendRow `json:"rows,omitempty"`

	// Whether a list was cut at `limit`. The total is of everything all the same.
	HasMore bool `json:"has_more"`
}

// SpendRow: It names the dimensions that were asked for, and no others.
type SpendRow struct {
	// The id of the key.
	Key string `json:"key,omitempty"`

	// What the key is called now, beside `key`; null: it has no name.
	KeyName string `json:"key_name,omitempty"`

	// The team; null: keys without one.
	Team string `json:"team,omitempty"`

	// The model, as the provider is asked for it.
	Model string `json:"model,omitempty"`

	// The provider's name in the configuration.
	Provider string `json:"provider,omitempty"`

	// The tag; null: requests without one. A request with several tags counts in each of them.
	Tag string `json:"tag,omitempty"`

	// The end user. Requests without one are in no row.
	EndUser string `json:"end_user,omitempty"`

	// The session, as `X-Gateway-Session-Id` or a coding agent names it. Requests without one are in no row.
	Session string `json:"session,omitempty"`

	// The client, such as `codex`. Requests of clients that are not known are in no row.
	Client string `json:"client,omitempty"`

	// The person whose personal keys spent it, `user_…`. Requests of other keys are in no row.
	User string `json:"user,omitempty"`

	// The bucket of `auto`; `none`: the caller named the model.
	Bucket string `json:"bucket,omitempty"`

	// The hour, RFC 3339 with the offset of the time zone asked for.
	Hour string `json:"hour,omitempty"`

	// The day, YYYY-MM-DD, in the time zone asked for.
	Day string `json:"day,omitempty"`

	// The month, YYYY-MM, in the time zone asked for.
	Month string `json:"month,omitempty"`

	// USD.
	CostUSD float64 `json:"cost_usd"`

	// The part of `cost_usd` that was counted here and not by the provider, USD.
	EstimatedCostUSD float64 `json:"estimated_cost_usd"`

	// Requests, failed ones included.
	Requests int64 `json:"requests"`

	FailedRequests int64 `json:"failed_requests"`

	// Everything read, cached input included.
	InputTokens int64 `json:"input_tokens"`

	// The part of `input_tokens` that the provider had in its cache.
	CachedInputTokens int64 `json:"cached_input_tokens"`

	// Everything produced, reasoning included.
	OutputTokens int64 `json:"output_tokens"`

	// The part of `output_tokens` that was reasoning.
	ReasoningTokens int64 `json:"reasoning_tokens"`

	// Requests for `auto`, failed ones included.
	AutoRequests int64 `json:"auto_requests"`

	// The part of `cost_usd` that was for `auto`, USD: all attempts that were billed.
	AutoCostUSD float64 `json:"auto_cost_usd"`

	// What the answers to `auto` would have cost, USD, had the first deployment of the strongest bucket given each of them, with as many tokens. `auto_baseline_usd - auto_cost_usd` was saved. An answer counts what it cost itself where a price is not known, a request without an answer 0. 0 for what was booked before the gateway reckoned with it.
	AutoBaselineUSD float64 `json:"auto_baseline_usd"`

	// The last request; null without any.
	LastAt *string `json:"last_at"`

	// The part of `requests` that the response cache answered. Left out: none.
	CacheHits *int64 `json:"cache_hits,omitempty"`

	// What the responses of `cache_hits` cost when a provider gave them, USD.
	CacheSavedUSD *float64 `json:"cache_saved_usd,omitempty"`

	// What was billed and is no token, such as `web_searches` or `images`, by the classes of a receipt's `usage`. Left out: nothing.
	Units map[string]int64 `json:"units,omitempty"`
}

// SpendTotal is made from the schema of that name.
type SpendTotal struct {
	// USD.
	CostUSD float64 `json:"cost_usd"`

	// The part of `cost_usd` that was counted here and not by the provider, USD.
	EstimatedCostUSD float64 `json:"estimated_cost_usd"`

	// Requests, failed ones included.
	Requests int64 `json:"requests"`

	FailedRequests int64 `json:"failed_requests"`

	// Everything read, cached input included.
	InputTokens int64 `json:"input_tokens"`

	// The part of `input_tokens` that the provider had in its cache.
	CachedInputTokens int64 `json:"cached_input_tokens"`

	// Everything produced, reasoning included.
	OutputTokens int64 `json:"output_tokens"`

	// The part of `output_tokens` that was reasoning.
	ReasoningTokens int64 `json:"reasoning_tokens"`

	// Requests for `auto`, failed ones included.
	AutoRequests int64 `json:"auto_requests"`

	// The part of `cost_usd` that was for `auto`, USD: all attempts that were billed.
	AutoCostUSD float64 `json:"auto_cost_usd"`

	// What the answers to `auto` would have cost, USD, had the first deployment of the strongest bucket given each of them, with as many tokens. `auto_baseline_usd - auto_cost_usd` was saved. An answer counts what it cost itself where a price is not known, a request without an answer 0. 0 for what was booked before the gateway reckoned with it.
	AutoBaselineUSD float64 `json:"auto_baseline_usd"`

	// The last request; null without any.
	LastAt *string `json:"last_at"`

	// The part of `requests` that the response cache answered. Left out: none.
	CacheHits *int64 `json:"cache_hits,omitempty"`

	// What the responses of `cache_hits` cost when a provider gave them, USD.
	CacheSavedUSD *float64 `json:"cache_saved_usd,omitempty"`

	// What was billed and is no token, such as `web_searches` or `images`, by the classes of a receipt's `usage`. Left out: nothing.
	Units map[string]int64 `json:"units,omitempty"`
}
