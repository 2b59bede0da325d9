// Code generated from openapi.json by `npm run openapi`. DO NOT EDIT.

package gateway

// ModelRule is made from the schema of that name.
type ModelRule struct {
	Match []string `json:"match"`

	Limits Limits `json:"limits"`

	Budgets []BudgetInput `json:"budgets"`
}

// ModelRuleInput: Its budgets count what is spent from now on. Other models in `match` make it another rule.
type ModelRuleInput struct {
	// Globs of `<provider>/<model>` or of a model's name. A request for any of them counts.
	Match []string `json:"match"`

	Limits *LimitsInput `json:"limits,omitempty"`

	// At most 16, each of another window. All of them hold.
	Budgets []BudgetInput `json:"budgets,omitempty"`

	// Extra has fields by their names on the wire, which go before the others: nil sends null.
	Extra map[string]any `json:"-"`
}

func (v ModelRuleInput) MarshalJSON() ([]byte, error) {
	type plain ModelRuleInput
	return encodeWith(plain(v), v.Extra)
}

func (v *ModelRuleInput) UnmarshalJSON(text []byte) (err error) {
	type plain ModelRuleInput
	v.Extra, err = decodeWith(text, (*plain)(v))
	return err
}

// Model is made from the schema of that name.
type Model struct {
	Answer `json:"-"`

	// What to send as `model`.
	ID string `json:"id"`

	Object string `json:"object"`

	// Seconds since 1970.
	Created int64 `json:"created"`

	OwnedBy string `json:"owned_by"`

	Name string `json:"name"`

	// As `gateway.context_window`.
	ContextLength *int64 `json:"context_length"`

	Architecture ModelArchitecture `json:"architecture"`

	// As `gateway.price`, in the words of other gateways.
	Pricing *ModelPricing `json:"pricing"`

	// The day on which its vendor shuts it down, where that is known; of a single deployment.
	ExpirationDate string `json:"expiration_date,omitempty"`

	// What a request may ask for. Tools and schemas choose between the deployments that serve it; a `reasoning_effort` does not, and is left out for one that does not reason.
	SupportedParameters []string `json:"supported_parameters"`

	// What the gateway knows of it.
	Gateway ModelGateway `json:"gateway"`
}

// ModelArchitecture is made from the schema of that name.
type ModelArchitecture struct {
	InputModalities []string `json:"input_modalities"`

	OutputModalities []string `json:"output_modalities"`
}

// ModelPricing is made from the schema of that name.
type ModelPricing struct {
	// USD per token of input, as a decimal; null: not billed by the token.
	Prompt *string `json:"prompt"`

	// USD per token of output, as a decimal.
	Completion *string `json:"completion"`
}

// ModelGateway: What the gateway knows of it.
type ModelGateway struct {
	Kind string `json:"kind"`

	// The bucket of `auto` that it serves.
	Bucket *string `json:"bucket"`

	// The ids of those that serve it, in order.
	Deployments []string `json:"deployments"`

	// Tokens of input and output together, at most.
	ContextWindow *int64 `json:"context_window"`

	// Tokens of one answer, at most.
	MaxOutputTokens *int64 `json:"max_output_tokens"`

	// That of the first deployment; null: unknown, or it depends. What is billed otherwise is named as in the configuration: `images`, `audio_seconds`, `characters`, `web_searches` …
	Price *ModelGatewayPrice `json:"price"`

	// The efforts that the model takes, where they are known; of a single deployment.
	Reasoning *ModelGatewayReasoning `json:"reasoning,omitempty"`

	// What it can be asked for, by any of its deployments.
	Operations []string `json:"operations"`

	Modalities []string `json:"modalities"`

	Health string `json:"health"`
}

// ModelGatewayPrice is made from the schema of that name.
type ModelGatewayPrice struct {
	// Input, USD per million tokens; null: not billed by the token.
	Input *float64 `json:"input"`

	// Input read from the provider's cache, USD per million tokens; null: not billed by the token.
	CachedInput *float64 `json:"cached_input"`

	// Output, USD per million tokens; null: not billed by the token.
	Output *float64 `json:"output"`
}

// ModelGatewayReasoning: The efforts that the model takes, where they are known; of a single deployment.
type ModelGatewayReasoning struct {
	Efforts []string `json:"efforts"`

	// The effort where none is asked for; null: unknown.
	Default *string `json:"default"`
}

// ModelList: What the calling key may use.
type ModelList struct {
	Answer `json:"-"`

	Object string `json:"object"`

	// `auto` first, where it is configured.
	Data []Model `json:"data"`

	// Those that serve Responses, in the form in which Codex reads its catalogue.
	Models []map[string]any `json:"models"`
}

// Ranking is made from the schema of that name.
type Ranking struct {
	Answer `json:"-"`

	ID string `json:"id"`

	Model string `json:"model"`

	// Best first.
	Results []RankingResult `json:"results"`

	Usage RerankUsage `json:"usage"`

	Gateway *Decision `json:"gateway,omitempty"`
}

// RankingResult is made from the schema of that name.
type RankingResult struct {
	// The document's place in the request, from 0.
	Index int64 `json:"index"`

	RelevanceScore float64 `json:"relevance_score"`

	Document *RankingResultDocument `json:"document,omitempty"`
}

// RankingResultDocument is made from the schema of that name.
type RankingResultDocument struct {
	Text string `json:"text"`
}

// RerankUsage is made from the schema of that name.
type RerankUsage struct {
	TotalTokens int64 `json:"total_tokens"`

	// At providers that bill these.
	SearchUnits *int64 `json:"search_units,omitempty"`

	// USD, exact; null: nobody knows the price.
	Cost *float64 `json:"cost,omitempty"`
}

// RerankRequest is made from the schema of that name.
type RerankRequest struct {
	// A model that ranks; with `auto` the first one that is configured.
	Model string `json:"model"`

	// Further models, called in this order after those of `model`.
	Models []string `json:"models,omitempty"`

	// Narrows and orders the deployments that may serve.
	Provider *ProviderChoice `json:"provider,omitempty"`

	Query string `json:"query"`

	// 1 to 10,000 texts, or objects that hold one.
	Documents []string `json:"documents"`

	// As many of the best are returned. Default: all.
	TopN *int64 `json:"top_n,omitempty"`

	// Whether each result holds its document. Default: false. Works on every provider.
	ReturnDocuments *bool `json:"return_documents,omitempty"`

	// Extra has fields by their names on the wire, which go before the others: nil sends null.
	Extra map[string]any `json:"-"`
}

func (v RerankRequest) MarshalJSON() ([]byte, error) {
	type plain RerankRequest
	return encodeWith(plain(v), v.Extra)
}

func (v *RerankRequest) UnmarshalJSON(text []byte) (err error) {
	type plain RerankRequest
	v.Extra, err = decodeWith(text, (*plain)(v))
	return err
}

// Moderation is made from the schema of that name.
type Moderation struct {
	Answer `json:"-"`

	ID string `json:"id"`

	Model string `json:"model"`

	Results []ModerationResult `json:"results"`

	Gateway *Decision `json:"gateway,omitempty"`
}

// ModerationResult is made from the schema of that name.
type ModerationResult struct {
	Flagged bool `json:"flagged"`

	Categories map[string]any `json:"categories"`

	CategoryScores map[string]any `json:"category_scores"`
}

// ModerationRequest is made from the schema of that name.
type ModerationRequest struct {
	// Default: `auto`, the first model that is configured for this.
	Model string `json:"model,omitempty"`

	// A text, a list of texts, or a list of parts (text, images), which are judged together.
	Input any `json:"input"`

	// Extra has fields by their names on the wire, which go before the others: nil sends null.
	Extra map[string]any `json:"-"`
}

func (v ModerationRequest) MarshalJSON() ([]byte, error) {
	type plain ModerationRequest
	return encodeWith(plain(v), v.Extra)
}

func (v *ModerationRequest) UnmarshalJSON(text []byte) (err error) {
	type plain ModerationRequest
	v.Extra, err = decodeWith(text, (*plain)(v))
	return err
}

// Embeddings is made from the schema of that name.
type Embeddings struct {
	Answer `json:"-"`

	Object string `json:"object"`

	Model string `json:"model"`

	Usage EmbeddingsUsage `json:"usage"`

	Gateway *Decision `json:"gateway,omitempty"`

	Data []EmbeddingsData `json:"data"`
}

// EmbeddingsData is made from the schema of that name.
type EmbeddingsData struct {
	Object string `json:"object"`

	Index int64 `json:"index"`

	Embedding Vector `json:"embedding"`
}

// EmbeddingsUsage is made from the schema of that name.
type EmbeddingsUsage struct {
	PromptTokens int64 `json:"prompt_tokens"`

	TotalTokens int64 `json:"total_tokens"`

	// USD, exact; null: nobody knows the price.
	Cost *float64 `json:"cost,omitempty"`
}

// EmbeddingsRequest is made from the schema of that name.
type EmbeddingsRequest struct {
	// A model that makes vectors; with `auto` the first one that is configured.
	Model string `json:"model"`

	// Further models, called in this order after those of `model`.
	Models []string `json:"models,omitempty"`

	// Narrows and orders the deployments that may serve.
	Provider *ProviderChoice `json:"provider,omitempty"`

	// A text, a list of texts, the tokens of one text, or a list of those.
	Input any `json:"input"`

	// Numbers per vector, where the model lets one choose.
	Dimensions *int64 `json:"dimensions,omitempty"`

	// `base64`: 32-bit floats, little endian. It works on every provider: where that one has no base64, the gateway packs.
	EncodingFormat string `json:"encoding_format,omitempty"`

	// Extra has fields by their names on the wire, which go before the others: nil sends null.
	Extra map[string]any `json:"-"`
}

func (v EmbeddingsRequest) MarshalJSON() ([]byte, error) {
	type plain EmbeddingsRequest
	return encodeWith(plain(v), v.Extra)
}

func (v *EmbeddingsRequest) UnmarshalJSON(text []byte) (err error) {
	type plain EmbeddingsRequest
	v.Extra, err = decodeWith(text, (*plain)(v))
	return err
}
