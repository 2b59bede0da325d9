package gateway

import (
	"bytes"
	"io"
	"os"
	"path/filepath"
	"regexp"
)

// Upload is a file to send. Its name tells providers the format; where there is none it is read from the first bytes.
type Upload struct {
	name   string
	path   string
	text   []byte
	source io.Reader
}

// FromPath sends a file from the disk, never whole in memory.
func FromPath(path string) *Upload { return &Upload{name: filepath.Base(path), path: path} }

// FromBytes sends bytes; name may be "".
func FromBytes(name string, content []byte) *Upload { return &Upload{name: name, text: content} }

// FromReader sends what a reader gives; name may be "". It is read into memory, so that the call can be made again.
func FromReader(name string, source io.Reader) *Upload { return &Upload{name: name, source: source} }

// Read once, and sent as often as it takes.
type uploadContent struct {
	name string
	size int64
	open func() (io.ReadCloser, error)
}

func (u *Upload) content() (*uploadContent, error) {
	if u.path != "" {
		info, err := os.Stat(u.path)
		if err == nil && info.IsDir() {
			err = &os.PathError{Op: "read", Path: u.path, Err: os.ErrInvalid}
		}
		if err != nil {
			return nil, misuse("The file " + u.path + " can't be read: " + err.Error())
		}
		return &uploadContent{u.name, info.Size(), func() (io.ReadCloser, error) { return os.Open(u.path) }}, nil
	}
	if u.source != nil {
		text, err := io.ReadAll(u.source)
		if err != nil {
			return nil, misuse("The file to upload can't be read: " + err.Error())
		}
		u.text, u.source = text, nil
	}
	name := u.name
	if name == "" {
		name = "file" + extensionOf(u.text)
	}
	open := func() (io.ReadCloser, error) { return io.NopCloser(bytes.NewReader(u.text)), nil }
	return &uploadContent{name, int64(len(u.text)), open}, nil
}

// Formats by their first bytes.
var formats = []struct {
	extension string
	start     *regexp.Regexp
}{
	{".wav", regexp.MustCompile(`(?s)^RIFF....WAVE`)},
	{".webp", regexp.MustCompile(`(?s)^RIFF....WEBP`)},
	{".ogg", regexp.MustCompile(`^OggS`)},
	{".flac", regexp.MustCompile(`^fLaC`)},
	{".m4a", regexp.MustCompile(`(?s)^....ftyp`)},
	{".mp3", regexp.MustCompile(`^ID3`)},
}

var signatures = map[string]string{"\x89PNG": ".png", "\xff\xd8": ".jpg", "\x1aE\xdf\xa3": ".webm", "\xff\xfb": ".mp3", "\xff\xf3": ".mp3"}

func extensionOf(text []byte) string {
	for start, extension := range signatures {
		if bytes.HasPrefix(text, []byte(start)) {
			return extension
		}
	}
	for _, format := range formats {
		if format.start.Match(text[:min(len(text), 12)]) {
			return format.extension
		}
	}
	return ""
}
