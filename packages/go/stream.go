package gateway

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"iter"
	"mime"
	"net/http"
	"sync"
	"time"
)

// ErrStreamClosed is what Recv and Final say of a stream that was closed before its end.
var ErrStreamClosed = errors.New("gateway: the stream was closed before its end")

// Stream is a streamed answer, event by event; F is what the events add up to. One goroutine reads; any may Close. Whoever stops early
// must close it, so that nobody goes on generating, and billing, for nobody: `defer stream.Close()`.
type Stream[T, F any] struct {
	connection *connection
	opened     *opened
	events     *eventReader
	kind       streamKind[T]
	collector  collector
	text       []byte
	err        error
	mutex      sync.Mutex
	gateway    *Decision
	closed     bool
}

type streamKind[T any] struct {
	collector func() collector
	// One of this stream's events.
	decode func(data []byte, fields map[string]any) T
	// A field that the final answer has.
	holds string
}

func openStream[T, F any](ctx context.Context, c *connection, asked outgoing, kind streamKind[T]) (*Stream[T, F], error) {
	answer, err := c.open(ctx, asked)
	if err != nil {
		return nil, err
	}
	if media, _, _ := mime.ParseMediaType(answer.response.Header.Get("Content-Type")); media != "text/event-stream" {
		text, err := c.read(answer)
		if err != nil {
			return nil, err
		}
		return nil, invalidAnswer(answer.response, c.clean(string(text)), c.origin)
	}
	return &Stream[T, F]{
		connection: c, opened: answer, events: newEventReader(answer.body), kind: kind, collector: kind.collector(),
		gateway: decisionOfHeaders(answer.response.Header),
	}, nil
}

// Gateway is the decision at once, with the exact cost at the end; nil where another server answers.
func (s *Stream[T, F]) Gateway() *Decision {
	s.mutex.Lock()
	defer s.mutex.Unlock()
	return s.gateway
}

// Header has the headers of the answer.
func (s *Stream[T, F]) Header() http.Header { return s.opened.response.Header }

// StatusCode is the HTTP status.
func (s *Stream[T, F]) StatusCode() int { return s.opened.response.StatusCode }

// RequestID is the call's id, for the log.
func (s *Stream[T, F]) RequestID() string { return s.Header().Get("X-Request-Id") }

// Recv waits for the next event. io.EOF: the answer is whole. A stream that ends otherwise is a *StreamInterruptedError, or what the
// context says; no answer is silently shorter.
func (s *Stream[T, F]) Recv() (T, error) {
	for s.err == nil {
		data, err := s.events.next()
		switch {
		case s.isClosed():
			s.err = ErrStreamClosed
		case err == io.EOF && s.collector.isOver():
			s.finish()
		case err == io.EOF:
			s.fail("The stream ended before the answer was whole.", nil, Error{})
		case err != nil:
			s.broken(err)
		case string(data) == "[DONE]":
			s.finish()
		default:
			if event, known := s.event(data); known {
				return event, nil
			}
		}
	}
	var none T
	return none, s.err
}

// All ranges over the events; an error is the last pair. Leaving the loop closes the stream.
func (s *Stream[T, F]) All() iter.Seq2[T, error] {
	return func(yield func(T, error) bool) {
		defer s.Close()
		for {
			event, err := s.Recv()
			if err == io.EOF || !yield(event, err) || err != nil {
				return
			}
		}
	}
}

// Final reads what has not been read, and puts the whole answer together.
func (s *Stream[T, F]) Final() (*F, error) {
	for s.err == nil {
		_, _ = s.Recv()
	}
	if s.err != io.EOF {
		return nil, s.err
	}
	text := s.collected()
	var final F
	if text == nil || !decodeAnswer(text, &final, s.kind.holds) {
		return nil, &StreamInterruptedError{Detail: s.detail("The stream ended without an answer."), Text: string(s.text), Gateway: s.gateway}
	}
	if headed, ok := any(&final).(interface{ setHead(*answerHead) }); ok {
		headed.setHead(&answerHead{s.opened.response, text})
	}
	setGateway(&final, s.Gateway())
	return &final, nil
}

// Close closes the connection. Harmless when the stream is over.
func (s *Stream[T, F]) Close() error {
	s.mutex.Lock()
	s.closed = true
	s.mutex.Unlock()
	s.opened.close()
	return nil
}

func (s *Stream[T, F]) isClosed() bool {
	s.mutex.Lock()
	defer s.mutex.Unlock()
	return s.closed
}

func (s *Stream[T, F]) event(data []byte) (event T, known bool) {
	var fields map[string]any
	if json.Unmarshal(data, &fields) != nil || fields == nil {
		s.fail("An event is no JSON: "+s.connection.clean(excerpt("text", string(data))), nil, Error{})
		return event, false
	}
	if failureIn(fields) != nil {
		// A server that repeats the key may do so in any field.
		_ = json.Unmarshal([]byte(s.connection.clean(string(data))), &fields)
		said, _ := fieldsOf(failureIn(fields), s.StatusCode(), s.Header())
		if said.Message == "" {
			said.Message = "The stream ended with an error."
		}
		s.fail(said.Message, nil, said)
		return event, false
	}
	if !s.collector.knows(fields) {
		return event, false
	}
	if bytes.Contains(data, []byte(`"gateway"`)) {
		s.decide(data)
	}
	s.collector.add(fields)
	s.text = append(s.text, s.collector.textOf(fields)...)
	return s.kind.decode(data, fields), true
}

// The last event's decision: at its top, or in the response that it holds.
func (s *Stream[T, F]) decide(data []byte) {
	var holder struct {
		Gateway  *Decision `json:"gateway"`
		Response struct {
			Gateway *Decision `json:"gateway"`
		} `json:"response"`
	}
	_ = json.Unmarshal(data, &holder)
	found := holder.Gateway
	if found == nil {
		found = holder.Response.Gateway
	}
	if found != nil && found.Decision != "" {
		s.mutex.Lock()
		s.gateway = decisionOf(found, s.Header())
		s.mutex.Unlock()
	}
}

const longestRest = time.Second

// The answer is whole. What follows the end mark is nothing, and comes with it: then the connection can be used again.
func (s *Stream[T, F]) finish() {
	s.opened.deadline.wait(longestRest)
	_, _ = io.Copy(io.Discard, io.LimitReader(s.opened.response.Body, mostOfError))
	s.opened.close()
	s.err = io.EOF
}

func (s *Stream[T, F]) broken(err error) {
	explained := s.connection.explain(err, s.opened.deadline, s.opened.response)
	var known *Error
	if !errors.As(explained, &known) {
		s.err = explained
		s.opened.close()
		return
	}
	s.fail(known.Message, err, Error{})
}

func (s *Stream[T, F]) fail(message string, cause error, said Error) {
	s.opened.close()
	detail := s.detail(message)
	detail.Type, detail.Code, detail.Param, detail.cause = said.Type, said.Code, said.Param, cause
	s.err = &StreamInterruptedError{Detail: detail, Text: string(s.text), Partial: s.collected(), Gateway: s.Gateway()}
}

func (s *Stream[T, F]) detail(message string) Error {
	return Error{Message: message, StatusCode: s.StatusCode(), RequestID: s.RequestID(), Header: s.Header()}
}

func (s *Stream[T, F]) collected() []byte {
	result := s.collector.result()
	if result == nil {
		return nil
	}
	text, err := encode(result)
	if err != nil {
		return nil
	}
	return text
}

// String says nothing of the connection, which knows the key.
func (s *Stream[T, F]) String() string { return fmt.Sprintf("gateway.Stream(%s)", s.RequestID()) }

// What an event reports instead of a piece of an answer: in OpenAI's, Anthropic's and Responses' forms.
func failureIn(event map[string]any) map[string]any {
	switch failure := event["error"].(type) {
	case map[string]any:
		return event
	case string:
		if failure != "" {
			return event
		}
	}
	if event["type"] == "error" {
		return event
	}
	response, isResponse := event["response"].(map[string]any)
	if event["type"] != "response.failed" || !isResponse {
		return nil
	}
	if failure, ok := response["error"].(map[string]any); ok {
		return map[string]any{"error": failure}
	}
	return map[string]any{"error": map[string]any{"message": "The response failed."}}
}
