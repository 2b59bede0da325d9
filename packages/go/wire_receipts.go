// Code generated from openapi.json by `npm run openapi`. DO NOT EDIT.

package gateway

// ShadowDecision: Where `router.shadow` is on: `auto` decides and records, and routes nothing. null: it is off.
type ShadowDecision struct {
	Bucket string `json:"bucket"`

	Score float64 `json:"score"`

	// null: nothing in that bucket or above could have served the request.
	Deployment *string `json:"deployment"`

	// What the request was expected to cost more where it went than where `auto` would have sent it, USD; null: nobody knows a price.
	ExpectedDifferenceUSD *float64 `json:"expected_difference_usd"`
}

// Receipt: What happened to one request, and what it cost. It holds nothing of what was asked or answered, unless an error message quotes it.
type Receipt struct {
	Answer `json:"-"`

	// `rcpt_…`; the id of the request is the same with `req_`.
	ID string `json:"id"`

	Object string `json:"object"`

	// When the request had been admitted and was routed, or when it was refused.
	At string `json:"at"`

	// Milliseconds until it was over and booked.
	DurationMs int64 `json:"duration_ms"`

	// Empty: it was refused before its key was known.
	KeyID string `json:"key_id"`

	// What the key was called then; null: it had no name, or an earlier version did not record it.
	KeyName *string `json:"key_name"`

	Team *string `json:"team"`

	// The path of the endpoint; null: the path is no endpoint's, or it was lost with the process.
	Endpoint *string `json:"endpoint"`

	// The `model` that the caller sent; null: refused before it was read, or lost with the process.
	RequestedModel *string `json:"requested_model"`

	// Who answered; without an answer who was asked last, or would have been. Its names are empty where the request was not routed.
	Decision ReceiptDecision `json:"decision"`

	// In order; empty: no deployment was asked.
	Attempts []ReceiptAttempt `json:"attempts"`

	Usage ReceiptUsage `json:"usage"`

	// All attempts together, USD, as the ledger has it; null: nobody knows the price.
	CostUSD *float64 `json:"cost_usd"`

	// What `cost_usd` is made of, to the billionth of a dollar; null: nobody knows the price, or an earlier version did not record the rates.
	PriceLines []PriceLine `json:"price_lines"`

	// What the same tokens would have cost at the first deployment of the strongest bucket, USD; null: the caller named the model, nobody knows a price, or it was not recorded.
	BaselineUSD *float64 `json:"baseline_usd"`

	// Some of it was counted by the gateway, because a provider did not say.
	CostIsEstimate bool `json:"cost_is_estimate"`

	// Where the price comes from; null: nobody knows it.
	Price *ReceiptPrice `json:"price"`

	// `failed`: there was no answer. `cut`: it broke off after it had begun. `client_gone`: the caller left before its end. `refused`: by the gateway, before routing (`refusal`: a wrong key, a limit, a request that can't be read or served) or after it (a budget, the store). `abandoned`: the gateway's process died over it; its worst case was booked at the next start. `blocked`: a guardrail denied the request, or its response.
	Status string `json:"status"`

	// Why it did not end `ok`, as one word: the code of its refusal, `budget`, the outcome of its last attempt, or its status; null: it ended `ok`.
	Error *string `json:"error"`

	// null: it was routed.
	Refusal *Refusal `json:"refusal"`

	// The budget that had no room for it; null: none refused it, or an earlier version did not record which.
	RefusedBy *RefusedBy `json:"refused_by"`

	// What each check did, at the request and at the response. Left out: no check ran.
	Guardrails []GuardrailVerdict `json:"guardrails,omitempty"`

	// The response came from the response cache. Left out: it did not.
	Cache *ReceiptCache `json:"cache,omitempty"`

	Stream bool `json:"stream"`

	ClientDisconnected bool `json:"client_disconnected"`

	// The `X-Gateway-Session-Id` that the caller sent; null: none, or it was not recorded.
	SessionID *string `json:"session_id"`

	// The end user whom the request counted for. Left out: none, or it was not recorded.
	EndUser string `json:"end_user,omitempty"`

	Tags []string `json:"tags"`

	// What the caller thought of the answer; null: it did not say.
	Feedback *ReceiptFeedback `json:"feedback"`
}

// ReceiptDecision: Who answered; without an answer who was asked last, or would have been. Its names are empty where the request was not routed.
type ReceiptDecision struct {
	Provider string `json:"provider"`

	Model string `json:"model"`

	Deployment string `json:"deployment"`

	// `none` when the caller named the model.
	Bucket string `json:"bucket"`

	// 0 to 1; 0 when no score decided.
	Score float64 `json:"score"`

	// Why, in plain words.
	Reasons []string `json:"reasons"`

	// Where each bucket ended and the next began for this request; null: no score was asked for, or an earlier version did not record it.
	CutPoints []float64 `json:"cut_points"`

	// What weighed most, strongest first, five at most; empty: nothing was scored, or it was not recorded.
	Features []RouteFeature `json:"features"`

	// Every deployment that was thought of: those that were to be tried, in order, then the others. Callers are not told of those that their keys may not use. null: lost with the process, or an earlier version did not record it.
	Considered []Considered `json:"considered"`

	Shadow *ShadowDecision `json:"shadow"`
}

// ReceiptPrice is made from the schema of that name.
type ReceiptPrice struct {
	Source string `json:"source"`

	Version string `json:"version"`
}

// ReceiptCache: The response came from the response cache. Left out: it did not.
type ReceiptCache struct {
	Result string `json:"result"`

	// Age of the response, milliseconds.
	AgeMs float64 `json:"age_ms"`

	// What the response cost when a provider gave it, USD.
	SavedUSD float64 `json:"saved_usd"`

	// The receipt of the request that it was given to first.
	FromReceipt string `json:"from_receipt"`
}

// ReceiptFeedback is made from the schema of that name.
type ReceiptFeedback struct {
	// 0 to 1: how good the answer was.
	Score float64 `json:"score"`

	// When this score was given.
	At string `json:"at"`
}

// ReceiptUsage: Of all attempts, in classes that do not overlap: tokens, whose sum is the total, and what else is billed. Those that are rare are left out where there is nothing of them.
type ReceiptUsage struct {
	// Read, neither from a cache nor into one.
	Input int64 `json:"input"`

	// Read from the provider's cache.
	CachedInput int64 `json:"cached_input"`

	// Written to a cache that lives five minutes.
	CacheWrite int64 `json:"cache_write"`

	// Written to a cache that lives an hour.
	CacheWrite1h int64 `json:"cache_write_1h"`

	// Visible output.
	Output int64 `json:"output"`

	// Reasoning.
	Reasoning int64 `json:"reasoning"`

	// Audio read.
	AudioInput int64 `json:"audio_input"`

	// Audio produced.
	AudioOutput int64 `json:"audio_output"`

	// Written to a cache that lives twelve hours.
	CacheWrite12h *int64 `json:"cache_write_12h,omitempty"`

	// Audio read from the provider's cache, where it is counted apart.
	CachedAudioInput *int64 `json:"cached_audio_input,omitempty"`

	// Tokens of images read, where they are counted apart.
	ImageInput *int64 `json:"image_input,omitempty"`

	// Tokens of images produced.
	ImageOutput *int64 `json:"image_output,omitempty"`

	// Images that are billed by the piece.
	Images *int64 `json:"images,omitempty"`

	// Seconds of audio.
	AudioSeconds *int64 `json:"audio_seconds,omitempty"`

	// Characters.
	Characters *int64 `json:"characters,omitempty"`

	// Units of reranking.
	RerankUnits *int64 `json:"rerank_units,omitempty"`

	// Calls with a fee of their own.
	RequestFees *int64 `json:"request_fees,omitempty"`

	// Web searches by the provider.
	WebSearches *int64 `json:"web_searches,omitempty"`

	// File searches by the provider.
	FileSearches *int64 `json:"file_searches,omitempty"`

	// Code executions by the provider.
	CodeExecutions *int64 `json:"code_executions,omitempty"`
}

// ReceiptAttempt: One call to one deployment.
type ReceiptAttempt struct {
	Deployment string `json:"deployment"`

	// `ok`, or why it failed. `unsupported`: the request could not be said to this provider, which was not called. `client_gone`: the caller left. `shutdown`: the gateway was stopped. `abandoned`: its process died. `failed`: nobody knows why.
	Outcome string `json:"outcome"`

	// The provider's; null: none came.
	HTTPStatus *int64 `json:"http_status"`

	// null: the call did not fail, or an earlier version did not record it. Callers see it only where the request is at fault (`bad_request`, `context_length`, `content_filter`).
	Error *ProviderError `json:"error"`

	// Names of the request's fields that were left out or changed for this deployment, as in `X-Gateway-Dropped-Params`, 20 at most. Left out: none, or an earlier version did not record them.
	Adapted []string `json:"adapted,omitempty"`

	// Milliseconds since the request's `at`.
	StartedMs int64 `json:"started_ms"`

	// Milliseconds since the request's `at`; null: no content came, or all of it at once.
	FirstTokenMs *int64 `json:"first_token_ms"`

	// Milliseconds.
	DurationMs int64 `json:"duration_ms"`

	// USD; null: nobody knows the price.
	CostUSD *float64 `json:"cost_usd"`

	// The service tier whose prices were booked, such as `flex`. Left out: the standard one.
	ServiceTier string `json:"service_tier,omitempty"`
}

// ReceiptPage is made from the schema of that name.
type ReceiptPage struct {
	Answer `json:"-"`

	Object string `json:"object"`

	// Those that ended last come first.
	Data []Receipt `json:"data"`

	HasMore bool `json:"has_more"`

	// What to give as `after` for the next page; null: this was the last.
	Next *string `json:"next"`

	// The search for rare requests stopped at those that ended then, so that nobody waits for it: `next` goes on. Left out: it did not stop.
	ScannedTo string `json:"scanned_to,omitempty"`
}

// Feedback: As it stands in the receipt from now on.
type Feedback struct {
	Answer `json:"-"`

	Object string `json:"object"`

	ReceiptID string `json:"receipt_id"`

	// 0 to 1: how good the answer was.
	Score float64 `json:"score"`

	// When this score was given.
	At string `json:"at"`
}

// GiveFeedback is made from the schema of that name.
type GiveFeedback struct {
	// How good the answer was: 0 (useless) to 1 (as good as can be).
	Score float64 `json:"score"`

	// Extra has fields by their names on the wire, which go before the others: nil sends null.
	Extra map[string]any `json:"-"`
}

func (v GiveFeedback) MarshalJSON() ([]byte, error) {
	type plain GiveFeedback
	return encodeWith(plain(v), v.Extra)
}

func (v *GiveFeedback) UnmarshalJSON(text []byte) (err error) {
	type plain GiveFeedback
	v.Extra, err = decodeWith(text, (*plain)(v))
	return err
}
