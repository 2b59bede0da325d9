// Checks of the vendor's Go client, unchanged, against a running gateway. The arguments name the parts to run. One line per check:
// `ok NAME`, or `FAIL NAME` with indented lines of why.
package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"os"
	"strings"
	"sync/atomic"

	"github.com/openai/openai-go/v3"
	"github.com/openai/openai-go/v3/option"
)

var (
	url       = os.Getenv("GATEWAY_URL")
	key       = os.Getenv("GATEWAY_KEY")
	masterKey = os.Getenv("GATEWAY_MASTER_KEY")
	ctx       = context.Background()
)

type check struct {
	name string
	run  func() error
}

// A part is a file.
var parts = map[string][]check{
	"audio":     audioChecks,
	"broken":    brokenChecks,
	"chat":      chatChecks,
	"errors":    errorChecks,
	"images":    imageChecks,
	"responses": responsesChecks,
	"vectors":   vectorChecks,
}

func main() {
	for _, part := range os.Args[1:] {
		for _, check := range parts[part] {
			if err := guarded(check.run); err != nil {
				fmt.Printf("FAIL %s\n  %s\n", check.name, strings.ReplaceAll(err.Error(), "\n", "\n  "))
			} else {
				fmt.Printf("ok %s\n", check.name)
			}
		}
	}
}

func guarded(run func() error) (err error) {
	defer func() {
		if panicked := recover(); panicked != nil {
			err = fmt.Errorf("panic: %v", panicked)
		}
	}()
	return run()
}

// connect makes a client as its users do, for the demo's key.
func connect(options ...option.RequestOption) openai.Client { return connectAs(key, options...) }

func connectAs(secret string, options ...option.RequestOption) openai.Client {
	all := []option.RequestOption{option.WithBaseURL(url + "/v1"), option.WithAPIKey(secret), option.WithMaxRetries(0)}
	return openai.NewClient(append(all, options...)...)
}

// counting is a client with its usual retries, and how often it called.
func counting(secret string) (openai.Client, *atomic.Int32) {
	calls := &atomic.Int32{}
	count := option.WithMiddleware(func(request *http.Request, next option.MiddlewareNext) (*http.Response, error) {
		calls.Add(1)
		return next(request)
	})
	return connectAs(secret, option.WithMaxRetries(2), count), calls
}

// newKey makes a virtual key through the admin API.
func newKey(fields map[string]any) (string, error) {
	body, err := json.Marshal(fields)
	if err != nil {
		return "", err
	}
	request, err := http.NewRequest("POST", url+"/admin/keys", bytes.NewReader(body))
	if err != nil {
		return "", err
	}
	request.Header.Set("Authorization", "Bearer "+masterKey)
	request.Header.Set("Content-Type", "application/json")
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		return "", err
	}
	defer response.Body.Close()
	var made struct{ Key string }
	return made.Key, errors.Join(json.NewDecoder(response.Body).Decode(&made), expect(response.StatusCode == 201, "status %d", response.StatusCode))
}

// expect is an error when something does not hold.
func expect(holds bool, format string, args ...any) error {
	if holds {
		return nil
	}
	return fmt.Errorf(format, args...)
}

// refused is the API's error with this status and code.
func refused(err error, status int, code string) (*openai.Error, error) {
	var problem *openai.Error
	if !errors.As(err, &problem) {
		return &openai.Error{}, fmt.Errorf("no *openai.Error but %v", err)
	}
	return problem, expect(problem.StatusCode == status && problem.Code == code, "%d %s: %s", problem.StatusCode, problem.Code, problem.Message)
}
