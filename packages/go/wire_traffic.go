// Code generated from openapi.json by `npm run openapi`. DO NOT EDIT.

package gateway

// TrafficReport is made from the schema of that name.
type TrafficReport struct {
	Answer `json:"-"`

	Object string `json:"object"`

	// Inclusive: what was asked for, down to a whole interval.
	From string `json:"from"`

	// Exclusive: what was asked for, up to a whole interval.
	To string `json:"to"`

	TimeZone string `json:"time_zone"`

	// null: not cut by time.
	Interval *string `json:"interval"`

	Total TrafficTotal `json:"total"`

	// All traffic of the time before that is as long, as far as it is kept. With `compare=true` only.
	Before *TrafficTotal `json:"before,omitempty"`

	// Of all traffic asked for. With `histograms=true` only.
	Histograms *TrafficReportHistograms `json:"histograms,omitempty"`

	// In the order of time, then most requests first. Times without traffic have none.
	Rows []TrafficRow `json:"rows"`

	// Whether `rows` was cut at `limit`. The total is of everything.
	HasMore bool `json:"has_more"`
}

// TrafficReportHistograms: Of all traffic asked for. With `histograms=true` only.
type TrafficReportHistograms struct {
	// How many whole answers took so long, in classes that grow by a third. None of them is empty.
	LatencyMs []TrafficReportHistogramsLatencyMs `json:"latency_ms"`

	// How many streams began after so long, in classes that grow by a third. None of them is empty.
	FirstTokenMs []TrafficReportHistogramsFirstTokenMs `json:"first_token_ms"`

	// How many prompts got such a score from `auto`, in all twenty classes from 0 to 1.
	Scores []TrafficReportHistogramsScore `json:"scores"`
}

// TrafficReportHistogramsLatencyMs is made from the schema of that name.
type TrafficReportHistogramsLatencyMs struct {
	// Milliseconds, inclusive.
	From float64 `json:"from"`

	// Milliseconds, exclusive.
	To float64 `json:"to"`

	Count int64 `json:"count"`
}

// TrafficReportHistogramsFirstTokenMs is made from the schema of that name.
type TrafficReportHistogramsFirstTokenMs struct {
	// Milliseconds, inclusive.
	From float64 `json:"from"`

	// Milliseconds, exclusive.
	To float64 `json:"to"`

	Count int64 `json:"count"`
}

// TrafficReportHistogramsScore is made from the schema of that name.
type TrafficReportHistogramsScore struct {
	// Inclusive.
	From float64 `json:"from"`

	// Exclusive, but for 1.
	To float64 `json:"to"`

	Count int64 `json:"count"`
}

// TrafficRow: It names the dimensions that were asked for, and no others.
type TrafficRow struct {
	// The beginning of the interval, RFC 3339 with the offset of the time zone asked for.
	Start string `json:"start,omitempty"`

	// The deployment; null: refused before one was chosen.
	Deployment string `json:"deployment,omitempty"`

	// Its provider.
	Provider string `json:"provider,omitempty"`

	// Its model, as the provider is asked for it.
	Model string `json:"model,omitempty"`

	// The bucket of `auto`; `none` where the caller named the model.
	Bucket string `json:"bucket,omitempty"`

	// The path of the endpoint.
	Endpoint string `json:"endpoint,omitempty"`

	// `true` or `false`.
	Stream string `json:"stream,omitempty"`

	// How the request ended, as in its receipt.
	Status string `json:"status,omitempty"`

	// How the attempt ended, as in the receipt, or the code of a refusal before routing. A request counts with its last attempt. With key, team or tag: refusals before routing only.
	Error string `json:"error,omitempty"`

	// The limit that refused it: `rpm`, `tpm`, `parallel` or `budget`.
	Limit string `json:"limit,omitempty"`

	// The id of the key; null: requests that were refused before it was known.
	Key string `json:"key,omitempty"`

	// What the key is called now, beside `key`; null: it has no name.
	KeyName string `json:"key_name,omitempty"`

	// The team; null: keys without one.
	Team string `json:"team,omitempty"`

	// The tag; null: requests without one. A request with several counts in each of them.
	Tag string `json:"tag,omitempty"`

	// Requests, refused ones included. Each counts with its last attempt.
	Requests int64 `json:"requests"`

	// Answered.
	Ok int64 `json:"ok"`

	// Without an answer, or lost with the process.
	Failed int64 `json:"failed"`

	// Broken off after the answer had begun.
	Cut int64 `json:"cut"`

	// The caller left before the end.
	ClientGone int64 `json:"client_gone"`

	// By the gateway, before or after routing: a wrong key, a bad request, a limit, a budget, the store.
	Refused int64 `json:"refused"`

	// (failed + cut) / (ok + failed + cut), 0 to 1: refused requests and those whose caller left count neither way. null: there were none.
	FailureRate *float64 `json:"failure_rate"`

	// Took more than one attempt.
	Retried int64 `json:"retried"`

	// Calls of deployments.
	Attempts int64 `json:"attempts"`

	// From the beginning to the end of whole answers.
	LatencyMs Times `json:"latency_ms"`

	// To the first content of streams.
	FirstTokenMs Times `json:"first_token_ms"`

	// What whole answers took beside the calls of providers: the gateway itself, and its pauses between attempts.
	OverheadMs TrafficRowOverheadMs `json:"overhead_ms"`

	// Output of streams after the first content.
	TokensPerSecond TrafficRowTokensPerSecond `json:"tokens_per_second"`

	// Everything read, cached input included.
	InputTokens int64 `json:"input_tokens"`

	// The part of it that providers had in their caches.
	CachedInputTokens int64 `json:"cached_input_tokens"`

	// Everything produced, reasoning included.
	OutputTokens int64 `json:"output_tokens"`

	// Of all attempts, USD, as the ledger has it.
	CostUSD float64 `json:"cost_usd"`

	// Answers whose price nobody knows: they are no part of `cost_usd`.
	Unpriced int64 `json:"unpriced"`

	// What the answers to `auto` would have cost at the first deployment of the strongest bucket, USD.
	AutoBaselineUSD float64 `json:"auto_baseline_usd"`
}

// TrafficRowOverheadMs: What whole answers took beside the calls of providers: the gateway itself, and its pauses between attempts.
type TrafficRowOverheadMs struct {
	// Half of them; at most 5 % off; null: nothing to measure.
	P50 *float64 `json:"p50"`

	// 99 %; at most 5 % off; null: nothing to measure.
	P99 *float64 `json:"p99"`
}

// TrafficRowTokensPerSecond: Output of streams after the first content.
type TrafficRowTokensPerSecond struct {
	// A tenth was slower than this; at most 5 % off; null: nothing to measure.
	P10 *float64 `json:"p10"`

	// Half was slower; at most 5 % off; null: nothing to measure.
	P50 *float64 `json:"p50"`
}

// Times: Milliseconds.
type Times struct {
	// Half of them took at most this; at most 5 % off; null: nothing to measure.
	P50 *float64 `json:"p50"`

	// 90 %; at most 5 % off; null: nothing to measure.
	P90 *float64 `json:"p90"`

	// 95 %; at most 5 % off; null: nothing to measure.
	P95 *float64 `json:"p95"`

	// 99 %; at most 5 % off; null: nothing to measure.
	P99 *float64 `json:"p99"`

	// The longest, exactly.
	Max *float64 `json:"max"`
}

// TrafficTotal is made from the schema of that name.
type TrafficTotal struct {
	// Requests, refused ones included. Each counts with its last attempt.
	Requests int64 `json:"requests"`

	// Answered.
	Ok int64 `json:"ok"`

	// Without an answer, or lost with the process.
	Failed int64 `json:"failed"`

	// Broken off after the answer had begun.
	Cut int64 `json:"cut"`

	// The caller left before the end.
	ClientGone int64 `json:"client_gone"`

	// By the gateway, before or after routing: a wrong key, a bad request, a limit, a budget, the store.
	Refused int64 `json:"refused"`

	// (failed + cut) / (ok + failed + cut), 0 to 1: refused requests and those whose caller left count neither way. null: there were none.
	FailureRate *float64 `json:"failure_rate"`

	// Took more than one attempt.
	Retried int64 `json:"retried"`

	// Calls of deployments.
	Attempts int64 `json:"attempts"`

	// From the beginning to the end of whole answers.
	LatencyMs Times `json:"latency_ms"`

	// To the first content of streams.
	FirstTokenMs Times `json:"first_token_ms"`

	// What whole answers took beside the calls of providers: the gateway itself, and its pauses between attempts.
	OverheadMs TrafficTotalOverheadMs `json:"overhead_ms"`

	// Output of streams after the first content.
	TokensPerSecond TrafficTotalTokensPerSecond `json:"tokens_per_second"`

	// Everything read, cached input included.
	InputTokens int64 `json:"input_tokens"`

	// The part of it that providers had in their caches.
	CachedInputTokens int64 `json:"cached_input_tokens"`

	// Everything produced, reasoning included.
	OutputTokens int64 `json:"output_tokens"`

	// Of all attempts, USD, as the ledger has it.
	CostUSD float64 `json:"cost_usd"`

	// Answers whose price nobody knows: they are no part of `cost_usd`.
	Unpriced int64 `json:"unpriced"`

	// What the answers to `auto` would have cost at the first deployment of the strongest bucket, USD.
	AutoBaselineUSD float64 `json:"auto_baseline_usd"`
}

// TrafficTotalOverheadMs: What whole answers took beside the calls of providers: the gateway itself, and its pauses between attempts.
type TrafficTotalOverheadMs struct {
	// Half of them; at most 5 % off; null: nothing to measure.
	P50 *float64 `json:"p50"`

	// 99 %; at most 5 % off; null: nothing to measure.
	P99 *float64 `json:"p99"`
}

// TrafficTotalTokensPerSecond: Output of streams after the first content.
type TrafficTotalTokensPerSecond struct {
	// A tenth was slower than this; at most 5 % off; null: nothing to measure.
	P10 *float64 `json:"p10"`

	// Half was slower; at most 5 % off; null: nothing to measure.
	P50 *float64 `json:"p50"`
}
