package main

import (
	"errors"
	"strings"
)

var errorChecks = []check{
	{"401 is an *openai.Error with code and request id", func() error {
		client := connectAs("sk-not-ours")
		_, err := client.Models.List(ctx)
		problem, err := refused(err, 401, "invalid_api_key")
		if err != nil {
			return err
		}
		id := problem.Response.Header.Get("X-Request-Id")
		return expect(strings.HasPrefix(id, "req_"), "request id %q", id)
	}},
	{"404 names the nearest model", func() error {
		client := connect()
		_, err := client.Chat.Completions.New(ctx, ask("demo/minni", "Say hello"))
		problem, err := refused(err, 404, "model_not_found")
		return errors.Join(err, expect(strings.Contains(problem.Message, "`demo/mini`"), "%s", problem.Message))
	}},
	{"429 comes with a wait", func() error {
		secret, err := newKey(map[string]any{"limits": map[string]any{"rpm": 1}})
		if err != nil {
			return err
		}
		client := connectAs(secret)
		if _, err := client.Chat.Completions.New(ctx, ask("auto", "Say hello")); err != nil {
			return err
		}
		_, err = client.Chat.Completions.New(ctx, ask("auto", "Say hello"))
		problem, err := refused(err, 429, "rate_limit_exceeded")
		if err != nil {
			return err
		}
		return expect(problem.Response.Header.Get("Retry-After") != "", "no Retry-After")
	}},
	{"a used-up budget is asked for once", func() error {
		secret, err := newKey(map[string]any{"budgets": []any{map[string]any{"usd": 0.000001, "window": "day"}}})
		if err != nil {
			return err
		}
		client, calls := counting(secret)
		_, err = client.Chat.Completions.New(ctx, ask("auto", "Say hello"))
		_, err = refused(err, 429, "insufficient_quota")
		return errors.Join(err, expect(calls.Load() == 1, "%d calls", calls.Load()))
	}},
}
