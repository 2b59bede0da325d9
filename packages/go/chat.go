package gateway

import (
	"context"
	"encoding/json"
	"maps"
)

type (
	// ChatStream is a streamed chat completion.
	ChatStream = Stream[ChatCompletionChunk, ChatCompletion]
	// CompletionStream is a streamed completion of the older kind.
	CompletionStream = Stream[Completion, Completion]
)

// Chat has the chat completions.
type Chat struct{ Completions *ChatCompletions }

// ChatCompletions are the answers of models to conversations.
type ChatCompletions struct{ c *connection }

var chatKind = streamKind[ChatCompletionChunk]{chatCollector, decodeInto[ChatCompletionChunk], "choices"}

// Create asks for a whole answer.
func (s *ChatCompletions) Create(ctx context.Context, request ChatRequest, options ...CallOption) (*ChatCompletion, error) {
	request.Stream = nil
	asked := outgoing{method: "POST", path: "/v1/chat/completions", body: request, options: options}
	return call[ChatCompletion](ctx, s.c, asked, "choices")
}

// Stream asks for an answer piece by piece.
func (s *ChatCompletions) Stream(ctx context.Context, request ChatRequest, options ...CallOption) (*ChatStream, error) {
	request.Stream = Ptr(true)
	request.StreamOptions = withUsage(request.StreamOptions, request.Extra)
	asked := outgoing{method: "POST", path: "/v1/chat/completions", body: request, options: options}
	return openStream[ChatCompletionChunk, ChatCompletion](ctx, s.c, asked, chatKind)
}

// Token counts come in the last chunk, which has no choices, unless the request says otherwise.
func withUsage(options any, extra map[string]any) any {
	fields, isMap := options.(map[string]any)
	if _, given := extra["stream_options"]; given || (options != nil && !isMap) {
		return options
	}
	asked := map[string]any{"include_usage": true}
	maps.Copy(asked, fields)
	return asked
}

// Text is the content of the first choice; "": the model refused, or called tools instead.
func (a *ChatCompletion) Text() string {
	if len(a.Choices) == 0 {
		return ""
	}
	return a.Choices[0].Message.Content
}

// Text is the piece of text that the chunk adds to the first choice.
func (c ChatCompletionChunk) Text() string {
	for _, choice := range c.Choices {
		if choice.Index == 0 {
			return choice.Delta.Content
		}
	}
	return ""
}

// UserMessage says something to the model.
func UserMessage(text string) ChatMessage { return ChatMessage{Role: "user", Content: text} }

// SystemMessage tells the model how to behave.
func SystemMessage(text string) ChatMessage { return ChatMessage{Role: "system", Content: text} }

// AssistantMessage is what a model said.
func AssistantMessage(text string) ChatMessage { return ChatMessage{Role: "assistant", Content: text} }

// ToolMessage answers the call of a tool.
func ToolMessage(callID, text string) ChatMessage {
	return ChatMessage{Role: "tool", ToolCallID: callID, Content: text}
}

// Message is the answer as part of the next request.
func (m ChatAnswerMessage) Message() ChatMessage {
	message := ChatMessage{Role: m.Role, ToolCalls: m.ToolCalls}
	if m.Content != "" || len(m.ToolCalls) == 0 {
		message.Content = m.Content
	}
	return message
}

// FunctionTool is a function that the model may ask for; parameters is a JSON schema, as anything that encodes to one.
func FunctionTool(name, description string, parameters any) any {
	function := map[string]any{"name": name, "description": description, "parameters": parameters}
	return map[string]any{"type": "function", "function": function}
}

// JSONSchema is a ChatRequest.ResponseFormat: the answer is a JSON that fits the schema.
func JSONSchema(name string, schema any) any {
	return map[string]any{"type": "json_schema", "json_schema": map[string]any{"name": name, "strict": true, "schema": schema}}
}

// Parsed is an answer with its content read.
type Parsed[T any] struct {
	*ChatCompletion
	// Nil: the model refused, or called tools instead.
	Value *T
}

// Parse asks for an answer by the request's ResponseFormat and reads its content as JSON into a T.
func Parse[T any](ctx context.Context, client *Client, request ChatRequest, options ...CallOption) (*Parsed[T], error) {
	if request.ResponseFormat == nil && request.Extra["response_format"] == nil {
		return nil, misuse("Say what the answer must look like: ResponseFormat, such as JSONSchema(name, schema).")
	}
	answer, err := client.Chat.Completions.Create(ctx, request, options...)
	if err != nil {
		return nil, err
	}
	parsed := &Parsed[T]{ChatCompletion: answer}
	if answer.Text() == "" {
		return parsed, nil
	}
	if err := json.Unmarshal([]byte(answer.Text()), &parsed.Value); err != nil {
		message := "The answer's content is no JSON of the wanted type: " + err.Error() + "."
		if answer.Choices[0].FinishReason == "length" {
			message += " It was cut off at the output limit."
		}
		return nil, &InvalidAnswerError{Error{Message: message, StatusCode: answer.StatusCode(), RequestID: answer.RequestID(), Header: answer.Header()}}
	}
	return parsed, nil
}

// Completions are the older kind, which goes on from a text.
type Completions struct{ c *connection }

var completionKind = streamKind[Completion]{completionCollector, decodeInto[Completion], "choices"}

// Create asks for a whole answer.
func (s *Completions) Create(ctx context.Context, request CompletionRequest, options ...CallOption) (*Completion, error) {
	request.Stream = nil
	return call[Completion](ctx, s.c, outgoing{method: "POST", path: "/v1/completions", body: request, options: options}, "choices")
}

// Stream asks for an answer piece by piece.
func (s *Completions) Stream(ctx context.Context, request CompletionRequest, options ...CallOption) (*CompletionStream, error) {
	request.Stream = Ptr(true)
	request.StreamOptions = withUsage(request.StreamOptions, request.Extra)
	asked := outgoing{method: "POST", path: "/v1/completions", body: request, options: options}
	return openStream[Completion, Completion](ctx, s.c, asked, completionKind)
}

// Text is the text of the first choice.
func (a Completion) Text() string {
	for _, choice := range a.Choices {
		if choice.Index == 0 {
			return choice.Text
		}
	}
	return ""
}
