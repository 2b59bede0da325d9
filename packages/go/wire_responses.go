// Code generated from openapi.json by `npm run openapi`. DO NOT EDIT.

package gateway

// TokensCount is made from the schema of that name.
type TokensCount struct {
	Answer `json:"-"`

	InputTokens int64 `json:"input_tokens"`

	Gateway *Decision `json:"gateway,omitempty"`
}

// CountTokensRequest is made from the schema of that name.
type CountTokensRequest struct {
	// `auto`, an alias, the id of a deployment, `<provider>/<model>`, or the bare name of a model.
	Model string `json:"model"`

	Messages []InputMessage `json:"messages"`

	// The system prompt.
	System any `json:"system,omitempty"`

	Tools []any `json:"tools,omitempty"`

	ToolChoice any `json:"tool_choice,omitempty"`

	Thinking any `json:"thinking,omitempty"`

	// Extra has fields by their names on the wire, which go before the others: nil sends null.
	Extra map[string]any `json:"-"`
}

func (v CountTokensRequest) MarshalJSON() ([]byte, error) {
	type plain CountTokensRequest
	return encodeWith(plain(v), v.Extra)
}

func (v *CountTokensRequest) UnmarshalJSON(text []byte) (err error) {
	type plain CountTokensRequest
	v.Extra, err = decodeWith(text, (*plain)(v))
	return err
}

// InputMessage is made from the schema of that name.
type InputMessage struct {
	// `user` or `assistant`.
	Role string `json:"role"`

	// Text, or blocks: text, images, documents, tool calls and their results, thoughts.
	Content any `json:"content"`

	// Extra has fields by their names on the wire, which go before the others: nil sends null.
	Extra map[string]any `json:"-"`
}

func (v InputMessage) MarshalJSON() ([]byte, error) {
	type plain InputMessage
	return encodeWith(plain(v), v.Extra)
}

func (v *InputMessage) UnmarshalJSON(text []byte) (err error) {
	type plain InputMessage
	v.Extra, err = decodeWith(text, (*plain)(v))
	return err
}

// Message is made from the schema of that name.
type Message struct {
	Answer `json:"-"`

	// Unique per answer.
	ID string `json:"id"`

	Type string `json:"type"`

	Role string `json:"role"`

	Model string `json:"model"`

	Content []map[string]any `json:"content"`

	StopReason *string `json:"stop_reason"`

	StopSequence string `json:"stop_sequence,omitempty"`

	Usage MessageUsage `json:"usage"`

	Gateway *Decision `json:"gateway,omitempty"`
}

// MessageUsage is made from the schema of that name.
type MessageUsage struct {
	InputTokens int64 `json:"input_tokens"`

	OutputTokens int64 `json:"output_tokens"`

	// USD, exact; null: nobody knows the price.
	Cost *float64 `json:"cost,omitempty"`
}

// MessagesRequest: A request of Anthropic's Messages API. To deployments of that API it goes on untouched; for others it is translated.
type MessagesRequest struct {
	// `auto`, an alias, the id of a deployment, `<provider>/<model>`, or the bare name of a model.
	Model string `json:"model"`

	Messages []InputMessage `json:"messages"`

	// The system prompt.
	System any `json:"system,omitempty"`

	Tools []any `json:"tools,omitempty"`

	ToolChoice any `json:"tool_choice,omitempty"`

	Thinking any `json:"thinking,omitempty"`

	// Output tokens, at most.
	MaxTokens int64 `json:"max_tokens"`

	// Answer with server-sent events.
	Stream *bool `json:"stream,omitempty"`

	StopSequences []string `json:"stop_sequences,omitempty"`

	OutputConfig any `json:"output_config,omitempty"`

	Metadata any `json:"metadata,omitempty"`

	// Further models, called in this order after those of `model`.
	Models []string `json:"models,omitempty"`

	// Narrows and orders the deployments that may serve.
	Provider *ProviderChoice `json:"provider,omitempty"`

	// Extra has fields by their names on the wire, which go before the others: nil sends null.
	Extra map[string]any `json:"-"`
}

func (v MessagesRequest) MarshalJSON() ([]byte, error) {
	type plain MessagesRequest
	return encodeWith(plain(v), v.Extra)
}

func (v *MessagesRequest) UnmarshalJSON(text []byte) (err error) {
	type plain MessagesRequest
	v.Extra, err = decodeWith(text, (*plain)(v))
	return err
}

// ResponseInputTokens is made from the schema of that name.
type ResponseInputTokens struct {
	Answer `json:"-"`

	Object string `json:"object"`

	InputTokens int64 `json:"input_tokens"`

	Gateway *Decision `json:"gateway,omitempty"`
}

// ResponseRequest: The vendor-defined request. Fields not described here reach providers that have Responses untouched.
type ResponseRequest struct {
	// As for chat; `auto` where it is left out.
	Model string `json:"model,omitempty"`

	// A text, or items: messages, calls of tools and their results, thoughts of earlier answers.
	Input any `json:"input,omitempty"`

	// Further models, called in this order after those of `model`.
	Models []string `json:"models,omitempty"`

	// Narrows and orders the deployments that may serve.
	Provider *ProviderChoice `json:"provider,omitempty"`

	Instructions string `json:"instructions,omitempty"`

	// Goes on from a stored response of the same key; its `instructions` are not repeated.
	PreviousResponseID string `json:"previous_response_id,omitempty"`

	// `false`: the gateway keeps nothing of it.
	Store *bool `json:"store,omitempty"`

	// Answer with server-sent events.
	Stream *bool `json:"stream,omitempty"`

	// Answer with status `queued`, and go on without the caller: the response is read with its id.
	Background *bool `json:"background,omitempty"`

	// Output tokens, at most, thoughts included.
	MaxOutputTokens *int64 `json:"max_output_tokens,omitempty"`

	Temperature *float64 `json:"temperature,omitempty"`

	TopP *float64 `json:"top_p,omitempty"`

	// Of type `function`, `custom` or `namespace` at every model; others where the provider runs them.
	Tools []any `json:"tools,omitempty"`

	ToolChoice any `json:"tool_choice,omitempty"`

	Reasoning any `json:"reasoning,omitempty"`

	// `format`: text, or a JSON schema.
	Text any `json:"text,omitempty"`

	Include []string `json:"include,omitempty"`

	// Extra has fields by their names on the wire, which go before the others: nil sends null.
	Extra map[string]any `json:"-"`
}

func (v ResponseRequest) MarshalJSON() ([]byte, error) {
	type plain ResponseRequest
	return encodeWith(plain(v), v.Extra)
}

func (v *ResponseRequest) UnmarshalJSON(text []byte) (err error) {
	type plain ResponseRequest
	v.Extra, err = decodeWith(text, (*plain)(v))
	return err
}

// Compaction is made from the schema of that name.
type Compaction struct {
	Answer `json:"-"`

	ID string `json:"id"`

	Object string `json:"object"`

	// Seconds since 1970.
	CreatedAt int64 `json:"created_at"`

	// The next `input` begins with these: the user's newest messages, and one `compaction` item.
	Output []map[string]any `json:"output"`

	Usage map[string]any `json:"usage"`

	Gateway *Decision `json:"gateway,omitempty"`
}

// CompactionRequest is made from the schema of that name.
type CompactionRequest struct {
	// As for responses.
	Model string `json:"model,omitempty"`

	Input any `json:"input,omitempty"`

	PreviousResponseID string `json:"previous_response_id,omitempty"`

	Instructions string `json:"instructions,omitempty"`

	// Extra has fields by their names on the wire, which go before the others: nil sends null.
	Extra map[string]any `json:"-"`
}

func (v CompactionRequest) MarshalJSON() ([]byte, error) {
	type plain CompactionRequest
	return encodeWith(plain(v), v.Extra)
}

func (v *CompactionRequest) UnmarshalJSON(text []byte) (err error) {
	type plain CompactionRequest
	v.Extra, err = decodeWith(text, (*plain)(v))
	return err
}

// ResponseItemList is made from the schema of that name.
type ResponseItemList struct {
	Answer `json:"-"`

	Object string `json:"object"`

	Data []map[string]any `json:"data"`

	FirstID string `json:"first_id"`

	LastID string `json:"last_id"`

	HasMore bool `json:"has_more"`
}

// DeletedResponse is made from the schema of that name.
type DeletedResponse struct {
	Answer `json:"-"`

	ID string `json:"id"`

	Object string `json:"object"`

	Deleted bool `json:"deleted"`
}

// Response is made from the schema of that name.
type Response struct {
	Answer `json:"-"`

	// The gateway's own, `resp_…`.
	ID string `json:"id"`

	Object string `json:"object"`

	// Seconds since 1970.
	CreatedAt int64 `json:"created_at"`

	// `completed`, `incomplete`, `failed`, `cancelled`, `in_progress` or `queued`.
	Status string `json:"status"`

	Model string `json:"model"`

	// Messages, thoughts, and calls of tools.
	Output []map[string]any `json:"output"`

	Usage *ResponseUsage `json:"usage,omitempty"`

	Gateway *Decision `json:"gateway,omitempty"`
}

// ResponseUsage is made from the schema of that name.
type ResponseUsage struct {
	InputTokens int64 `json:"input_tokens"`

	OutputTokens int64 `json:"output_tokens"`

	TotalTokens int64 `json:"total_tokens"`

	// USD, exact; null: nobody knows the price.
	Cost *float64 `json:"cost,omitempty"`
}
