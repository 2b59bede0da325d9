package gateway

import (
	"context"
	"encoding/json"
	"net/http"
	"reflect"
)

// Answer is what every answer has: the raw JSON, with the fields that no version knows, and the HTTP answer's head.
type Answer struct{ head *answerHead }

type answerHead struct {
	response *http.Response
	raw      json.RawMessage
}

// RawJSON is the answer as it came; nil for one that was not received.
func (a Answer) RawJSON() json.RawMessage {
	if a.head == nil {
		return nil
	}
	return a.head.raw
}

// Header has the headers of the answer.
func (a Answer) Header() http.Header {
	if a.head == nil {
		return nil
	}
	return a.head.response.Header
}

// StatusCode is the HTTP status.
func (a Answer) StatusCode() int {
	if a.head == nil {
		return 0
	}
	return a.head.response.StatusCode
}

// RequestID is the call's id, for the log.
func (a Answer) RequestID() string { return a.Header().Get("X-Request-Id") }

func (a *Answer) setHead(head *answerHead) { a.head = head }

var decisionType = reflect.TypeFor[*Decision]()

// A type whose Gateway is something else, a model's, keeps it.
func setGateway(answer any, decision *Decision) {
	field := reflect.ValueOf(answer).Elem().FieldByName("Gateway")
	if field.IsValid() && field.Type() == decisionType {
		field.Set(reflect.ValueOf(decision))
	}
}

func gatewayOf(answer any) *Decision {
	field := reflect.ValueOf(answer).Elem().FieldByName("Gateway")
	if !field.IsValid() || field.Type() != decisionType {
		return nil
	}
	return field.Interface().(*Decision)
}

// A JSON object; holds: a field that an answer of this kind has.
func call[T any](ctx context.Context, c *connection, asked outgoing, holds string) (*T, error) {
	answer, err := c.open(ctx, asked)
	if err != nil {
		return nil, err
	}
	text, err := c.read(answer)
	if err != nil {
		return nil, err
	}
	return answerOf[T](c, answer, text, holds)
}

func answerOf[T any](c *connection, answer *opened, text []byte, holds string) (*T, error) {
	var body T
	if !decodeAnswer(text, &body, holds) {
		return nil, invalidAnswer(answer.response, c.clean(string(text)), c.origin)
	}
	if headed, ok := any(&body).(interface{ setHead(*answerHead) }); ok {
		headed.setHead(&answerHead{answer.response, text})
	}
	setGateway(&body, decisionOf(gatewayOf(&body), answer.response.Header))
	return &body, nil
}
