package gateway

import (
	"context"
	"encoding/json"
	"fmt"
	"iter"
)

type page[T any] struct {
	Answer  `json:"-"`
	Data    []T     `json:"data"`
	HasMore bool    `json:"has_more"`
	Next    *cursor `json:"next"`
}

// Where the next page begins: a text, or a number.
type cursor string

func (c *cursor) UnmarshalJSON(text []byte) error {
	if len(text) > 0 && text[0] == '"' {
		return json.Unmarshal(text, (*string)(c))
	}
	var number json.Number
	err := json.Unmarshal(text, &number)
	*c = cursor(number)
	return err
}

// Pages is a list in pages, gone through item by item.
type Pages[T any] struct {
	read func(after string) (*page[T], error)
}

func list[T any](ctx context.Context, c *connection, path string, query any, options []CallOption) *Pages[T] {
	return &Pages[T]{func(after string) (*page[T], error) {
		return call[page[T]](ctx, c, outgoing{method: "GET", path: path, query: query, after: after, options: options}, "data")
	}}
}

// All ranges over the items of all pages; an error is the last pair.
func (p *Pages[T]) All() iter.Seq2[T, error] {
	return func(yield func(T, error) bool) {
		var none T
		for after, more := "", true; more; {
			came, err := p.read(after)
			if err != nil {
				yield(none, err)
				return
			}
			for _, item := range came.Data {
				if !yield(item, nil) {
					return
				}
			}
			more = came.HasMore && came.Next != nil
			if !more {
				return
			}
			if string(*came.Next) == after {
				message := fmt.Sprintf("The page after %q leads to itself.", after)
				yield(none, &InvalidAnswerError{Error{Message: message, StatusCode: came.StatusCode(), RequestID: came.RequestID()}})
				return
			}
			after = string(*came.Next)
		}
	}
}

// First reads the first page alone.
func (p *Pages[T]) First() ([]T, error) {
	came, err := p.read("")
	if err != nil {
		return nil, err
	}
	return came.Data, nil
}
