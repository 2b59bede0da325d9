package main

import (
	"errors"
	"strings"

	"github.com/openai/openai-go/v3"
)

var vectorChecks = []check{
	{"embeddings", func() error {
		client := connect()
		answer, err := client.Embeddings.New(ctx, openai.EmbeddingNewParams{
			Model:      "demo/embed",
			Input:      openai.EmbeddingNewParamsInputUnion{OfArrayOfStrings: []string{"a raven", "a writing desk"}},
			Dimensions: openai.Int(64),
		})
		if err != nil {
			return err
		}
		return expect(len(answer.Data) == 2 && len(answer.Data[1].Embedding) == 64 && answer.Usage.PromptTokens > 0, "%s", answer.RawJSON())
	}},
	{"completions, whole and streamed", func() error {
		client := connect()
		params := openai.CompletionNewParams{
			Model:  "demo/mini",
			Prompt: openai.CompletionNewParamsPromptUnion{OfString: openai.String("Say hello")},
		}
		whole, err := client.Completions.New(ctx, params)
		if err != nil {
			return err
		}
		stream := client.Completions.NewStreaming(ctx, params)
		defer stream.Close()
		var text strings.Builder
		for stream.Next() {
			for _, choice := range stream.Current().Choices {
				text.WriteString(choice.Text)
			}
		}
		return errors.Join(stream.Err(), expect(text.String() != "" && whole.Choices[0].Text != "", "%q, %q", text.String(), whole.Choices[0].Text))
	}},
	{"moderations", func() error {
		client := connect()
		answer, err := client.Moderations.New(ctx, openai.ModerationNewParams{
			Input: openai.ModerationNewParamsInputUnion{OfStringArray: []string{"Hello", "I will kill you"}},
		})
		if err != nil {
			return err
		}
		return expect(!answer.Results[0].Flagged && answer.Results[1].Categories.Violence, "%s", answer.RawJSON())
	}},
}
