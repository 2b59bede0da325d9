package main

import (
	"errors"
	"net/http"
	"strings"

	"github.com/openai/openai-go/v3"
	"github.com/openai/openai-go/v3/option"
	"github.com/openai/openai-go/v3/responses"
)

func respond(text string) responses.ResponseNewParams {
	return responses.ResponseNewParams{
		Model: "demo/standard",
		Input: responses.ResponseNewParamsInputUnion{OfString: openai.String(text)},
	}
}

var responsesWeather = responses.ToolUnionParam{OfFunction: &responses.FunctionToolParam{
	Name: "get_weather",
	Parameters: map[string]any{
		"type":       "object",
		"properties": map[string]any{"city": map[string]any{"type": "string"}},
		"required":   []string{"city"},
	},
}}

var responsesChecks = []check{
	{"a response and its headers", func() error {
		client := connect()
		var response *http.Response
		answer, err := client.Responses.New(ctx, respond("Say hello"), option.WithResponseInto(&response))
		if err != nil {
			return err
		}
		return errors.Join(
			expect(strings.Contains(answer.OutputText(), "Say hello"), "it said %q", answer.OutputText()),
			expect(answer.Usage.OutputTokens > 0, "no usage"),
			expect(response.Header.Get("X-Gateway-Decision") == "demo/standard", "decision %s", response.Header.Get("X-Gateway-Decision")),
		)
	}},
	{"a stream", func() error {
		client := connect()
		stream := client.Responses.NewStreaming(ctx, respond("Say hello"))
		defer stream.Close()
		var text strings.Builder
		var last responses.ResponseStreamEventUnion
		for stream.Next() {
			last = stream.Current()
			if last.Type == "response.output_text.delta" {
				text.WriteString(last.Delta)
			}
		}
		return errors.Join(stream.Err(),
			expect(last.Type == "response.completed", "the last event is %s", last.Type),
			expect(text.String() != "" && text.String() == last.Response.OutputText(), "%q is not %q", text.String(), last.Response.OutputText()),
		)
	}},
	{"a tool loop over previous_response_id", func() error {
		client := connect()
		params := respond("What is the weather in Paris?")
		params.Tools = []responses.ToolUnionParam{responsesWeather}
		first, err := client.Responses.New(ctx, params)
		if err != nil {
			return err
		}
		for _, item := range first.Output {
			if item.Type != "function_call" {
				continue
			}
			output := responses.ResponseInputItemParamOfFunctionCallOutput("19 degrees and sunny")
			output.OfFunctionCallOutput.CallID = openai.String(item.CallID)
			params.Input = responses.ResponseNewParamsInputUnion{OfInputItemList: []responses.ResponseInputItemUnionParam{output}}
			params.PreviousResponseID = openai.String(first.ID)
			second, err := client.Responses.New(ctx, params)
			if err != nil {
				return err
			}
			return expect(strings.Contains(second.OutputText(), "19 degrees and sunny"), "it said %q", second.OutputText())
		}
		return errors.New("no tool was called")
	}},
	{"kept: retrieved, deleted, gone", func() error {
		client := connect()
		made, err := client.Responses.New(ctx, respond("Say hello"))
		if err != nil {
			return err
		}
		kept, err := client.Responses.Get(ctx, made.ID, responses.ResponseGetParams{})
		if err != nil {
			return err
		}
		if err := client.Responses.Delete(ctx, made.ID); err != nil {
			return err
		}
		_, gone := client.Responses.Get(ctx, made.ID, responses.ResponseGetParams{})
		return errors.Join(
			expect(kept.OutputText() == made.OutputText(), "%q is not %q", kept.OutputText(), made.OutputText()),
			expect(gone != nil, "it is still there"),
		)
	}},
}
