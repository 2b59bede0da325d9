package gateway

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"mime/multipart"
	"reflect"
	"slices"
)

// Fields as text, files as they come: in pieces, each of which is opened anew for every attempt.
type form struct {
	contentType string
	length      int64
	pieces      []func() (io.ReadCloser, error)
}

type formWriter struct {
	form   *form
	buffer bytes.Buffer
	writer *multipart.Writer
}

// A request with its fields as a form; lists become fields of the same name with [].
func formOf(request any) (*form, error) {
	w := &formWriter{form: &form{}}
	w.writer = multipart.NewWriter(&w.buffer)
	uploads := uploadsOf(request)
	text, err := encode(request)
	if err != nil {
		return nil, misuse("The request can't be written: " + err.Error())
	}
	decoder := json.NewDecoder(bytes.NewReader(text))
	decoder.UseNumber()
	var fields map[string]any
	if err := decoder.Decode(&fields); err != nil {
		return nil, misuse("The request can't be written: " + err.Error())
	}
	for _, name := range slices.Sorted(maps.Keys(fields)) {
		if _, isUpload := uploads[name]; !isUpload {
			w.add(name, fields[name])
		}
	}
	for _, name := range slices.Sorted(maps.Keys(uploads)) {
		files := uploads[name]
		if len(files) > 1 {
			name += "[]"
		}
		for _, file := range files {
			if err := w.file(name, file); err != nil {
				return nil, err
			}
		}
	}
	_ = w.writer.Close()
	w.cut()
	w.form.contentType = w.writer.FormDataContentType()
	return w.form, nil
}

func (w *formWriter) add(name string, value any) {
	switch given := value.(type) {
	case nil:
	case []any:
		for _, item := range given {
			w.add(name+"[]", item)
		}
	case map[string]any:
		text, _ := encode(given)
		_ = w.writer.WriteField(name, string(text))
	default:
		_ = w.writer.WriteField(name, fmt.Sprint(given))
	}
}

func (w *formWriter) file(name string, upload *Upload) error {
	content, err := upload.content()
	if err != nil {
		return err
	}
	if _, err := w.writer.CreateFormFile(name, content.name); err != nil {
		return misuse(err.Error())
	}
	w.cut()
	w.form.pieces = append(w.form.pieces, content.open)
	w.form.length += content.size
	return nil
}

// What has been written is a piece of its own.
func (w *formWriter) cut() {
	text := bytes.Clone(w.buffer.Bytes())
	w.buffer.Reset()
	w.form.length += int64(len(text))
	w.form.pieces = append(w.form.pieces, func() (io.ReadCloser, error) { return io.NopCloser(bytes.NewReader(text)), nil })
}

// The files of a request, by their fields' names.
func uploadsOf(request any) map[string][]*Upload {
	uploads := map[string][]*Upload{}
	value := reflect.ValueOf(request)
	for name, index := range namesOf(value.Type()) {
		if upload, ok := value.Field(index).Interface().(*Upload); ok {
			if uploads[name] = nil; upload != nil {
				uploads[name] = []*Upload{upload}
			}
		}
	}
	if edit, ok := request.(ImageEditsForm); ok && len(edit.Images) > 0 {
		uploads["image"] = edit.Images
	}
	return uploads
}

func (f *form) open() (io.ReadCloser, error) { return &formReader{pieces: f.pieces}, nil }

// One file is open at a time.
type formReader struct {
	pieces  []func() (io.ReadCloser, error)
	current io.ReadCloser
}

func (r *formReader) Read(into []byte) (int, error) {
	for {
		if r.current == nil {
			if len(r.pieces) == 0 {
				return 0, io.EOF
			}
			next, err := r.pieces[0]()
			if err != nil {
				return 0, err
			}
			r.current, r.pieces = next, r.pieces[1:]
		}
		n, err := r.current.Read(into)
		if err == nil || n > 0 {
			return n, ignoreEOF(err)
		}
		if err != io.EOF {
			return 0, err
		}
		_ = r.current.Close()
		r.current = nil
	}
}

func ignoreEOF(err error) error {
	if errors.Is(err, io.EOF) {
		return nil
	}
	return err
}

func (r *formReader) Close() error {
	if r.current != nil {
		return r.current.Close()
	}
	return nil
}
