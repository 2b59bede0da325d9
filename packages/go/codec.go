package gateway

import (
	"bytes"
	"encoding/json"
	"errors"
	"reflect"
	"strings"
)

// JSON as it is sent: without the escapes that only HTML needs.
func encode(value any) ([]byte, error) {
	var buffer bytes.Buffer
	encoder := json.NewEncoder(&buffer)
	encoder.SetEscapeHTML(false)
	err := encoder.Encode(value)
	return bytes.TrimSuffix(buffer.Bytes(), []byte("\n")), err
}

func encodeWith(plain any, extra map[string]any) ([]byte, error) {
	text, err := encode(plain)
	if err != nil || len(extra) == 0 {
		return text, err
	}
	fields := map[string]json.RawMessage{}
	if err := json.Unmarshal(text, &fields); err != nil {
		return nil, err
	}
	for name, value := range extra {
		if fields[name], err = encode(value); err != nil {
			return nil, err
		}
	}
	return encode(fields)
}

// What the type has no field for, and what is null, is extra.
func decodeWith(text []byte, plain any) (map[string]any, error) {
	if err := json.Unmarshal(text, plain); err != nil {
		return nil, err
	}
	var fields map[string]any
	if err := json.Unmarshal(text, &fields); err != nil {
		return nil, err
	}
	for name := range namesOf(reflect.TypeOf(plain).Elem()) {
		if fields[name] != nil {
			delete(fields, name)
		}
	}
	if len(fields) == 0 {
		return nil, nil
	}
	return fields, nil
}

// The names on the wire of a type's fields → their indexes.
func namesOf(of reflect.Type) map[string]int {
	names := map[string]int{}
	for index := range of.NumField() {
		name, _, _ := strings.Cut(of.Field(index).Tag.Get("json"), ",")
		if name != "" && name != "-" {
			names[name] = index
		}
	}
	return names
}

// A field of an odd type stays empty; an answer that was paid for is not thrown away for it, unless it is the field `holds`.
func decodeAnswer(text []byte, into any, holds string) bool {
	err := json.Unmarshal(text, into)
	var mismatch *json.UnmarshalTypeError
	if err != nil && (!errors.As(err, &mismatch) || mismatch.Field == "" || mismatch.Field == holds) {
		return false
	}
	index, known := namesOf(reflect.TypeOf(into).Elem())[holds]
	if known && !reflect.ValueOf(into).Elem().Field(index).IsZero() {
		return true
	}
	var fields map[string]json.RawMessage
	if json.Unmarshal(text, &fields) != nil {
		return false
	}
	_, holding := fields[holds]
	return holding
}

// Vector is an embedding: numbers, or base64 where that was asked for.
type Vector struct {
	Floats []float64
	Base64 string
}

// UnmarshalJSON reads either form.
func (v *Vector) UnmarshalJSON(text []byte) error {
	if len(text) > 0 && text[0] == '"' {
		return json.Unmarshal(text, &v.Base64)
	}
	return json.Unmarshal(text, &v.Floats)
}

// MarshalJSON writes the form that it came in.
func (v Vector) MarshalJSON() ([]byte, error) {
	if v.Floats == nil {
		return json.Marshal(v.Base64)
	}
	return json.Marshal(v.Floats)
}
