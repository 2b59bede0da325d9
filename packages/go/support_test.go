package gateway_test

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"testing"

	gateway "example.com/model-gateway/go"
)

const apiKey = "mgw_c0ffee_kept-out-of-everything"
const masterKey = "mk_kept-out-of-everything"

var hello = gateway.ChatRequest{Model: "auto", Messages: []gateway.ChatMessage{gateway.UserMessage("Hello")}}

// Whatever a test plays, with a client of it.
func serve(t testing.TB, handler http.HandlerFunc, options ...gateway.ClientOption) *gateway.Client {
	t.Helper()
	server := httptest.NewServer(handler)
	t.Cleanup(server.Close)
	return clientOf(t, server.URL, options...)
}

func clientOf(t testing.TB, address string, options ...gateway.ClientOption) *gateway.Client {
	t.Helper()
	all := append([]gateway.ClientOption{
		gateway.WithBaseURL(address), gateway.WithAPIKey(apiKey), gateway.WithMasterKey(masterKey),
	}, options...)
	client, err := gateway.New(all...)
	if err != nil {
		t.Fatal(err)
	}
	return client
}

func decide(headers http.Header) {
	for name, value := range map[string]string{
		"X-Gateway-Decision": "demo/mini", "X-Gateway-Deployment": "demo/mini", "X-Gateway-Route-Bucket": "simple",
		"X-Gateway-Route-Score": "0.18", "X-Gateway-Cost-Usd": "0.000042", "X-Gateway-Retries": "0",
		"X-Gateway-Receipt-Id": "rcpt_1", "X-Request-Id": "req_1",
	} {
		headers.Set(name, value)
	}
}

const decisionJSON = `{"decision":"demo/mini","deployment":"demo/mini","bucket":"simple","score":0.18,"cost_usd":0.000042,"retries":0,"receipt_id":"rcpt_1"}`

func plain(content string) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) {
		decide(w.Header())
		w.Header().Set("Content-Type", "application/json")
		fmt.Fprintf(w, `{"id":"1","object":"chat.completion","created":1,"model":"mini","choices":[{"index":0,"message":`+
			`{"role":"assistant","content":%q},"finish_reason":"stop"}],"gateway":%s,"novelty":{"kept":true}}`, content, decisionJSON)
	}
}

func chunk(content, finish, more string) string {
	return fmt.Sprintf(`data: {"id":"1","object":"chat.completion.chunk","created":1,"model":"mini","choices":[{"index":0,"delta":`+
		`{"content":%q},"finish_reason":%s}]%s}`+"\n\n", content, finish, more)
}

func streamed(pieces ...string) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) {
		decide(w.Header())
		w.Header().Set("X-Gateway-Cost-Final", "false")
		w.Header().Set("Content-Type", "text/event-stream")
		for _, piece := range pieces {
			fmt.Fprint(w, chunk(piece, "null", ""))
			w.(http.Flusher).Flush()
		}
		fmt.Fprint(w, chunk("", `"stop"`, `,"gateway":`+decisionJSON), "data: [DONE]\n\n")
	}
}
