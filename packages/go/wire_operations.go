// Code generated from openapi.json by `npm run openapi`. DO NOT EDIT.

package gateway

// PriceLine: A part of what a request cost.
type PriceLine struct {
	// Which attempt it belongs to, from 1.
	Attempt int64 `json:"attempt"`

	Deployment string `json:"deployment"`

	// A class of `usage`. `held`: what was held for the attempt was booked, since what it used is not known or has no price.
	Class string `json:"class"`

	// null: `held`.
	Count *int64 `json:"count"`

	// null: `held`.
	Unit *string `json:"unit"`

	// USD for `per` units; null: `held`, or nobody knows.
	RateUSD *float64 `json:"rate_usd"`

	// null: `held`.
	Per *int64 `json:"per"`

	// USD. The cost is rounded to a billionth of a dollar once, and its lines are made to add up to it: one may differ from its count times its rate by a billionth. null: nobody knows the rate, and it is no part of the cost.
	CostUSD *float64 `json:"cost_usd"`
}

// DeploymentList is made from the schema of that name.
type DeploymentList struct {
	Answer `json:"-"`

	Object string `json:"object"`

	// In the order of the configuration.
	Data []Deployment `json:"data"`
}

// Deployment: One model at one provider.
type Deployment struct {
	ID string `json:"id"`

	Object string `json:"object"`

	// The provider's name in the configuration.
	Provider string `json:"provider"`

	// What the provider is asked for.
	Model string `json:"model"`

	// The wire language spoken to the provider.
	Protocol string `json:"protocol"`

	Status string `json:"status"`

	Health Health `json:"health"`

	// Output of its streams after the first token, half of them slower, in the last hour; null: nothing to measure.
	TokensPerSecondP50 *float64 `json:"tokens_per_second_p50"`

	// Failed calls over calls of the last 15 minutes, 0 to 1. Calls whose caller left, or whose request was at fault, count neither way. null: there were none.
	FailureRate15m *float64 `json:"failure_rate_15m"`

	// Calls of it in the last hour that count, as in `failure_rate_15m`.
	Requests1h int64 `json:"requests_1h"`

	// Those of them that failed.
	Failed1h int64 `json:"failed_1h"`

	// The provider's keys, in the order of the configuration; empty: it has none.
	Keys []ProviderKey `json:"keys"`

	// The buckets of `auto` that it serves.
	Buckets []string `json:"buckets"`

	Weight float64 `json:"weight"`

	// Lower is tried first where the order is by priority.
	Priority float64 `json:"priority"`

	// null: nobody knows.
	Price *Price `json:"price"`

	// Tokens of input and output together; null: unknown.
	ContextWindow *int64 `json:"context_window"`

	MaxOutputTokens *int64 `json:"max_output_tokens"`

	// What it can do.
	Supports []string `json:"supports"`

	// Requests it is answering now.
	InFlight int64 `json:"in_flight"`

	MaxInFlight *int64 `json:"max_in_flight"`
}

// Price: The prices in force now.
type Price struct {
	// Input, USD per million tokens.
	Input float64 `json:"input"`

	// Input read from the provider's cache, USD per million tokens.
	CachedInput float64 `json:"cached_input"`

	// Input written to the provider's cache, USD per million tokens.
	CacheWrite float64 `json:"cache_write"`

	// Output, USD per million tokens.
	Output float64 `json:"output"`

	// Reasoning, USD per million tokens.
	Reasoning float64 `json:"reasoning"`

	// Other prices for long requests, by ascending threshold; they then hold for all of the tokens.
	Tiers []PriceTier `json:"tiers"`

	// `configuration`, or `catalogue`.
	Source string `json:"source"`

	Version string `json:"version"`
}

// PriceTier is made from the schema of that name.
type PriceTier struct {
	// The tier holds for requests with more input tokens than this.
	AboveInputTokens int64 `json:"above_input_tokens"`

	// Input, USD per million tokens.
	Input float64 `json:"input"`

	// Input read from the provider's cache, USD per million tokens.
	CachedInput float64 `json:"cached_input"`

	// Input written to the provider's cache, USD per million tokens.
	CacheWrite float64 `json:"cache_write"`

	// Output, USD per million tokens.
	Output float64 `json:"output"`

	// Reasoning, USD per million tokens.
	Reasoning float64 `json:"reasoning"`
}

// Health: What recent real traffic says of a deployment. It is never called just to see.
type Health struct {
	// closed: it is called; open: it is not, for a while; half_open: one request tries it.
	Circuit string `json:"circuit"`

	// When the circuit opened, or closed after it had been open; null: it never was.
	Since *string `json:"since"`

	ConsecutiveFailures int64 `json:"consecutive_failures"`

	// What the circuit goes by: failures over calls of the last 30 s, or since it closed, 0 to 1. See `failure_rate_15m` for people.
	ErrorRate float64 `json:"error_rate"`

	// Median of whole answers, milliseconds.
	LatencyMsP50 *float64 `json:"latency_ms_p50"`

	// 95 % of whole answers took at most this.
	LatencyMsP95 *float64 `json:"latency_ms_p95"`

	// Median time to the first token, milliseconds.
	TTFTMsP50 *float64 `json:"ttft_ms_p50"`

	// 95 % of streams began within this.
	TTFTMsP95 *float64 `json:"ttft_ms_p95"`

	LastError *HealthLastError `json:"last_error"`
}

// HealthLastError is made from the schema of that name.
type HealthLastError struct {
	// RFC 3339 in UTC.
	At string `json:"at"`

	// What sort of failure, e.g. `unavailable`, `rate_limited`.
	Class string `json:"class"`

	// The provider's HTTP status; null: it gave none.
	Status *int64 `json:"status"`

	// The provider's error code, where it gave one.
	Code *string `json:"code"`

	// In the gateway's words: what a provider says may quote the caller.
	Message string `json:"message"`
}

// DeploymentSelection: One deployment, or several.
type DeploymentSelection struct {
	// The id of a deployment.
	Deployment string `json:"deployment,omitempty"`

	// The ids of several: all of them change, or none.
	Deployments []string `json:"deployments,omitempty"`

	// Extra has fields by their names on the wire, which go before the others: nil sends null.
	Extra map[string]any `json:"-"`
}

func (v DeploymentSelection) MarshalJSON() ([]byte, error) {
	type plain DeploymentSelection
	return encodeWith(plain(v), v.Extra)
}

func (v *DeploymentSelection) UnmarshalJSON(text []byte) (err error) {
	type plain DeploymentSelection
	v.Extra, err = decodeWith(text, (*plain)(v))
	return err
}
