package gateway_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log"
	"net/http"
	"net/http/httptest"

	gateway "example.com/model-gateway/go"
)

// Something that answers as a gateway does.
func demo(handler http.HandlerFunc) (*gateway.Client, func()) {
	server := httptest.NewServer(handler)
	client, err := gateway.New(gateway.WithBaseURL(server.URL), gateway.WithAPIKey(apiKey), gateway.WithMasterKey(masterKey))
	if err != nil {
		log.Fatal(err)
	}
	return client, server.Close
}

func Example() {
	client, done := demo(plain("Hello!"))
	defer done()

	answer, err := client.Chat.Completions.Create(context.Background(), gateway.ChatRequest{
		Model:    "auto",
		Messages: []gateway.ChatMessage{gateway.UserMessage("Hi")},
	})
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(answer.Text())
	fmt.Println(answer.Gateway.Deployment, answer.Gateway.Bucket)
	if answer.Gateway.CostUSD != nil {
		fmt.Println(*answer.Gateway.CostUSD, "USD")
	}
	// Output:
	// Hello!
	// demo/mini simple
	// 4.2e-05 USD
}

func ExampleStream() {
	client, done := demo(streamed("Once ", "upon ", "a time"))
	defer done()

	stream, err := client.Chat.Completions.Stream(context.Background(), gateway.ChatRequest{
		Model:    "auto",
		Messages: []gateway.ChatMessage{gateway.UserMessage("Tell me a story")},
	})
	if err != nil {
		log.Fatal(err)
	}
	defer stream.Close()
	for {
		chunk, err := stream.Recv()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			log.Fatal(err)
		}
		fmt.Print(chunk.Text())
	}
	fmt.Println()
	fmt.Println(stream.Gateway().CostIsFinal, *stream.Gateway().CostUSD)
	// Output:
	// Once upon a time
	// true 4.2e-05
}

func ExampleStream_All() {
	client, done := demo(streamed("Once ", "upon"))
	defer done()

	stream, err := client.Chat.Completions.Stream(context.Background(), hello)
	if err != nil {
		log.Fatal(err)
	}
	for chunk, err := range stream.All() {
		if err != nil {
			log.Fatal(err)
		}
		fmt.Print(chunk.Text())
	}
	// Output: Once upon
}

func ExampleParse() {
	client, done := demo(plain(`{"left": 23, "right": 7}`))
	defer done()

	type sum struct {
		Left  int `json:"left"`
		Right int `json:"right"`
	}
	number := map[string]any{"type": "integer"}
	request := hello
	request.ResponseFormat = gateway.JSONSchema("sum", map[string]any{
		"type": "object", "properties": map[string]any{"left": number, "right": number},
		"required": []string{"left", "right"}, "additionalProperties": false,
	})
	answer, err := gateway.Parse[sum](context.Background(), client, request)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(answer.Value.Left + answer.Value.Right)
	// Output: 30
}

func ExampleBudgetExceededError() {
	client, done := demo(func(w http.ResponseWriter, _ *http.Request) {
		w.WriteHeader(http.StatusTooManyRequests)
		fmt.Fprint(w, `{"error":{"message":"The budget is used up.","type":"insufficient_quota","kind":"budget","limit":5,"used":5,"scope":"key"}}`)
	})
	defer done()

	_, err := client.Chat.Completions.Create(context.Background(), hello)
	var budget *gateway.BudgetExceededError
	if errors.As(err, &budget) {
		fmt.Println(budget, *budget.Used, "of", *budget.Limit.Limit, "USD of the", budget.Scope)
	}
	// Output: The budget is used up. 5 of 5 USD of the key
}

func ExamplePages_All() {
	client, done := demo(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Query().Get("after") == "" {
			fmt.Fprint(w, `{"object":"list","data":[{"id":"key_1"},{"id":"key_2"}],"has_more":true,"next":"key_2"}`)
			return
		}
		fmt.Fprint(w, `{"object":"list","data":[{"id":"key_3"}],"has_more":false,"next":null}`)
	})
	defer done()

	for key, err := range client.Admin.Keys.List(context.Background(), gateway.ListKeysQuery{Limit: 2}).All() {
		if err != nil {
			log.Fatal(err)
		}
		fmt.Println(key.ID)
	}
	// Output:
	// key_1
	// key_2
	// key_3
}
