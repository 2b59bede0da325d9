// Code generated from openapi.json by `npm run openapi`. DO NOT EDIT.

package gateway

// Images: `usage` is there where the provider tells one; the cost is in `gateway` always.
type Images struct {
	Answer `json:"-"`

	// Seconds since 1970.
	Created int64 `json:"created"`

	Data []ImagesData `json:"data"`

	Usage *ImagesUsage `json:"usage,omitempty"`

	Gateway *Decision `json:"gateway,omitempty"`
}

// ImagesData is made from the schema of that name.
type ImagesData struct {
	B64JSON string `json:"b64_json,omitempty"`

	URL string `json:"url,omitempty"`
}

// ImagesUsage is made from the schema of that name.
type ImagesUsage struct {
	InputTokens int64 `json:"input_tokens"`

	OutputTokens int64 `json:"output_tokens"`

	TotalTokens int64 `json:"total_tokens"`

	// USD, exact; null: nobody knows the price.
	Cost *float64 `json:"cost,omitempty"`
}

// ImageVariationsForm is made from the schema of that name.
type ImageVariationsForm struct {
	// A model that makes images; with `auto`, or left out, the first one that is configured.
	Model string `json:"model,omitempty"`

	// A file: PNG, JPEG or WebP.
	Image *Upload `json:"image"`

	N string `json:"n,omitempty"`

	// `<width>x<height>`, or `auto`.
	Size string `json:"size,omitempty"`

	Quality string `json:"quality,omitempty"`

	// It works on every provider. Where that one has only base64, `url` is a `data:` URL; where it has only addresses, the gateway fetches the image. Left out: what the provider has.
	ResponseFormat string `json:"response_format,omitempty"`

	// Extra has fields by their names on the wire, which go before the others: nil sends null.
	Extra map[string]any `json:"-"`
}

func (v ImageVariationsForm) MarshalJSON() ([]byte, error) {
	type plain ImageVariationsForm
	return encodeWith(plain(v), v.Extra)
}

func (v *ImageVariationsForm) UnmarshalJSON(text []byte) (err error) {
	type plain ImageVariationsForm
	v.Extra, err = decodeWith(text, (*plain)(v))
	return err
}

// ImageEditsForm: Several images are several parts `image[]`.
type ImageEditsForm struct {
	// A model that makes images; with `auto`, or left out, the first one that is configured.
	Model string `json:"model,omitempty"`

	// What the image shows.
	Prompt string `json:"prompt"`

	// A file: PNG, JPEG or WebP.
	Image *Upload `json:"image"`

	// A file: PNG, JPEG or WebP.
	Mask *Upload `json:"mask,omitempty"`

	N string `json:"n,omitempty"`

	// `<width>x<height>`, or `auto`.
	Size string `json:"size,omitempty"`

	Quality string `json:"quality,omitempty"`

	// It works on every provider. Where that one has only base64, `url` is a `data:` URL; where it has only addresses, the gateway fetches the image. Left out: what the provider has.
	ResponseFormat string `json:"response_format,omitempty"`

	Stream string `json:"stream,omitempty"`

	PartialImages string `json:"partial_images,omitempty"`

	// Instead of Image: several of them.
	Images []*Upload `json:"-"`

	// Extra has fields by their names on the wire, which go before the others: nil sends null.
	Extra map[string]any `json:"-"`
}

func (v ImageEditsForm) MarshalJSON() ([]byte, error) {
	type plain ImageEditsForm
	return encodeWith(plain(v), v.Extra)
}

func (v *ImageEditsForm) UnmarshalJSON(text []byte) (err error) {
	type plain ImageEditsForm
	v.Extra, err = decodeWith(text, (*plain)(v))
	return err
}

// ImageEditsRequest is made from the schema of that name.
type ImageEditsRequest struct {
	// A model that makes images; with `auto`, or left out, the first one that is configured.
	Model string `json:"model,omitempty"`

	// What the image shows.
	Prompt string `json:"prompt"`

	// `{"image_url": …}`: an address or a data URL.
	Images []any `json:"images"`

	// Images to make, 1 to 10.
	N *int64 `json:"n,omitempty"`

	// `<width>x<height>`, or `auto`.
	Size string `json:"size,omitempty"`

	Quality string `json:"quality,omitempty"`

	// It works on every provider. Where that one has only base64, `url` is a `data:` URL; where it has only addresses, the gateway fetches the image. Left out: what the provider has.
	ResponseFormat string `json:"response_format,omitempty"`

	// Answer with server-sent events, where the model has them; its images are base64.
	Stream *bool `json:"stream,omitempty"`

	// Previews in the stream, 0 to 3.
	PartialImages *int64 `json:"partial_images,omitempty"`

	// Extra has fields by their names on the wire, which go before the others: nil sends null.
	Extra map[string]any `json:"-"`
}

func (v ImageEditsRequest) MarshalJSON() ([]byte, error) {
	type plain ImageEditsRequest
	return encodeWith(plain(v), v.Extra)
}

func (v *ImageEditsRequest) UnmarshalJSON(text []byte) (err error) {
	type plain ImageEditsRequest
	v.Extra, err = decodeWith(text, (*plain)(v))
	return err
}

// ImagesRequest is made from the schema of that name.
type ImagesRequest struct {
	// A model that makes images; with `auto`, or left out, the first one that is configured.
	Model string `json:"model,omitempty"`

	// What the image shows.
	Prompt string `json:"prompt"`

	// Images to make, 1 to 10.
	N *int64 `json:"n,omitempty"`

	// `<width>x<height>`, or `auto`.
	Size string `json:"size,omitempty"`

	Quality string `json:"quality,omitempty"`

	// It works on every provider. Where that one has only base64, `url` is a `data:` URL; where it has only addresses, the gateway fetches the image. Left out: what the provider has.
	ResponseFormat string `json:"response_format,omitempty"`

	// Answer with server-sent events, where the model has them; its images are base64.
	Stream *bool `json:"stream,omitempty"`

	// Previews in the stream, 0 to 3.
	PartialImages *int64 `json:"partial_images,omitempty"`

	// Extra has fields by their names on the wire, which go before the others: nil sends null.
	Extra map[string]any `json:"-"`
}

func (v ImagesRequest) MarshalJSON() ([]byte, error) {
	type plain ImagesRequest
	return encodeWith(plain(v), v.Extra)
}

func (v *ImagesRequest) UnmarshalJSON(text []byte) (err error) {
	type plain ImagesRequest
	v.Extra, err = decodeWith(text, (*plain)(v))
	return err
}

// SpeechRequest is made from the schema of that name.
type SpeechRequest struct {
	// A model that can do this; `auto`, or nothing: the first one that is configured.
	Model string `json:"model,omitempty"`

	// What to say.
	Input string `json:"input"`

	// The name of a voice, or an object with its id.
	Voice any `json:"voice,omitempty"`

	Instructions string `json:"instructions,omitempty"`

	// `mp3`, `opus`, `aac`, `flac`, `wav` or `pcm`.
	ResponseFormat string `json:"response_format,omitempty"`

	Speed *float64 `json:"speed,omitempty"`

	// `sse`: answer with server-sent events, which hold the sound in base64.
	StreamFormat string `json:"stream_format,omitempty"`

	// Extra has fields by their names on the wire, which go before the others: nil sends null.
	Extra map[string]any `json:"-"`
}

func (v SpeechRequest) MarshalJSON() ([]byte, error) {
	type plain SpeechRequest
	return encodeWith(plain(v), v.Extra)
}

func (v *SpeechRequest) UnmarshalJSON(text []byte) (err error) {
	type plain SpeechRequest
	v.Extra, err = decodeWith(text, (*plain)(v))
	return err
}

// Transcript is made from the schema of that name.
type Transcript struct {
	Answer `json:"-"`

	Text string `json:"text"`

	Usage TranscriptUsage `json:"usage"`

	Gateway *Decision `json:"gateway,omitempty"`
}

// TranscriptUsage is made from the schema of that name.
type TranscriptUsage struct {
	// How it is billed: by the `seconds` of the recording, or by tokens.
	Type string `json:"type"`

	// USD, exact; null: nobody knows the price.
	Cost *float64 `json:"cost,omitempty"`
}

// TranslationRequest is made from the schema of that name.
type TranslationRequest struct {
	// The recording, as a file of the form. Its name and media type tell the provider its format.
	File *Upload `json:"file"`

	// A model that can do this; `auto`, or nothing: the first one that is configured.
	Model string `json:"model,omitempty"`

	Prompt string `json:"prompt,omitempty"`

	// `json`, `text`, `srt`, `vtt`, `verbose_json` or `diarized_json`. `text` works with every model, subtitles with every one that has `verbose_json`.
	ResponseFormat string `json:"response_format,omitempty"`

	Temperature string `json:"temperature,omitempty"`

	// Extra has fields by their names on the wire, which go before the others: nil sends null.
	Extra map[string]any `json:"-"`
}

func (v TranslationRequest) MarshalJSON() ([]byte, error) {
	type plain TranslationRequest
	return encodeWith(plain(v), v.Extra)
}

func (v *TranslationRequest) UnmarshalJSON(text []byte) (err error) {
	type plain TranslationRequest
	v.Extra, err = decodeWith(text, (*plain)(v))
	return err
}

// TranscriptionRequest is made from the schema of that name.
type TranscriptionRequest struct {
	// The recording, as a file of the form. Its name and media type tell the provider its format.
	File *Upload `json:"file"`

	// A model that can do this; `auto`, or nothing: the first one that is configured.
	Model string `json:"model,omitempty"`

	Prompt string `json:"prompt,omitempty"`

	// `json`, `text`, `srt`, `vtt`, `verbose_json` or `diarized_json`. `text` works with every model, subtitles with every one that has `verbose_json`.
	ResponseFormat string `json:"response_format,omitempty"`

	Temperature string `json:"temperature,omitempty"`

	Language string `json:"language,omitempty"`

	// `true`: answer with server-sent events.
	Stream string `json:"stream,omitempty"`

	TimestampGranularities []string `json:"timestamp_granularities,omitempty"`

	// Extra has fields by their names on the wire, which go before the others: nil sends null.
	Extra map[string]any `json:"-"`
}

func (v TranscriptionRequest) MarshalJSON() ([]byte, error) {
	type plain TranscriptionRequest
	return encodeWith(plain(v), v.Extra)
}

func (v *TranscriptionRequest) UnmarshalJSON(text []byte) (err error) {
	type plain TranscriptionRequest
	v.Extra, err = decodeWith(text, (*plain)(v))
	return err
}
