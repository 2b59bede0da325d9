package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"reflect"
	"strings"

	gateway "example.com/model-gateway/go"
)

type observation map[string]any

// An answer as its type has it, laid over the JSON that it keeps: a type that reads a field wrongly is seen, and unknown fields are
// kept.
type whole struct {
	body    map[string]any
	gateway any
	created bool
	parsed  any
	status  int
	headers http.Header
}

type answered interface {
	RawJSON() json.RawMessage
	Header() http.Header
	StatusCode() int
}

func answer[T any](value *T, err error) (any, error) {
	if err != nil {
		return nil, err
	}
	given := any(value).(answered)
	seen := whole{body: asMap(given.RawJSON()), status: given.StatusCode(), headers: given.Header()}
	if parsed, ok := any(value).(*gateway.Parsed[any]); ok {
		seen.parsed = parsed.Value
		overlay(seen.body, asMap(encoded(parsed.ChatCompletion)))
		seen.gateway, seen.created = decision(parsed.Gateway), true
	} else {
		overlay(seen.body, asMap(encoded(value)))
		field := reflect.ValueOf(value).Elem().FieldByName("Gateway")
		if field.IsValid() && field.Type() == reflect.TypeFor[*gateway.Decision]() {
			seen.gateway, seen.created = decision(field.Interface().(*gateway.Decision)), true
		}
	}
	if seen.created {
		delete(seen.body, "gateway")
	}
	return seen, nil
}

func encoded(value any) []byte {
	text, err := json.Marshal(value)
	if err != nil {
		panic(err)
	}
	return text
}

func asMap(text []byte) map[string]any {
	var fields map[string]any
	_ = json.Unmarshal(text, &fields)
	return fields
}

// A zero that stands for a field that did not come is no field.
func overlay(raw, typed map[string]any) {
	for name, value := range typed {
		had, came := raw[name]
		if !came {
			continue
		}
		below, isObject := had.(map[string]any)
		above, alsoObject := value.(map[string]any)
		if isObject && alsoObject {
			overlay(below, above)
			continue
		}
		list, isList := had.([]any)
		over, alsoList := value.([]any)
		if !isList || !alsoList || len(list) != len(over) {
			raw[name] = value
			continue
		}
		for index := range list {
			item, isObject := list[index].(map[string]any)
			typedItem, alsoObject := over[index].(map[string]any)
			if isObject && alsoObject {
				overlay(item, typedItem)
			} else {
				list[index] = over[index]
			}
		}
	}
}

func decision(d *gateway.Decision) any {
	if d == nil {
		return nil
	}
	return asMap(encoded(d))
}

// A stream of any kind.
type streaming interface {
	Gateway() *gateway.Decision
	Header() http.Header
	Close() error
	recv() (text string, err error)
	final() (map[string]any, error)
}

type adapted[T interface{ Text() string }, F any] struct{ *gateway.Stream[T, F] }

func (s adapted[T, F]) recv() (string, error) {
	event, err := s.Recv()
	if err != nil {
		return "", err
	}
	return event.Text(), nil
}

func (s adapted[T, F]) final() (map[string]any, error) {
	final, err := s.Final()
	if err != nil {
		return nil, err
	}
	seen, err := answer(final, nil)
	if err != nil {
		return nil, err
	}
	return seen.(whole).body, nil
}

func stream[T interface{ Text() string }, F any](s *gateway.Stream[T, F], err error) (any, error) {
	if err != nil {
		return nil, err
	}
	return adapted[T, F]{s}, nil
}

func observeStream(s streaming, leaveAfter int, seen observation) error {
	defer s.Close()
	pieces, text := 0, ""
	told := observation{"at_once": decision(s.Gateway()), "pieces": 0, "text": ""}
	seen["stream"] = told
	for leaveAfter == 0 || pieces < leaveAfter {
		piece, err := s.recv()
		if err == io.EOF {
			final, err := s.final()
			if err != nil {
				return err
			}
			seen["final"] = final
			break
		}
		if err != nil {
			return err
		}
		pieces++
		text += piece
		told["pieces"], told["text"] = pieces, text
	}
	if leaveAfter > 0 {
		if err := s.Close(); err != nil {
			return err
		}
	}
	seen["gateway"] = decision(s.Gateway())
	return nil
}

type listing struct {
	all func() ([]any, error)
}

func pages[T any](list *gateway.Pages[T]) (any, error) {
	return listing{func() ([]any, error) {
		items := []any{}
		for item, err := range list.All() {
			if err != nil {
				return nil, err
			}
			items = append(items, asMap(encoded(item)))
		}
		return items, nil
	}}, nil
}

func errorOf(err error) observation {
	var detail *gateway.Error
	if !errors.As(err, &detail) {
		return observation{"class": fmt.Sprintf("%T", err), "message": err.Error()}
	}
	seen := observation{"class": classOf(err), "message": err.Error()}
	for name, value := range asMap(encoded(detail)) {
		seen[name] = value
	}
	var rate *gateway.RateLimitError
	var budget *gateway.BudgetExceededError
	var interrupted *gateway.StreamInterruptedError
	limits := map[string]any{}
	switch {
	case errors.As(err, &rate):
		limits = asMap(encoded(rate.Limit))
	case errors.As(err, &budget):
		limits = asMap(encoded(budget.Limit))
	case errors.As(err, &interrupted):
		seen["partial"] = interrupted.Text
	}
	for name, value := range limits {
		seen[name] = value
	}
	return seen
}

func is[T error](err error) bool {
	var found T
	return errors.As(err, &found)
}

func classOf(err error) string {
	switch {
	case is[*gateway.ConfigurationError](err):
		return "configuration"
	case is[*gateway.AuthenticationError](err):
		return "authentication"
	case is[*gateway.PermissionError](err):
		return "permission"
	case is[*gateway.NotFoundError](err):
		return "not_found"
	case is[*gateway.BadRequestError](err):
		return "bad_request"
	case is[*gateway.RateLimitError](err):
		return "rate_limit"
	case is[*gateway.BudgetExceededError](err):
		return "budget"
	case is[*gateway.UpstreamError](err):
		return "upstream"
	case is[*gateway.ServerError](err):
		return "server"
	case is[*gateway.TimeoutError](err):
		return "timeout"
	case is[*gateway.ConnectionError](err):
		return "connection"
	case is[*gateway.StreamInterruptedError](err):
		return "stream_interrupted"
	case is[*gateway.InvalidAnswerError](err):
		return "invalid_answer"
	}
	return "unknown"
}

// Everything that the language shows.
func shown(values ...any) string {
	var all strings.Builder
	for _, value := range values {
		text, _ := json.Marshal(value)
		fmt.Fprintf(&all, "%v\n%+v\n%#v\n%s\n%s\n", value, value, value, value, text)
		if client, ok := value.(*gateway.Client); ok {
			fmt.Fprintf(&all, "%+v\n%#v\n", *client, *client)
		}
		for err, ok := value.(error); ok && err != nil; err = errors.Unwrap(err) {
			fmt.Fprintf(&all, "%v\n%+v\n%#v\n", err, err, err)
		}
	}
	return all.String()
}
