package gateway

import (
	"errors"
	"io"
	"strings"
	"testing"
	"testing/iotest"
)

func eventsOf(t *testing.T, source io.Reader) (events []string, err error) {
	t.Helper()
	reader := newEventReader(source)
	for {
		data, err := reader.next()
		if err == io.EOF {
			return events, nil
		}
		if err != nil {
			return events, err
		}
		events = append(events, string(data))
	}
}

func TestEventsWithAnyLineEndSplitAnywhere(t *testing.T) {
	for text, wanted := range map[string]string{
		"data: a\n\ndata: b\n\n":                       "a|b",
		"data: a\r\n\r\ndata: b\r\n\r\n":               "a|b",
		"data: a\r\rdata: b\r\r":                       "a|b",
		": comment\n\nevent: x\nid: 1\ndata:a\n\n\n\n": "a",
		"data: one\ndata: two\n\n":                     "one\ntwo",
		"data: größer\n\n":                             "größer",
		"data: last without an end":                    "last without an end",
		"data:  two spaces\n\n":                        " two spaces",
		"data\n\ndatax: no\n\n":                        "",
		"":                                             "",
		"data:\n\n":                                    "",
	} {
		for _, source := range []io.Reader{strings.NewReader(text), iotest.OneByteReader(strings.NewReader(text))} {
			events, err := eventsOf(t, source)
			if err != nil || strings.Join(events, "|") != wanted {
				t.Errorf("%q: %q, %v", text, events, err)
			}
		}
	}
}

func TestALineWithoutAnEndIsLeft(t *testing.T) {
	endless := io.MultiReader(strings.NewReader("data: "), zeros{})
	if _, err := eventsOf(t, endless); !errors.Is(err, errEventTooLarge) {
		t.Error(err)
	}
}

func TestManyLinesWithoutAnEmptyOneAreLeft(t *testing.T) {
	line := "data: " + strings.Repeat("x", 1<<20) + "\n"
	lines := make([]io.Reader, 40)
	for index := range lines {
		lines[index] = strings.NewReader(line)
	}
	if _, err := eventsOf(t, io.MultiReader(lines...)); !errors.Is(err, errEventTooLarge) {
		t.Error(err)
	}
}

type zeros struct{}

func (zeros) Read(into []byte) (int, error) {
	for index := range into {
		into[index] = 'x'
	}
	return len(into), nil
}
