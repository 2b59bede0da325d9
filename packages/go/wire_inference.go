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

// Considered: A deployment, and what became of it.
type Considered struct {
	Deployment string `json:"deployment"`

	// `chosen`: it was to be tried first. `spare`: if those before it failed. `unhealthy`: last, since it was not ready. `filtered`: it could not serve this request. `lower_bucket`: it could, and its bucket is below the prompt's. `not_needed`: it could, and was not to be tried. What was really asked stands in `attempts`.
	Fate string `json:"fate"`

	// In words, where there is more to say.
	Why *string `json:"why"`
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

// ModelList: What the calling key may use.
type ModelList struct {
	Answer `json:"-"`

	Object string `json:"object"`

	// `auto` first, where it is configured.
	Data []Model `json:"data"`

	// Those that serve Responses, in the form in which Codex reads its catalogue.
	Models []map[string]any `json:"models"`
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
