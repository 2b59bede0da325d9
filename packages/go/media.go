package gateway

import (
	"context"
	"io"
	"strings"
)

// LastEvent is the end of a stream whose answer is its last event; RawJSON has all of it.
type LastEvent struct {
	Answer  `json:"-"`
	Type    string    `json:"type"`
	Gateway *Decision `json:"gateway,omitempty"`
}

type (
	// TranscriptStream is a streamed transcript.
	TranscriptStream = Stream[Event, Transcript]
	// PictureStream has the pictures in base64, unfinished ones first.
	PictureStream = Stream[Event, LastEvent]
	// SpeechStream has the sound in pieces, in base64.
	SpeechStream = Stream[Event, LastEvent]
)

var (
	transcriptKind = eventKind(transcriptCollector, "text")
	pictureKind    = eventKind(pictureCollector, "type")
	speechKind     = eventKind(speechCollector, "type")
)

// Audio is what can be done with sound.
type Audio struct {
	Transcriptions *Transcriptions
	Translations   *Translations
	Speech         *Speech
}

// Transcriptions write down what is said.
type Transcriptions struct{ c *connection }

// Create writes down a recording. Formats that are no JSON (text, srt, vtt) come as Text too.
func (s *Transcriptions) Create(ctx context.Context, request TranscriptionRequest, options ...CallOption) (*Transcript, error) {
	request.Stream = ""
	return transcript(ctx, s.c, "/v1/audio/transcriptions", request, options)
}

// Stream writes it down piece by piece.
func (s *Transcriptions) Stream(ctx context.Context, request TranscriptionRequest, options ...CallOption) (*TranscriptStream, error) {
	request.Stream = "true"
	form, err := formOf(request)
	if err != nil {
		return nil, err
	}
	asked := outgoing{method: "POST", path: "/v1/audio/transcriptions", form: form, options: options}
	return openStream[Event, Transcript](ctx, s.c, asked, transcriptKind)
}

// Translations write down in English what is said.
type Translations struct{ c *connection }

// Create translates a recording.
func (s *Translations) Create(ctx context.Context, request TranslationRequest, options ...CallOption) (*Transcript, error) {
	return transcript(ctx, s.c, "/v1/audio/translations", request, options)
}

func transcript(ctx context.Context, c *connection, path string, request any, options []CallOption) (*Transcript, error) {
	form, err := formOf(request)
	if err != nil {
		return nil, err
	}
	answer, err := c.open(ctx, outgoing{method: "POST", path: path, form: form, options: options})
	if err != nil {
		return nil, err
	}
	text, err := c.read(answer)
	if err != nil {
		return nil, err
	}
	if kind := answer.response.Header.Get("Content-Type"); strings.Contains(kind, "json") || strings.Contains(kind, "html") {
		return answerOf[Transcript](c, answer, text, "text")
	}
	raw, _ := encode(map[string]string{"text": string(text)})
	transcript := Transcript{Text: string(text), Gateway: decisionOfHeaders(answer.response.Header)}
	transcript.setHead(&answerHead{answer.response, raw})
	return &transcript, nil
}

// Speech says texts.
type Speech struct{ c *connection }

// Sound is an answer of bytes: read it, or take it whole with Bytes, and close it.
type Sound struct {
	Answer
	Gateway     *Decision
	ContentType string
	c           *connection
	opened      *opened
}

// Create says a text.
func (s *Speech) Create(ctx context.Context, request SpeechRequest, options ...CallOption) (*Sound, error) {
	answer, err := s.c.open(ctx, outgoing{method: "POST", path: "/v1/audio/speech", body: request, options: options})
	if err != nil {
		return nil, err
	}
	headers := answer.response.Header
	sound := &Sound{Gateway: decisionOfHeaders(headers), ContentType: headers.Get("Content-Type"), c: s.c, opened: answer}
	sound.setHead(&answerHead{answer.response, nil})
	return sound, nil
}

// Read gives the bytes as they come.
func (s *Sound) Read(into []byte) (int, error) {
	n, err := s.opened.body.Read(into)
	if err != nil && err != io.EOF {
		err = s.c.explain(err, s.opened.deadline, s.opened.response)
		s.opened.close()
	}
	return n, err
}

// Bytes reads all that is left, and closes.
func (s *Sound) Bytes() ([]byte, error) {
	defer s.Close()
	bytes, err := io.ReadAll(io.LimitReader(s, mostOfAnswer+1))
	if len(bytes) > mostOfAnswer {
		return nil, endlessAnswer(s.opened.response, s.c.origin)
	}
	return bytes, err
}

// Close closes the connection.
func (s *Sound) Close() error {
	s.opened.close()
	return nil
}

// Stream says a text piece by piece.
func (s *Speech) Stream(ctx context.Context, request SpeechRequest, options ...CallOption) (*SpeechStream, error) {
	request.StreamFormat = "sse"
	asked := outgoing{method: "POST", path: "/v1/audio/speech", body: request, options: options}
	return openStream[Event, LastEvent](ctx, s.c, asked, speechKind)
}

// ImageMaker makes pictures.
type ImageMaker struct{ c *connection }

// Generate makes pictures from a text.
func (s *ImageMaker) Generate(ctx context.Context, request ImagesRequest, options ...CallOption) (*Images, error) {
	request.Stream = nil
	return call[Images](ctx, s.c, outgoing{method: "POST", path: "/v1/images/generations", body: request, options: options}, "data")
}

// Stream makes a picture, with unfinished ones on the way.
func (s *ImageMaker) Stream(ctx context.Context, request ImagesRequest, options ...CallOption) (*PictureStream, error) {
	request.Stream = Ptr(true)
	asked := outgoing{method: "POST", path: "/v1/images/generations", body: request, options: options}
	return openStream[Event, LastEvent](ctx, s.c, asked, pictureKind)
}

// Edit changes pictures that are sent as files.
func (s *ImageMaker) Edit(ctx context.Context, request ImageEditsForm, options ...CallOption) (*Images, error) {
	return s.form(ctx, "/v1/images/edits", request, options)
}

// EditURLs changes pictures that are given by their addresses.
func (s *ImageMaker) EditURLs(ctx context.Context, request ImageEditsRequest, options ...CallOption) (*Images, error) {
	return call[Images](ctx, s.c, outgoing{method: "POST", path: "/v1/images/edits", body: request, options: options}, "data")
}

// Vary makes others that are like it.
func (s *ImageMaker) Vary(ctx context.Context, request ImageVariationsForm, options ...CallOption) (*Images, error) {
	return s.form(ctx, "/v1/images/variations", request, options)
}

func (s *ImageMaker) form(ctx context.Context, path string, request any, options []CallOption) (*Images, error) {
	form, err := formOf(request)
	if err != nil {
		return nil, err
	}
	return call[Images](ctx, s.c, outgoing{method: "POST", path: path, form: form, options: options}, "data")
}
