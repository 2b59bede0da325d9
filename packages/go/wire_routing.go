// Code generated from openapi.json by `npm run openapi`. DO NOT EDIT.

package gateway

// RouteExplanation: What would be done with a request, and why. Nobody is called, nothing is booked, nothing is remembered.
type RouteExplanation struct {
	Answer `json:"-"`

	Object string `json:"object"`

	Endpoint string `json:"endpoint"`

	RequestedModel string `json:"requested_model"`

	// The prompt's, by its score; `none` for embeddings.
	Bucket string `json:"bucket"`

	// The prompt's rank in the reference mix, 0 to 1: 0.7 means that 30 % of the mix needs a strong model more.
	Score float64 `json:"score"`

	// Where each bucket ends and the next begins, as `prefer` moved them.
	CutPoints []float64 `json:"cut_points"`

	Prefer *string `json:"prefer"`

	// What weighed most, strongest first.
	Features []RouteFeature `json:"features"`

	// What would be done now; null: the request would be refused.
	Decision *RouteExplanationDecision `json:"decision"`

	// The error that the caller would get.
	Refusal *RouteExplanationRefusal `json:"refusal"`

	// By bucket, lowest first.
	Candidates []RouteCandidate `json:"candidates"`

	ExpectedCost RouteExplanationExpectedCost `json:"expected_cost"`

	Shadow *ShadowDecision `json:"shadow"`

	Model RouterModel `json:"model"`
}

// RouteExplanationDecision is made from the schema of that name.
type RouteExplanationDecision struct {
	Provider string `json:"provider"`

	Model string `json:"model"`

	Deployment string `json:"deployment"`

	// `none` where the caller names the model.
	Bucket string `json:"bucket"`

	// 0 when no score decides.
	Score float64 `json:"score"`

	Reasons []string `json:"reasons"`
}

// RouteExplanationRefusal is made from the schema of that name.
type RouteExplanationRefusal struct {
	Status int64 `json:"status"`

	Type string `json:"type"`

	Code string `json:"code"`

	Message string `json:"message"`
}

// RouteExplanationExpectedCost is made from the schema of that name.
type RouteExplanationExpectedCost struct {
	// At the deployment that is tried first; null: nobody knows.
	USD *float64 `json:"usd"`

	InputTokens int64 `json:"input_tokens"`

	OutputTokens int64 `json:"output_tokens"`

	Assumption string `json:"assumption"`
}

// RouterModel is made from the schema of that name.
type RouterModel struct {
	Name string `json:"name"`

	// Of its training, `YYYY-MM-DD`.
	Date string `json:"date"`

	// null: the model that ships.
	File *string `json:"file"`

	// RFC 3339 in UTC.
	LoadedAt string `json:"loaded_at"`

	// The file holds something else by now that can't be used; the model before it goes on.
	Refused *RouterModelRefused `json:"refused"`
}

// RouterModelRefused is made from the schema of that name.
type RouterModelRefused struct {
	// RFC 3339 in UTC.
	At string `json:"at"`

	Message string `json:"message"`
}

// RouteCandidate: A deployment, and what becomes of it.
type RouteCandidate struct {
	Deployment string `json:"deployment"`

	Provider string `json:"provider"`

	Model string `json:"model"`

	// null: no bucket was asked for. A deployment in several buckets is listed in each.
	Bucket *string `json:"bucket"`

	// `chosen`: it is tried first. `spare`: it is tried when those before it failed. `unhealthy`: it is tried last, since its circuit is open, it is full or it asked for a pause. `filtered`: it can't serve this request. `lower_bucket`: it is in a bucket below the prompt's, which is never used. `not_needed`: it could, and is not tried.
	Fate string `json:"fate"`

	// Its place among those that are tried, from 1; null: it is not.
	Place *int64 `json:"place"`

	// Why it is filtered.
	Why *string `json:"why"`

	// null: nobody knows its price.
	ExpectedCostUSD *float64 `json:"expected_cost_usd"`
}

// RouteFeature is made from the schema of that name.
type RouteFeature struct {
	// In plain words.
	Name string `json:"name"`

	// What the prompt has of it, in the feature's own unit.
	Value float64 `json:"value"`

	// What it added to the score: 0.1 moves a typical prompt up by about a tenth of the reference mix.
	Weight float64 `json:"weight"`
}

// RouteQuestion is made from the schema of that name.
type RouteQuestion struct {
	// The body as it would be sent to the endpoint. Without `model` it asks for `auto`.
	Request any `json:"request"`

	// Default: `/v1/chat/completions`.
	Endpoint string `json:"endpoint,omitempty"`

	// The id of the virtual key whose rights apply. Default: every deployment is allowed.
	Key string `json:"key,omitempty"`

	// As `X-Gateway-Route-Prefer`.
	Prefer string `json:"prefer,omitempty"`

	// As `X-Gateway-Session-Id`; with `key`.
	SessionID string `json:"session_id,omitempty"`

	// Extra has fields by their names on the wire, which go before the others: nil sends null.
	Extra map[string]any `json:"-"`
}

func (v RouteQuestion) MarshalJSON() ([]byte, error) {
	type plain RouteQuestion
	return encodeWith(plain(v), v.Extra)
}

func (v *RouteQuestion) UnmarshalJSON(text []byte) (err error) {
	type plain RouteQuestion
	v.Extra, err = decodeWith(text, (*plain)(v))
	return err
}
