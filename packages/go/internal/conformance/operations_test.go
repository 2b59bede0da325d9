package main

import (
	"encoding/json"
	"os"
	"path/filepath"
	"testing"
)

func TestThereIsACallForEveryOperation(t *testing.T) {
	text, err := os.ReadFile(filepath.Join("..", "..", "..", "conformance", "wire.json"))
	if os.IsNotExist(err) {
		t.Skip("packages/conformance is not here")
	}
	if err != nil {
		t.Fatal(err)
	}
	var wire struct {
		Operations map[string]any `json:"operations"`
	}
	if err := json.Unmarshal(text, &wire); err != nil {
		t.Fatal(err)
	}
	for name := range wire.Operations {
		if operations[name] == nil {
			t.Errorf("no call is %s", name)
		}
	}
	for name := range operations {
		if wire.Operations[name] == nil {
			t.Errorf("%s is no operation any more", name)
		}
	}
}
