package main

import (
	"bytes"
	"encoding/base64"
	"errors"
	"fmt"
	"io"

	"github.com/openai/openai-go/v3"
)

func drawn() (io.Reader, error) {
	client := connect()
	answer, err := client.Images.Generate(ctx, openai.ImageGenerateParams{Model: "demo/picture", Prompt: "a raven", Size: "256x256"})
	if err != nil {
		return nil, err
	}
	return png(answer)
}

func png(answer *openai.ImagesResponse) (io.Reader, error) {
	if len(answer.Data) == 0 {
		return nil, errors.New("no image")
	}
	data, err := base64.StdEncoding.DecodeString(answer.Data[0].B64JSON)
	if err == nil && (len(data) < 4 || string(data[1:4]) != "PNG") {
		err = fmt.Errorf("no PNG of %d bytes", len(data))
	}
	return bytes.NewReader(data), err
}

var imageChecks = []check{
	{"an image of a text", func() error {
		_, err := drawn()
		return err
	}},
	{"an edit of an uploaded image", func() error {
		image, err := drawn()
		if err != nil {
			return err
		}
		client := connect()
		answer, err := client.Images.Edit(ctx, openai.ImageEditParams{
			Model:  "demo/picture",
			Prompt: "a white raven",
			Image:  openai.ImageEditParamsImageUnion{OfFile: openai.File(image, "raven.png", "image/png")},
			Size:   "256x256",
		})
		if err != nil {
			return err
		}
		_, err = png(answer)
		return err
	}},
}
