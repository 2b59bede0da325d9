// Code generated from openapi.json by `npm run openapi`. DO NOT EDIT.

package gateway

// ChatCompletionChunk: The last chunk that carries data also carries `gateway`, with the exact cost.
type ChatCompletionChunk struct {
	ID string `json:"id"`

	Object string `json:"object"`

	Created int64 `json:"created"`

	Model string `json:"model"`

	Choices []ChatCompletionChunkChoice `json:"choices"`

	Usage *Usage `json:"usage,omitempty"`

	Gateway *Decision `json:"gateway,omitempty"`
}

// ChatCompletionChunkChoice is made from the schema of that name.
type ChatCompletionChunkChoice struct {
	Index int64 `json:"index"`

	Delta ChatCompletionChunkChoiceDelta `json:"delta"`

	FinishReason string `json:"finish_reason,omitempty"`
}

// ChatCompletionChunkChoiceDelta is made from the schema of that name.
type ChatCompletionChunkChoiceDelta struct {
	Role string `json:"role,omitempty"`

	Content string `json:"content,omitempty"`

	Refusal string `json:"refusal,omitempty"`

	// What the model thought aloud, where it does.
	ReasoningContent string `json:"reasoning_content,omitempty"`

	ToolCalls []ChatCompletionChunkChoiceDeltaToolCall `json:"tool_calls,omitempty"`
}

// ChatCompletionChunkChoiceDeltaToolCall is made from the schema of that name.
type ChatCompletionChunkChoiceDeltaToolCall struct {
	// Which call of the message this is a piece of.
	Index int64 `json:"index"`

	ID string `json:"id,omitempty"`

	Type string `json:"type,omitempty"`

	Function *ChatCompletionChunkChoiceDeltaToolCallFunction `json:"function,omitempty"`
}

// ChatCompletionChunkChoiceDeltaToolCallFunction is made from the schema of that name.
type ChatCompletionChunkChoiceDeltaToolCallFunction struct {
	Name string `json:"name,omitempty"`

	Arguments string `json:"arguments,omitempty"`
}

// Usage is made from the schema of that name.
type Usage struct {
	PromptTokens int64 `json:"prompt_tokens"`

	CompletionTokens int64 `json:"completion_tokens"`

	TotalTokens int64 `json:"total_tokens"`

	// USD, exact; null: nobody knows the price.
	Cost *float64 `json:"cost,omitempty"`
}

// ChatCompletion is made from the schema of that name.
type ChatCompletion struct {
	Answer `json:"-"`

	// Unique per answer.
	ID string `json:"id"`

	Object string `json:"object"`

	// Seconds since 1970.
	Created int64 `json:"created"`

	Model string `json:"model"`

	Choices []ChatCompletionChoice `json:"choices"`

	Usage *Usage `json:"usage,omitempty"`

	Gateway *Decision `json:"gateway,omitempty"`
}

// ChatCompletionChoice is made from the schema of that name.
type ChatCompletionChoice struct {
	Index int64 `json:"index"`

	Message ChatAnswerMessage `json:"message"`

	FinishReason string `json:"finish_reason,omitempty"`
}

// ChatAnswerMessage is made from the schema of that name.
type ChatAnswerMessage struct {
	// `assistant`.
	Role string `json:"role"`

	Content string `json:"content,omitempty"`

	Refusal string `json:"refusal,omitempty"`

	// What the model thought aloud, where it does.
	ReasoningContent string `json:"reasoning_content,omitempty"`

	ToolCalls []ChatAnswerMessageToolCall `json:"tool_calls,omitempty"`
}

// ChatAnswerMessageToolCall is made from the schema of that name.
type ChatAnswerMessageToolCall struct {
	ID string `json:"id"`

	// `function`, or the provider's own.
	Type string `json:"type"`

	Function *ChatAnswerMessageToolCallFunction `json:"function,omitempty"`
}

// ChatAnswerMessageToolCallFunction is made from the schema of that name.
type ChatAnswerMessageToolCallFunction struct {
	Name string `json:"name"`

	// JSON, as the model wrote it.
	Arguments string `json:"arguments"`
}

// ChatRequest: The vendor-defined chat request. Fields not described here reach providers of the same protocol untouched.
type ChatRequest struct {
	// `auto`, an alias, the id of a deployment, `<provider>/<model>`, or the bare name of a model.
	Model string `json:"model"`

	// Further models, called in this order after those of `model`.
	Models []string `json:"models,omitempty"`

	// Narrows and orders the deployments that may serve.
	Provider *ProviderChoice `json:"provider,omitempty"`

	Messages []ChatMessage `json:"messages"`

	// Answer with server-sent events.
	Stream *bool `json:"stream,omitempty"`

	// `include_usage: true` asks for the usage in a last chunk; the others then have `usage: null`.
	StreamOptions any `json:"stream_options,omitempty"`

	// Output tokens, at most.
	MaxCompletionTokens *int64 `json:"max_completion_tokens,omitempty"`

	// The older name of `max_completion_tokens`.
	MaxTokens *int64 `json:"max_tokens,omitempty"`

	Temperature *float64 `json:"temperature,omitempty"`

	TopP *float64 `json:"top_p,omitempty"`

	// Answers to make.
	N *int64 `json:"n,omitempty"`

	Stop any `json:"stop,omitempty"`

	Tools []any `json:"tools,omitempty"`

	ToolChoice any `json:"tool_choice,omitempty"`

	ResponseFormat any `json:"response_format,omitempty"`

	// Extra has fields by their names on the wire, which go before the others: nil sends null.
	Extra map[string]any `json:"-"`
}

func (v ChatRequest) MarshalJSON() ([]byte, error) {
	type plain ChatRequest
	return encodeWith(plain(v), v.Extra)
}

func (v *ChatRequest) UnmarshalJSON(text []byte) (err error) {
	type plain ChatRequest
	v.Extra, err = decodeWith(text, (*plain)(v))
	return err
}

// ChatMessage is made from the schema of that name.
type ChatMessage struct {
	// `system`, `developer`, `user`, `assistant` or `tool`.
	Role string `json:"role"`

	// Text, or parts (text, images, files).
	Content any `json:"content,omitempty"`

	// The author, where several have the same role.
	Name string `json:"name,omitempty"`

	// Of a message of a tool: the call that it answers.
	ToolCallID string `json:"tool_call_id,omitempty"`

	// Of an assistant's message: the calls that it made.
	ToolCalls []ChatAnswerMessageToolCall `json:"tool_calls,omitempty"`

	// Extra has fields by their names on the wire, which go before the others: nil sends null.
	Extra map[string]any `json:"-"`
}

func (v ChatMessage) MarshalJSON() ([]byte, error) {
	type plain ChatMessage
	return encodeWith(plain(v), v.Extra)
}

func (v *ChatMessage) UnmarshalJSON(text []byte) (err error) {
	type plain ChatMessage
	v.Extra, err = decodeWith(text, (*plain)(v))
	return err
}
