package gateway_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"reflect"
	"sync/atomic"
	"testing"
	"time"

	gateway "example.com/model-gateway/go"
)

// A stream that goes on until its reader has gone; told when it has.
func endless(gone chan<- struct{}) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		decide(w.Header())
		w.Header().Set("Content-Type", "text/event-stream")
		fmt.Fprint(w, chunk("Once", "null", ""))
		w.(http.Flusher).Flush()
		<-r.Context().Done()
		close(gone)
	}
}

func within(t *testing.T, what string, done <-chan struct{}) {
	t.Helper()
	select {
	case <-done:
	case <-time.After(10 * time.Second):
		t.Fatal(what + " never came")
	}
}

func TestStreamsAskForTokenCounts(t *testing.T) {
	var asked map[string]any
	client := serve(t, func(w http.ResponseWriter, r *http.Request) {
		asked = nil
		_ = json.NewDecoder(r.Body).Decode(&asked)
		streamed("Once")(w, r)
	})
	ask := func(change func(*gateway.ChatRequest)) any {
		request := hello
		change(&request)
		stream, err := client.Chat.Completions.Stream(context.Background(), request)
		if err != nil {
			t.Fatal(err)
		}
		_ = stream.Close()
		return asked["stream_options"]
	}
	counts, none := map[string]any{"include_usage": true}, map[string]any{"include_usage": false}
	if said := ask(func(*gateway.ChatRequest) {}); !reflect.DeepEqual(said, counts) {
		t.Errorf("by default: %v", said)
	}
	if said := ask(func(r *gateway.ChatRequest) { r.StreamOptions = none }); !reflect.DeepEqual(said, none) {
		t.Errorf("where it is not wanted: %v", said)
	}
	if said := ask(func(r *gateway.ChatRequest) { r.Extra = map[string]any{"stream_options": none} }); !reflect.DeepEqual(said, none) {
		t.Errorf("where Extra says so: %v", said)
	}
	if _, err := client.Completions.Stream(context.Background(), gateway.CompletionRequest{Model: "m", Prompt: "Hi"}); err != nil {
		t.Fatal(err)
	}
	if !reflect.DeepEqual(asked["stream_options"], counts) {
		t.Errorf("of completions: %v", asked["stream_options"])
	}
}

func TestOutputTextIsTheTextOfAllMessages(t *testing.T) {
	var response gateway.Response
	text := `{"output": [
		{"type": "reasoning", "content": [{"type": "reasoning_text", "text": "hm"}]},
		{"type": "message", "content": [{"type": "output_text", "text": "a"}, {"type": "refusal", "refusal": "no"}]},
		{"type": "function_call", "arguments": "{}"},
		{"type": "message", "content": [{"type": "output_text", "text": "b"}]},
		{"type": "message"}
	]}`
	if err := json.Unmarshal([]byte(text), &response); err != nil {
		t.Fatal(err)
	}
	if said := response.OutputText(); said != "ab" {
		t.Errorf("said %q", said)
	}
	if said := new(gateway.Response).OutputText(); said != "" {
		t.Errorf("of an empty one: %q", said)
	}
}

func TestRecvUntilEOF(t *testing.T) {
	client := serve(t, streamed("Once ", "upon"))
	stream, err := client.Chat.Completions.Stream(context.Background(), hello)
	if err != nil {
		t.Fatal(err)
	}
	defer stream.Close()
	if decision := stream.Gateway(); decision.CostIsFinal || decision.Deployment != "demo/mini" {
		t.Errorf("at once: %+v", decision)
	}
	text := ""
	for {
		event, err := stream.Recv()
		if err == io.EOF {
			break
		}
		if err != nil {
			t.Fatal(err)
		}
		text += event.Text()
	}
	if _, err := stream.Recv(); text != "Once upon" || err != io.EOF {
		t.Errorf("%q, then %v", text, err)
	}
	if decision := stream.Gateway(); !decision.CostIsFinal || *decision.CostUSD != 0.000042 {
		t.Errorf("in the end: %+v", decision)
	}
	final, err := stream.Final()
	if err != nil || final.Text() != "Once upon" || !final.Gateway.CostIsFinal {
		t.Errorf("%+v, %v", final, err)
	}
}

func TestLeavingTheLoopClosesTheSocket(t *testing.T) {
	gone := make(chan struct{})
	client := serve(t, endless(gone))
	stream, err := client.Chat.Completions.Stream(context.Background(), hello)
	if err != nil {
		t.Fatal(err)
	}
	for _, err := range stream.All() {
		if err != nil {
			t.Fatal(err)
		}
		break
	}
	within(t, "the end of the connection", gone)
	if _, err := stream.Recv(); !errors.Is(err, gateway.ErrStreamClosed) {
		t.Error(err)
	}
	if _, err := stream.Final(); !errors.Is(err, gateway.ErrStreamClosed) {
		t.Error(err)
	}
}

func TestCloseEndsARecvOfAnotherGoroutine(t *testing.T) {
	gone := make(chan struct{})
	client := serve(t, endless(gone))
	stream, err := client.Chat.Completions.Stream(context.Background(), hello)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := stream.Recv(); err != nil {
		t.Fatal(err)
	}
	ended := make(chan error)
	go func() {
		_, err := stream.Recv()
		ended <- err
	}()
	if err := stream.Close(); err != nil {
		t.Fatal(err)
	}
	if err := <-ended; !errors.Is(err, gateway.ErrStreamClosed) {
		t.Error(err)
	}
	within(t, "the end of the connection", gone)
}

func TestTheContextEndsAStream(t *testing.T) {
	gone := make(chan struct{})
	client := serve(t, endless(gone))
	ctx, cancel := context.WithCancel(context.Background())
	stream, err := client.Chat.Completions.Stream(ctx, hello)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := stream.Recv(); err != nil {
		t.Fatal(err)
	}
	cancel()
	if _, err := stream.Recv(); !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
	within(t, "the end of the connection", gone)
}

func TestTheContextEndsAWaitBetweenAttempts(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	client := serve(t, func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Retry-After", "50")
		w.WriteHeader(http.StatusTooManyRequests)
		cancel()
	})
	if _, err := client.Chat.Completions.Create(ctx, hello); !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
}

func TestAConnectionIsUsedAgain(t *testing.T) {
	var connections atomic.Int32
	server := httptest.NewUnstartedServer(streamed("Once"))
	server.Config.ConnState = func(_ net.Conn, state http.ConnState) {
		if state == http.StateNew {
			connections.Add(1)
		}
	}
	server.Start()
	t.Cleanup(server.Close)
	client := clientOf(t, server.URL)
	for range 5 {
		stream, err := client.Chat.Completions.Stream(context.Background(), hello)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := stream.Final(); err != nil {
			t.Fatal(err)
		}
	}
	if count := connections.Load(); count != 1 {
		t.Errorf("%d connections for five streams", count)
	}
}

func TestPlacesOutOfAllBoundsArePassedOver(t *testing.T) {
	client := serve(t, func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "text/event-stream")
		fmt.Fprint(w, `data: {"choices":[{"index":1e18,"delta":{"content":"a","tool_calls":[{"index":-5,"id":"x"},7,null]},"finish_reason":"stop"},null,"x"]}`+"\n\n")
		fmt.Fprint(w, "data: [DONE]\n\n")
	})
	stream, err := client.Chat.Completions.Stream(context.Background(), hello)
	if err != nil {
		t.Fatal(err)
	}
	if final, err := stream.Final(); err != nil || len(final.Choices) != 0 {
		t.Errorf("%+v, %v", final, err)
	}
}
