// Command conformance is this client's runner of the conformance suite; see packages/conformance/README.md.
package main

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"os"
	"regexp"
	"strconv"
	"strings"
	"sync"
	"time"

	gateway "example.com/model-gateway/go"
)

type scenario struct {
	Name   string `json:"name"`
	Client struct {
		BaseURL    string            `json:"base_url"`
		APIKey     string            `json:"api_key"`
		MasterKey  string            `json:"master_key"`
		TimeoutMs  *int              `json:"timeout_ms"`
		MaxRetries *int              `json:"max_retries"`
		Headers    map[string]string `json:"headers"`
	} `json:"client"`
	Environment map[string]string `json:"environment"`
	Fixtures    string            `json:"fixtures"`
	Steps       []json.RawMessage `json:"steps"`
}

type step struct {
	Operation  string               `json:"operation"`
	Params     map[string]string    `json:"params"`
	Query      json.RawMessage      `json:"query"`
	Body       json.RawMessage      `json:"body"`
	Files      map[string]fileGiven `json:"files"`
	Stream     bool                 `json:"stream"`
	LeaveAfter int                  `json:"leave_after"`
	Iterate    bool                 `json:"iterate"`
	Parse      bool                 `json:"parse"`
	Raw        bool                 `json:"raw"`
	Save       map[string]string    `json:"save"`
	Options    struct {
		Session        string            `json:"session"`
		EndUser        string            `json:"end_user"`
		Guardrails     []string          `json:"guardrails"`
		Tags           []string          `json:"tags"`
		Prefer         string            `json:"prefer"`
		Strict         bool              `json:"strict"`
		NoFallback     bool              `json:"no_fallback"`
		Recovery       string            `json:"recovery"`
		Content        string            `json:"content"`
		Cache          cacheGiven        `json:"cache"`
		IdempotencyKey string            `json:"idempotency_key"`
		Headers        map[string]string `json:"headers"`
		TimeoutMs      *int              `json:"timeout_ms"`
		MaxRetries     *int              `json:"max_retries"`
	} `json:"options"`
}

type cacheGiven struct {
	On      bool `json:"on"`
	NoCache bool `json:"no_cache"`
	NoStore bool `json:"no_store"`
	MaxAge  int  `json:"max_age"`
}

func (c cacheGiven) option() gateway.CallOption {
	maxAge := time.Duration(c.MaxAge) * time.Second
	return gateway.Cache(gateway.CacheOptions{On: c.On, NoCache: c.NoCache, NoStore: c.NoStore, MaxAge: maxAge})
}

func (s step) options() (all []gateway.CallOption) {
	given := s.Options
	when := func(isGiven bool, option gateway.CallOption) {
		if isGiven {
			all = append(all, option)
		}
	}
	when(given.Session != "", gateway.Session(given.Session))
	when(given.EndUser != "", gateway.EndUser(given.EndUser))
	when(len(given.Guardrails) > 0, gateway.Guardrails(given.Guardrails...))
	when(len(given.Tags) > 0, gateway.Tags(given.Tags...))
	when(given.Prefer != "", gateway.Prefer(given.Prefer))
	when(given.Strict, gateway.Strict())
	when(given.NoFallback, gateway.NoFallback())
	when(given.Recovery != "", gateway.Recovery(given.Recovery))
	when(given.Content != "", gateway.Content(given.Content))
	when(given.Cache != cacheGiven{}, given.Cache.option())
	when(given.IdempotencyKey != "", gateway.IdempotencyKey(given.IdempotencyKey))
	for name, value := range given.Headers {
		all = append(all, gateway.Header(name, value))
	}
	if given.TimeoutMs != nil {
		all = append(all, gateway.Timeout(time.Duration(*given.TimeoutMs)*time.Millisecond))
	}
	if given.MaxRetries != nil {
		all = append(all, gateway.MaxRetries(*given.MaxRetries))
	}
	return all
}

// An environment is the whole process's: a client reads it when it is made.
var environment sync.Mutex

var variables = []string{"GATEWAY_BASE_URL", "GATEWAY_API_KEY", "GATEWAY_MASTER_KEY"}

func (s scenario) construct() (*gateway.Client, error) {
	environment.Lock()
	defer environment.Unlock()
	clear := func() {
		for _, name := range variables {
			_ = os.Unsetenv(name)
		}
	}
	clear()
	defer clear()
	for name, value := range s.Environment {
		_ = os.Setenv(name, value)
	}
	var options []gateway.ClientOption
	if s.Client.BaseURL != "" {
		options = append(options, gateway.WithBaseURL(s.Client.BaseURL))
	}
	if s.Client.APIKey != "" {
		options = append(options, gateway.WithAPIKey(s.Client.APIKey))
	}
	if s.Client.MasterKey != "" {
		options = append(options, gateway.WithMasterKey(s.Client.MasterKey))
	}
	if s.Client.TimeoutMs != nil {
		options = append(options, gateway.WithTimeout(time.Duration(*s.Client.TimeoutMs)*time.Millisecond))
	}
	if s.Client.MaxRetries != nil {
		options = append(options, gateway.WithMaxRetries(*s.Client.MaxRetries))
	}
	for name, value := range s.Client.Headers {
		options = append(options, gateway.WithHeader(name, value))
	}
	return gateway.New(options...)
}

var placeholder = regexp.MustCompile(`\{\{(\w+)\}\}`)

func (s scenario) run() []observation {
	client, err := s.construct()
	if err != nil {
		return []observation{{"error": errorOf(err), "shown": shown(err)}}
	}
	observations := []observation{}
	saved := map[string]string{}
	for _, unfilled := range s.Steps {
		filled := placeholder.ReplaceAllStringFunc(string(unfilled), func(all string) string {
			if value, ok := saved[strings.Trim(all, "{}")]; ok {
				return value
			}
			return all
		})
		var next step
		if err := json.Unmarshal([]byte(filled), &next); err != nil {
			panic(err)
		}
		seen := observation{}
		observations = append(observations, seen)
		started := time.Now()
		err := next.observe(client, s.Fixtures, seen)
		seen["took_ms"] = float64(time.Since(started).Microseconds()) / 1000
		if err != nil {
			seen["error"], seen["shown"] = errorOf(err), shown(err, client)
			break
		}
		seen["shown"] = shown(client)
		for name, path := range next.Save {
			saved[name] = at(seen, path)
		}
	}
	return observations
}

func (s step) observe(client *gateway.Client, fixtures string, seen observation) error {
	if s.Operation == "construct" {
		return nil
	}
	result, err := operations[s.Operation](client, asked{
		ctx: context.Background(), params: s.Params, query: s.Query, body: s.Body, files: s.Files, fixtures: fixtures,
		stream: s.Stream, parse: s.Parse, options: s.options(),
	})
	if err != nil {
		return err
	}
	switch given := result.(type) {
	case streaming:
		s.raw(seen, http.StatusOK, given.Header())
		return observeStream(given, s.LeaveAfter, seen)
	case listing:
		items, err := given.all()
		if err == nil && s.Iterate {
			seen["items"] = items
		}
		return err
	case *gateway.Sound:
		content, err := given.Bytes()
		if err != nil {
			return err
		}
		seen["bytes"], seen["gateway"] = len(content), decision(given.Gateway)
		s.raw(seen, given.StatusCode(), given.Header())
	case whole:
		seen["body"] = given.body
		if given.created {
			seen["gateway"] = given.gateway
		}
		if s.Parse {
			seen["parsed"] = given.parsed
		}
		s.raw(seen, given.status, given.headers)
	}
	return nil
}

func (s step) raw(seen observation, status int, headers http.Header) {
	if !s.Raw {
		return
	}
	flat := map[string]string{}
	for name, values := range headers {
		flat[strings.ToLower(name)] = strings.Join(values, ", ")
	}
	seen["raw"] = observation{"status": status, "headers": flat}
}

// The value at a path of names and of indexes of lists.
func at(seen observation, path string) string {
	var value any = asMap(encoded(seen))
	for _, name := range strings.Split(path, ".") {
		switch held := value.(type) {
		case map[string]any:
			value = held[name]
		case []any:
			if index, err := strconv.Atoi(name); err == nil && index < len(held) {
				value = held[index]
			}
		}
	}
	return fmt.Sprint(value)
}

const atOnce = 8

func main() {
	if len(os.Args) != 2 {
		fmt.Fprintln(os.Stderr, "usage: conformance <file with scenarios>")
		os.Exit(2)
	}
	text, err := os.ReadFile(os.Args[1])
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	var scenarios []scenario
	if err := json.Unmarshal(text, &scenarios); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	waiting := make(chan scenario)
	var workers sync.WaitGroup
	var output sync.Mutex
	for range atOnce {
		workers.Add(1)
		go func() {
			defer workers.Done()
			for next := range waiting {
				line := encoded(map[string]any{"scenario": next.Name, "steps": next.run()})
				output.Lock()
				fmt.Printf("%s\n", line)
				output.Unlock()
			}
		}()
	}
	for _, next := range scenarios {
		waiting <- next
	}
	close(waiting)
	workers.Wait()
}
