package gateway

import (
	"context"
	"net/url"
	"strings"
)

type (
	// ResponseStream is a streamed response.
	ResponseStream = Stream[Event, Response]
	// MessageStream is a streamed message.
	MessageStream = Stream[Event, Message]
)

// Responses are OpenAI's newer form of conversations; the gateway keeps them.
type Responses struct{ c *connection }

var responseKind = eventKind(responseCollector, "output")

// Create asks for a whole answer.
func (s *Responses) Create(ctx context.Context, request ResponseRequest, options ...CallOption) (*Response, error) {
	request.Stream = nil
	return call[Response](ctx, s.c, outgoing{method: "POST", path: "/v1/responses", body: request, options: options}, "output")
}

// OutputText is all text that the model wrote, without its reasoning and its calls of tools; "" where there is none.
func (a *Response) OutputText() string {
	var text strings.Builder
	for _, item := range a.Output {
		content, _ := item["content"].([]any)
		if item["type"] != "message" {
			continue
		}
		for _, part := range content {
			fields, _ := part.(map[string]any)
			if piece, ok := fields["text"].(string); ok && fields["type"] == "output_text" {
				text.WriteString(piece)
			}
		}
	}
	return text.String()
}

// Stream asks for an answer event by event.
func (s *Responses) Stream(ctx context.Context, request ResponseRequest, options ...CallOption) (*ResponseStream, error) {
	request.Stream = Ptr(true)
	asked := outgoing{method: "POST", path: "/v1/responses", body: request, options: options}
	return openStream[Event, Response](ctx, s.c, asked, responseKind)
}

// Get reads one that is kept.
func (s *Responses) Get(ctx context.Context, id string, query GetResponseQuery, options ...CallOption) (*Response, error) {
	return call[Response](ctx, s.c, outgoing{method: "GET", path: responsePath(id), query: query, options: options}, "id")
}

// Replay gives the events of one that is kept, from the one after StartingAfter on.
func (s *Responses) Replay(ctx context.Context, id string, query GetResponseQuery, options ...CallOption) (*ResponseStream, error) {
	all := struct {
		Stream        string `json:"stream"`
		StartingAfter int64  `json:"starting_after"`
		Include       string `json:"include"`
	}{"true", query.StartingAfter, query.Include}
	asked := outgoing{method: "GET", path: responsePath(id), query: all, options: options}
	return openStream[Event, Response](ctx, s.c, asked, responseKind)
}

// Delete forgets one.
func (s *Responses) Delete(ctx context.Context, id string, options ...CallOption) (*DeletedResponse, error) {
	return call[DeletedResponse](ctx, s.c, outgoing{method: "DELETE", path: responsePath(id), options: options}, "id")
}

// Cancel ends one that runs in the background.
func (s *Responses) Cancel(ctx context.Context, id string, options ...CallOption) (*Response, error) {
	return call[Response](ctx, s.c, outgoing{method: "POST", path: responsePath(id) + "/cancel", options: options}, "id")
}

// InputItems lists what the model was given.
func (s *Responses) InputItems(ctx context.Context, id string, query ListInputItemsQuery, options ...CallOption) (*ResponseItemList, error) {
	asked := outgoing{method: "GET", path: responsePath(id) + "/input_items", query: query, options: options}
	return call[ResponseItemList](ctx, s.c, asked, "data")
}

// Compact makes a conversation shorter.
func (s *Responses) Compact(ctx context.Context, request CompactionRequest, options ...CallOption) (*Compaction, error) {
	asked := outgoing{method: "POST", path: "/v1/responses/compact", body: request, options: options}
	return call[Compaction](ctx, s.c, asked, "output")
}

// CountInputTokens counts what a request for a response would read.
func (s *Responses) CountInputTokens(
	ctx context.Context, request ResponseRequest, options ...CallOption,
) (*ResponseInputTokens, error) {
	asked := outgoing{method: "POST", path: "/v1/responses/input_tokens", body: request, options: options}
	return call[ResponseInputTokens](ctx, s.c, asked, "input_tokens")
}

func responsePath(id string) string { return "/v1/responses/" + url.PathEscape(id) }

// Messages are Anthropic's form of conversations.
type Messages struct{ c *connection }

var messageKind = eventKind(newMessageCollector, "content")

// Create asks for a whole answer.
func (s *Messages) Create(ctx context.Context, request MessagesRequest, options ...CallOption) (*Message, error) {
	request.Stream = nil
	return call[Message](ctx, s.c, outgoing{method: "POST", path: "/v1/messages", body: request, options: options}, "content")
}

// Stream asks for an answer event by event.
func (s *Messages) Stream(ctx context.Context, request MessagesRequest, options ...CallOption) (*MessageStream, error) {
	request.Stream = Ptr(true)
	asked := outgoing{method: "POST", path: "/v1/messages", body: request, options: options}
	return openStream[Event, Message](ctx, s.c, asked, messageKind)
}

// CountTokens says how long a request is.
func (s *Messages) CountTokens(ctx context.Context, request CountTokensRequest, options ...CallOption) (*TokensCount, error) {
	asked := outgoing{method: "POST", path: "/v1/messages/count_tokens", body: request, options: options}
	return call[TokensCount](ctx, s.c, asked, "input_tokens")
}
