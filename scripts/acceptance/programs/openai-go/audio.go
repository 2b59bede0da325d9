package main

import (
	"bytes"
	"io"

	"github.com/openai/openai-go/v3"
)

const transcript = "This is a recording of 2 seconds. The demo provider does not know its words."

var audioChecks = []check{
	{"speech, and its transcription", func() error {
		client := connect()
		spoken, err := client.Audio.Speech.New(ctx, openai.AudioSpeechNewParams{
			Model:          "demo/speech",
			Input:          "The raven is like a writing desk",
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
		return expect(heard.Text == transcript, "it heard %q", heard.Text)
	}},
}
