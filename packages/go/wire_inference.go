// Code generated from openapi.json by `npm run openapi`. DO NOT EDIT.

package gateway

// GuardrailVerdict is made from the schema of that name.
type GuardrailVerdict struct {
	Check string `json:"check"`

	Stage string `json:"stage"`

	// `pass`: it ran and found nothing. `error_allowed`, `error_denied`: it gave no verdict, which let the texts pass or denied them.
	Action string `json:"action"`

	// How many matches each rule found. It never holds what was found.
	Rules map[string]int64 `json:"rules"`

	// Milliseconds that the caller waited for a webhook. Left out: it is no webhook.
	Ms *int64 `json:"ms,omitempty"`
}

// RefusedBy: With its figures of that moment.
type RefusedBy struct {
	Limit string `json:"limit"`

	// Whose budget it is.
	Scope string `json:"scope"`

	// The id of that key, end user or session, or the name of the team.
	Subject string `json:"subject,omitempty"`

	// The models of the rule that the budget is in. Left out: it is no model rule's.
	Models []string `json:"models,omitempty"`

	// The time it is for.
	Window string `json:"window"`

	// The amount, USD.
	LimitUSD float64 `json:"limit_usd"`

	// Spent; where requests in flight were the reason, held by them as well.
	UsedUSD float64 `json:"used_usd"`

	// What this request could have cost at most, USD.
	NeededUSD float64 `json:"needed_usd"`
}

// Refusal: The request reached no deployment, and nothing was reserved for it.
type Refusal struct {
	Method string `json:"method"`

	HTTPStatus int64 `json:"http_status"`

	// The `code` of the error that the caller got.
	Code string `json:"code"`

	// Its message, 500 characters at most. It may quote the request.
	Message string `json:"message"`

	// The limit of the key or its team.
	Limit *string `json:"limit"`

	// Requests that this receipt stands for. After ten receipts for one key and code in a minute, or a thousand in all, the others of that minute are one receipt, with the id of the first of them.
	Count int64 `json:"count"`
}

// ProviderError: The provider's words, 500 characters at most, credentials struck out; where it sent no HTTP status, the gateway's. They may quote the request.
type ProviderError struct {
	Message string `json:"message"`

	Code *string `json:"code"`

	Type *string `json:"type"`
}

// Considered: A deployment, and what became of it.
type Considered struct {
	Deployment string `json:"deployment"`

	// `chosen`: it was to be tried first. `spare`: if those before it failed. `unhealthy`: last, since it was not ready. `filtered`: it could not serve this request. `lower_bucket`: it could, and its bucket is below the prompt's. `not_needed`: it could, and was not to be tried. What was really asked stands in `attempts`.
	Fate string `json:"fate"`

	// In words, where there is more to say.
	Why *string `json:"why"`
}

// CacheRules: What is left out holds as the team, then the configuration file says.
type CacheRules struct {
	// `on_request`: only requests with `X-Gateway-Cache: on` use the cache.
	Mode string `json:"mode,omitempty"`

	// How long a response is used, seconds: at most 30 days.
	TtlSeconds *int64 `json:"ttl_seconds,omitempty"`

	// `team`: the keys of one team share their responses.
	Namespace string `json:"namespace,omitempty"`

	// Whether responses that call the client's functions are stored.
	ToolCalls *bool `json:"tool_calls,omitempty"`

	// Extra has fields by their names on the wire, which go before the others: nil sends null.
	Extra map[string]any `json:"-"`
}

func (v CacheRules) MarshalJSON() ([]byte, error) {
	type plain CacheRules
	return encodeWith(plain(v), v.Extra)
}

func (v *CacheRules) UnmarshalJSON(text []byte) (err error) {
	type plain CacheRules
	v.Extra, err = decodeWith(text, (*plain)(v))
	return err
}

// ScopeTemplate is made from the schema of that name.
type ScopeTemplate struct {
	Limits Limits `json:"limits"`

	Budgets []BudgetInput `json:"budgets"`

	ModelRules []ModelRule `json:"model_rules"`
}

// ScopeTemplateInput: They hold from the first request on. Nothing has to be created for an end user or session.
type ScopeTemplateInput struct {
	Limits *LimitsInput `json:"limits,omitempty"`

	// At most 16, each of another window. All of them hold.
	Budgets []BudgetInput `json:"budgets,omitempty"`

	// At most 8, each for other models. All of them hold.
	ModelRules []ModelRuleInput `json:"model_rules,omitempty"`

	// Extra has fields by their names on the wire, which go before the others: nil sends null.
	Extra map[string]any `json:"-"`
}

func (v ScopeTemplateInput) MarshalJSON() ([]byte, error) {
	type plain ScopeTemplateInput
	return encodeWith(plain(v), v.Extra)
}

func (v *ScopeTemplateInput) UnmarshalJSON(text []byte) (err error) {
	type plain ScopeTemplateInput
	v.Extra, err = decodeWith(text, (*plain)(v))
	return err
}

// EndUserSource is made from the schema of that name.
type EndUserSource struct {
	// Where the end user is read from: `header` is `X-Gateway-End-User`, `field` is `safety_identifier`, `user` or `metadata.user_id` of the body. Default: header.
	From []string `json:"from,omitempty"`

	// Refuse requests without an end user. Default: false.
	Required *bool `json:"required,omitempty"`

	// Every request of the key is of this end user. No header and no field is read. Default: null.
	Fixed string `json:"fixed,omitempty"`
}

// EndUserSourceInput is made from the schema of that name.
type EndUserSourceInput struct {
	// Where the end user is read from: `header` is `X-Gateway-End-User`, `field` is `safety_identifier`, `user` or `metadata.user_id` of the body. Default: header.
	From []string `json:"from,omitempty"`

	// Refuse requests without an end user. Default: false.
	Required *bool `json:"required,omitempty"`

	// Every request of the key is of this end user. No header and no field is read. Default: null.
	Fixed string `json:"fixed,omitempty"`

	// Extra has fields by their names on the wire, which go before the others: nil sends null.
	Extra map[string]any `json:"-"`
}

func (v EndUserSourceInput) MarshalJSON() ([]byte, error) {
	type plain EndUserSourceInput
	return encodeWith(plain(v), v.Extra)
}

func (v *EndUserSourceInput) UnmarshalJSON(text []byte) (err error) {
	type plain EndUserSourceInput
	v.Extra, err = decodeWith(text, (*plain)(v))
	return err
}

// OwnScope: An end user, a session, the personal keys of a person or a model rule, with what is left of its budgets.
type OwnScope struct {
	Scope string `json:"scope"`

	// The id of the key, end user, session or person, or the name of the team.
	Subject string `json:"subject"`

	// Of a model rule: the models that it is for.
	Models []string `json:"models,omitempty"`

	Limits Limits `json:"limits"`

	Budgets []Budget `json:"budgets"`
}

// ProviderChoice is made from the schema of that name.
type ProviderChoice struct {
	// These providers come first, in this order: names, vendors or the IDs of deployments.
	Order []string `json:"order,omitempty"`

	// Only these providers are called.
	Only []string `json:"only,omitempty"`

	// These providers are not called.
	Ignore []string `json:"ignore,omitempty"`

	// `false`: only the providers in `order` are called; without `order`, only the first deployment of each model.
	AllowFallbacks *bool `json:"allow_fallbacks,omitempty"`

	// Replaces the configured order and the session's deployment.
	Sort string `json:"sort,omitempty"`

	// The most that a deployment may charge. Those without a known price are excluded.
	MaxPrice *ProviderChoiceMaxPrice `json:"max_price,omitempty"`

	// `true`: a deployment that would drop a parameter is not called.
	RequireParameters *bool `json:"require_parameters,omitempty"`

	// `true`: only deployments with `zdr: true` are called.
	Zdr *bool `json:"zdr,omitempty"`

	// Extra has fields by their names on the wire, which go before the others: nil sends null.
	Extra map[string]any `json:"-"`
}

func (v ProviderChoice) MarshalJSON() ([]byte, error) {
	type plain ProviderChoice
	return encodeWith(plain(v), v.Extra)
}

func (v *ProviderChoice) UnmarshalJSON(text []byte) (err error) {
	type plain ProviderChoice
	v.Extra, err = decodeWith(text, (*plain)(v))
	return err
}

// ProviderChoiceMaxPrice is made from the schema of that name.
type ProviderChoiceMaxPrice struct {
	// USD per million tokens.
	Prompt *float64 `json:"prompt,omitempty"`

	// USD per million tokens.
	Completion *float64 `json:"completion,omitempty"`

	// USD per million tokens.
	Audio *float64 `json:"audio,omitempty"`

	// USD.
	Request *float64 `json:"request,omitempty"`

	// USD.
	Image *float64 `json:"image,omitempty"`

	// Extra has fields by their names on the wire, which go before the others: nil sends null.
	Extra map[string]any `json:"-"`
}

func (v ProviderChoiceMaxPrice) MarshalJSON() ([]byte, error) {
	type plain ProviderChoiceMaxPrice
	return encodeWith(plain(v), v.Extra)
}

func (v *ProviderChoiceMaxPrice) UnmarshalJSON(text []byte) (err error) {
	type plain ProviderChoiceMaxPrice
	v.Extra, err = decodeWith(text, (*plain)(v))
	return err
}

// Completion is made from the schema of that name.
type Completion struct {
	Answer `json:"-"`

	// Unique per answer.
	ID string `json:"id"`

	Object string `json:"object"`

	// Seconds since 1970.
	Created int64 `json:"created"`

	Model string `json:"model"`

	Choices []CompletionChoice `json:"choices"`

	Usage *Usage `json:"usage,omitempty"`

	Gateway *Decision `json:"gateway,omitempty"`
}

// CompletionChoice is made from the schema of that name.
type CompletionChoice struct {
	Index int64 `json:"index"`

	Text string `json:"text"`

	FinishReason string `json:"finish_reason,omitempty"`
}

// CompletionRequest: A model that only chats answers one prompt of text. It can't have several prompts, tokens, `echo`, `suffix`, `logprobs`, or more `best_of` than `n`.
type CompletionRequest struct {
	// As for chat.
	Model string `json:"model"`

	// Further models, called in this order after those of `model`.
	Models []string `json:"models,omitempty"`

	// Narrows and orders the deployments that may serve.
	Provider *ProviderChoice `json:"provider,omitempty"`

	// A text, a list of texts, the tokens of one text, or a list of those.
	Prompt any `json:"prompt"`

	// Output tokens for each answer, at most. Default: 16.
	MaxTokens *int64 `json:"max_tokens,omitempty"`

	// Answers to each prompt.
	N *int64 `json:"n,omitempty"`

	// Answers to write for each prompt, of which `n` are sent.
	BestOf *int64 `json:"best_of,omitempty"`

	// Answer with server-sent events.
	Stream *bool `json:"stream,omitempty"`

	StreamOptions any `json:"stream_options,omitempty"`

	Echo *bool `json:"echo,omitempty"`

	Suffix string `json:"suffix,omitempty"`

	Logprobs *int64 `json:"logprobs,omitempty"`

	Temperature *float64 `json:"temperature,omitempty"`

	TopP *float64 `json:"top_p,omitempty"`

	Stop any `json:"stop,omitempty"`

	// Extra has fields by their names on the wire, which go before the others: nil sends null.
	Extra map[string]any `json:"-"`
}

func (v CompletionRequest) MarshalJSON() ([]byte, error) {
	type plain CompletionRequest
	return encodeWith(plain(v), v.Extra)
}

func (v *CompletionRequest) UnmarshalJSON(text []byte) (err error) {
	type plain CompletionRequest
	v.Extra, err = decodeWith(text, (*plain)(v))
	return err
}
