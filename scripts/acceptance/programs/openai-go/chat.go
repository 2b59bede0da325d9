package main

import (
	"encoding/json"
	"errors"
	"net/http"
	"strconv"
	"strings"

	"github.com/openai/openai-go/v3"
	"github.com/openai/openai-go/v3/option"
	"github.com/openai/openai-go/v3/shared"
)

func ask(model string, text string) openai.ChatCompletionNewParams {
	return openai.ChatCompletionNewParams{Model: model, Messages: []openai.ChatCompletionMessageParamUnion{openai.UserMessage(text)}}
}

var weatherTool = openai.ChatCompletionFunctionTool(shared.FunctionDefinitionParam{
	Name: "get_weather",
	Parameters: shared.FunctionParameters{
		"type":       "object",
		"properties": map[string]any{"city": map[string]any{"type": "string"}},
		"required":   []string{"city"},
	},
})

var chatChecks = []check{
	{"chat, the five headers and the cost in the body", func() error {
		client := connect()
		var response *http.Response
		answer, err := client.Chat.Completions.New(ctx, ask("auto", "Say hello"), option.WithResponseInto(&response))
		if err != nil {
			return err
		}
		var usage struct{ Cost float64 }
		cost, _ := strconv.ParseFloat(response.Header.Get("X-Gateway-Cost-Usd"), 64)
		return errors.Join(
			expect(strings.Contains(answer.Choices[0].Message.Content, "Say hello"), "it said %q", answer.Choices[0].Message.Content),
			expect(answer.Choices[0].FinishReason == "stop", "finished by %s", answer.Choices[0].FinishReason),
			json.Unmarshal([]byte(answer.Usage.RawJSON()), &usage),
			expect(cost > 0, "cost %v", cost),
			func() error { return expect(usage.Cost == cost, "usage.cost %v, header %v", usage.Cost, cost) }(),
			expect(response.Header.Get("X-Gateway-Decision") == "demo/mini", "decision %s", response.Header.Get("X-Gateway-Decision")),
			expect(response.Header.Get("X-Gateway-Route-Bucket") == "simple", "bucket %s", response.Header.Get("X-Gateway-Route-Bucket")),
			expect(response.Header.Get("X-Gateway-Route-Score") != "", "no score"),
			expect(response.Header.Get("X-Gateway-Retries") == "0", "retries %s", response.Header.Get("X-Gateway-Retries")),
		)
	}},
	{"a stream, put together, with its usage and exact cost", func() error {
		client := connect()
		params := ask("auto", "Say hello")
		params.StreamOptions = openai.ChatCompletionStreamOptionsParam{IncludeUsage: openai.Bool(true)}
		stream := client.Chat.Completions.NewStreaming(ctx, params)
		defer stream.Close()
		var whole openai.ChatCompletionAccumulator
		var last openai.ChatCompletionChunk
		for stream.Next() {
			last = stream.Current()
			if !whole.AddChunk(last) {
				return errors.New("a chunk did not fit")
			}
		}
		if err := stream.Err(); err != nil {
			return err
		}
		var usage struct{ Cost float64 }
		err := json.Unmarshal([]byte(last.Usage.RawJSON()), &usage)
		return errors.Join(err,
			expect(strings.Contains(whole.Choices[0].Message.Content, "Say hello"), "it said %q", whole.Choices[0].Message.Content),
			expect(whole.Usage.CompletionTokens > 0, "no usage"),
			expect(usage.Cost > 0, "no cost in %s", last.RawJSON()),
		)
	}},
	{"a tool loop", func() error {
		client := connect()
		params := ask("demo/standard", "What is the weather in Paris?")
		params.Tools = []openai.ChatCompletionToolUnionParam{weatherTool}
		first, err := client.Chat.Completions.New(ctx, params)
		if err != nil {
			return err
		}
		calls := first.Choices[0].Message.ToolCalls
		if err := expect(len(calls) == 1 && calls[0].Function.Name == "get_weather", "calls: %s", first.RawJSON()); err != nil {
			return err
		}
		params.Messages = append(params.Messages, first.Choices[0].Message.ToParam(), openai.ToolMessage("19 degrees and sunny", calls[0].ID))
		second, err := client.Chat.Completions.New(ctx, params)
		if err != nil {
			return err
		}
		return expect(strings.Contains(second.Choices[0].Message.Content, "19 degrees and sunny"), "it said %q", second.Choices[0].Message.Content)
	}},
	{"streamed tool calls are put together", func() error {
		client := connect()
		params := ask("demo/standard", "What is the weather in Paris?")
		params.Tools = []openai.ChatCompletionToolUnionParam{weatherTool}
		stream := client.Chat.Completions.NewStreaming(ctx, params)
		defer stream.Close()
		var whole openai.ChatCompletionAccumulator
		finished := 0
		for stream.Next() {
			whole.AddChunk(stream.Current())
			if call, ok := whole.JustFinishedToolCall(); ok && call.Name == "get_weather" && json.Valid([]byte(call.Arguments)) {
				finished++
			}
		}
		return errors.Join(stream.Err(), expect(finished == 1, "%d finished tool calls", finished))
	}},
	{"models, listed and retrieved", func() error {
		client := connect()
		seen := map[string]bool{}
		pages := client.Models.ListAutoPaging(ctx)
		for pages.Next() {
			seen[pages.Current().ID] = true
		}
		if err := pages.Err(); err != nil {
			return err
		}
		model, err := client.Models.Get(ctx, "demo/mini")
		if err != nil {
			return err
		}
		return expect(seen["auto"] && seen["demo/mini"] && model.OwnedBy == "demo", "seen %v, owned by %s", seen, model.OwnedBy)
	}},
}
