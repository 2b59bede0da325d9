package gateway_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	gateway "example.com/model-gateway/go"
)

func TestNoKeyIsShown(t *testing.T) {
	client := serve(t, func(w http.ResponseWriter, r *http.Request) {
		http.Error(w, "You sent "+r.Header.Get("Authorization"), http.StatusUnauthorized)
	})
	_, err := client.Chat.Completions.Create(context.Background(), hello)
	var refused *gateway.AuthenticationError
	if !errors.As(err, &refused) || !strings.Contains(err.Error(), "[key]") {
		t.Fatal(err)
	}
	text, _ := json.Marshal([]any{client, err})
	all := fmt.Sprintf("%v %+v %#v %+v %#v %v %+v %#v %s", client, client, client, *client, *client, err, err, err, text)
	if strings.Contains(all, apiKey) || strings.Contains(all, masterKey) {
		t.Error(all)
	}
}

func TestEveryErrorHoldsTheCommonOne(t *testing.T) {
	client := serve(t, func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("X-Request-Id", "req_7")
		w.WriteHeader(http.StatusNotFound)
		fmt.Fprint(w, `{"error":{"message":"no such model","type":"invalid_request_error","code":"model_not_found","param":"model"}}`)
	})
	_, err := client.Chat.Completions.Create(context.Background(), hello)
	var missing *gateway.NotFoundError
	var common *gateway.Error
	if !errors.As(err, &missing) || !errors.As(err, &common) {
		t.Fatal(err)
	}
	if common.StatusCode != 404 || common.Code != "model_not_found" || common.Param != "model" || common.RequestID != "req_7" {
		t.Errorf("%+v", common)
	}
}

func TestWhatIsWrongWithTheSettingsIsSaid(t *testing.T) {
	for _, name := range []string{"GATEWAY_BASE_URL", "GATEWAY_API_KEY", "GATEWAY_MASTER_KEY"} {
		t.Setenv(name, "")
	}
	good := gateway.WithBaseURL("http://127.0.0.1:4100")
	key := gateway.WithAPIKey(apiKey)
	for wanted, options := range map[string][]gateway.ClientOption{
		"GATEWAY_BASE_URL":          {key},
		"GATEWAY_API_KEY":           {good},
		"begin with http://":        {key, gateway.WithBaseURL("127.0.0.1:4100")},
		"no password":               {key, gateway.WithBaseURL("http://me:hunter2@host")},
		"no query":                  {key, gateway.WithBaseURL("http://host/?a=b")},
		"no key has":                {good, gateway.WithAPIKey("mgw_a b")},
		"WithTimeout must be":       {good, key, gateway.WithTimeout(-1)},
		"WithMaxRetries must be":    {good, key, gateway.WithMaxRetries(-1)},
		"that no header can have":   {good, key, gateway.WithHeader("x-a", "b\r\nc: d")},
		"name or a value that no h": {good, key, gateway.WithHeader("x a", "b")},
	} {
		_, err := gateway.New(options...)
		var misuse *gateway.ConfigurationError
		if !errors.As(err, &misuse) || !strings.Contains(err.Error(), wanted) || strings.Contains(err.Error(), "hunter2") {
			t.Errorf("%s: %v", wanted, err)
		}
	}
}

func TestFieldsThatNoVersionKnows(t *testing.T) {
	var sent map[string]any
	client := serve(t, func(w http.ResponseWriter, r *http.Request) {
		_ = json.NewDecoder(r.Body).Decode(&sent)
		plain("Hi")(w, r)
	})
	request := hello
	request.Extra = map[string]any{"of_the_future": []int{1}, "temperature": nil, "model": "other"}
	answer, err := client.Chat.Completions.Create(context.Background(), request)
	if err != nil {
		t.Fatal(err)
	}
	temperature, isSent := sent["temperature"]
	if fmt.Sprint(sent["of_the_future"]) != "[1]" || !isSent || temperature != nil || sent["model"] != "other" {
		t.Error(sent)
	}
	if !strings.Contains(string(answer.RawJSON()), `"novelty":{"kept":true}`) {
		t.Error(string(answer.RawJSON()))
	}
}

func TestAFieldOfAnOddTypeDoesNotLoseAnAnswer(t *testing.T) {
	client := serve(t, func(w http.ResponseWriter, _ *http.Request) {
		fmt.Fprint(w, `{"created":"yesterday","choices":[{"index":0,"message":{"content":"Paid for"}}],"gateway":"none of ours"}`)
	})
	answer, err := client.Chat.Completions.Create(context.Background(), hello)
	if err != nil || answer.Text() != "Paid for" || answer.Gateway != nil {
		t.Errorf("%+v, %v", answer, err)
	}
}

func TestAFormIsSentAgainWhole(t *testing.T) {
	path := filepath.Join(t.TempDir(), "hum.wav")
	content := "RIFF____WAVE" + strings.Repeat("hum", 100_000)
	if err := os.WriteFile(path, []byte(content), 0o600); err != nil {
		t.Fatal(err)
	}
	for name, upload := range map[string]func() *gateway.Upload{
		"path":  func() *gateway.Upload { return gateway.FromPath(path) },
		"bytes": func() *gateway.Upload { return gateway.FromBytes("", []byte(content)) },
		"reader": func() *gateway.Upload {
			return gateway.FromReader("", io.LimitReader(strings.NewReader(content), 1<<30))
		},
	} {
		attempts := 0
		client := serve(t, func(w http.ResponseWriter, r *http.Request) {
			attempts++
			file, header, err := r.FormFile("file")
			if err != nil {
				t.Error(name, err)
				return
			}
			text, _ := io.ReadAll(file)
			if string(text) != content || !strings.HasSuffix(header.Filename, ".wav") || r.ContentLength < int64(len(content)) {
				t.Errorf("%s: %d bytes of %s, %d announced", name, len(text), header.Filename, r.ContentLength)
			}
			if r.FormValue("model") != "auto" || fmt.Sprint(r.MultipartForm.Value["timestamp_granularities[]"]) != "[word segment]" {
				t.Error(name, r.MultipartForm.Value)
			}
			if attempts == 1 {
				w.Header().Set("Retry-After-Ms", "1")
				w.WriteHeader(http.StatusTooManyRequests)
				return
			}
			w.Header().Set("Content-Type", "application/json")
			fmt.Fprint(w, `{"text":"hm","usage":{"type":"duration"}}`)
		})
		request := gateway.TranscriptionRequest{Model: "auto", File: upload(), TimestampGranularities: []string{"word", "segment"}}
		if answer, err := client.Audio.Transcriptions.Create(context.Background(), request); err != nil || answer.Text != "hm" || attempts != 2 {
			t.Errorf("%s: %+v, %v after %d", name, answer, err, attempts)
		}
	}
}

func TestAFileThatIsNotThere(t *testing.T) {
	client := serve(t, plain(""))
	request := gateway.TranscriptionRequest{File: gateway.FromPath("/nowhere/hum.wav")}
	_, err := client.Audio.Transcriptions.Create(context.Background(), request)
	var misuse *gateway.ConfigurationError
	if !errors.As(err, &misuse) || !strings.Contains(err.Error(), "/nowhere/hum.wav") {
		t.Error(err)
	}
}

func TestAnswersThatDoNotFitTheType(t *testing.T) {
	client := serve(t, plain(`{"left": "three"}`))
	request := hello
	if _, err := gateway.Parse[struct{ Left int }](context.Background(), client, request); err == nil {
		t.Error("no schema, no error")
	}
	request.ResponseFormat = gateway.JSONSchema("sum", map[string]any{"type": "object"})
	_, err := gateway.Parse[struct{ Left int }](context.Background(), client, request)
	var invalid *gateway.InvalidAnswerError
	if !errors.As(err, &invalid) {
		t.Error(err)
	}
}

func TestNothingIsWaitedForWithoutAnEnd(t *testing.T) {
	release := make(chan struct{})
	client := serve(t, func(_ http.ResponseWriter, r *http.Request) {
		select {
		case <-r.Context().Done():
		case <-release:
		}
	}, gateway.WithTimeout(20*time.Millisecond))
	_, err := client.Chat.Completions.Create(context.Background(), hello)
	close(release)
	var silent *gateway.TimeoutError
	if !errors.As(err, &silent) || !silent.Timeout() {
		t.Error(err)
	}
}
