package main

import (
	"bytes"
	"io"

	"github.com/openai/openai-go/v3"
)

const words = "The raven is like a writing desk"

var audioChecks = []check{
	{"speech, and a transcription with its words", func() error {
		client := connect()
		spoken, err := client.Audio.Speech.New(ctx, openai.AudioSpeechNewParams{
			Model:          "demo/speech",
			Input:          words,
			Voice:          openai.AudioSpeechNewParamsVoiceUnion{OfString: openai.String("alloy")},
			ResponseFormat: openai.AudioSpeechNewParamsResponseFormatWAV,
		})
		if err != nil {
			return err
		}
		defer spoken.Body.Close()
		sound, err := io.ReadAll(spoken.Body)
		if err != nil {
			return err
		}
		heard, err := client.Audio.Transcriptions.New(ctx, openai.AudioTranscriptionNewParams{
			Model: "demo/transcribe",
			File:  openai.File(bytes.NewReader(sound), "words.wav", "audio/wav"),
		})
		if err != nil {
			return err
		}
		return expect(heard.Text == words, "it heard %q", heard.Text)
	}},
}
