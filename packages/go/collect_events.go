package gateway

import (
	"encoding/json"
	"maps"
	"regexp"
	"slices"
	"strings"
)

// Event is one of a stream whose events have a type: of responses, messages, pictures, transcripts, speech.
type Event struct {
	Type string
	// All of it, as it came.
	Data json.RawMessage
	text string
}

// Text is the piece of text that it adds to the answer.
func (e Event) Text() string { return e.text }

// Decode reads all of it into a struct of yours.
func (e Event) Decode(into any) error { return json.Unmarshal(e.Data, into) }

// MarshalJSON gives it as it came.
func (e Event) MarshalJSON() ([]byte, error) { return e.Data, nil }

func typed(event map[string]any) bool {
	_, ok := event["type"].(string)
	return ok
}

func eventKind(collector func() collector, holds string) streamKind[Event] {
	texts := collector()
	return streamKind[Event]{collector: collector, holds: holds, decode: func(data []byte, fields map[string]any) Event {
		name, _ := fields["type"].(string)
		return Event{Type: name, Data: slices.Clone(data), text: texts.textOf(fields)}
	}}
}

// Events whose last one is the answer, or holds it in a field.
type lastEventCollector struct {
	begin, end *regexp.Regexp
	// The field that holds the answer; "": it is the event.
	field string
	// The type of events that add text, by their `delta`.
	text   string
	answer map[string]any
	over   bool
}

func (c *lastEventCollector) knows(event map[string]any) bool { return typed(event) }

func (c *lastEventCollector) add(event map[string]any) {
	name, _ := event["type"].(string)
	isEnd := c.end.MatchString(name)
	if !isEnd && (c.begin == nil || !c.begin.MatchString(name)) {
		return
	}
	c.over = c.over || isEnd
	if c.field == "" {
		c.answer = event
	} else if held, ok := event[c.field].(map[string]any); ok {
		c.answer = held
	}
}

func (c *lastEventCollector) textOf(event map[string]any) string {
	if event["type"] != c.text {
		return ""
	}
	delta, _ := event["delta"].(string)
	return delta
}

func (c *lastEventCollector) isOver() bool           { return c.over }
func (c *lastEventCollector) result() map[string]any { return c.answer }

var (
	responseBegin = regexp.MustCompile(`^response\.created$`)
	responseEnd   = regexp.MustCompile(`^response\.(completed|incomplete|cancelled)$`)
	transcriptEnd = regexp.MustCompile(`^transcript\.text\.done$`)
	pictureEnd    = regexp.MustCompile(`^image_\w+\.completed$`)
	speechEnd     = regexp.MustCompile(`^speech\.audio\.done$`)
)

func responseCollector() collector {
	return &lastEventCollector{begin: responseBegin, end: responseEnd, field: "response", text: "response.output_text.delta"}
}

func transcriptCollector() collector {
	return &lastEventCollector{end: transcriptEnd, text: "transcript.text.delta"}
}

func pictureCollector() collector { return &lastEventCollector{end: pictureEnd} }

func speechCollector() collector { return &lastEventCollector{end: speechEnd} }

// A message, block by block.
type messageCollector struct {
	message map[string]any
	blocks  indexed
	inputs  map[float64]*strings.Builder
	over    bool
}

func newMessageCollector() collector {
	return &messageCollector{blocks: indexed{}, inputs: map[float64]*strings.Builder{}}
}

func (c *messageCollector) knows(event map[string]any) bool { return typed(event) }

func (c *messageCollector) add(event map[string]any) {
	piece, _ := event["delta"].(map[string]any)
	index, _ := event["index"].(float64)
	switch event["type"] {
	case "message_start":
		if message, ok := event["message"].(map[string]any); ok {
			c.message = maps.Clone(message)
		}
	case "content_block_start":
		if block, ok := event["content_block"].(map[string]any); ok {
			merge(c.blocks.at(index), block)
		}
	case "content_block_delta":
		c.take(index, piece)
	case "message_delta":
		if c.message == nil {
			return
		}
		usage := map[string]any{}
		for _, from := range []any{c.message["usage"], event["usage"]} {
			fields, _ := from.(map[string]any)
			maps.Copy(usage, fields)
		}
		maps.Copy(c.message, piece)
		c.message["usage"] = usage
	case "message_stop":
		c.over = true
	}
}

func (c *messageCollector) take(index float64, piece map[string]any) {
	block := c.blocks.at(index)
	for _, name := range []string{"text", "thinking", "signature"} {
		if text, ok := piece[name].(string); ok {
			merge(block, map[string]any{name: text})
		}
	}
	if input, ok := piece["partial_json"].(string); ok {
		if c.inputs[index] == nil {
			c.inputs[index] = &strings.Builder{}
		}
		c.inputs[index].WriteString(input)
	}
	if citation, ok := piece["citation"].(map[string]any); ok {
		merge(block, map[string]any{"citations": []any{citation}})
	}
}

func (c *messageCollector) textOf(event map[string]any) string {
	if event["type"] != "content_block_delta" {
		return ""
	}
	piece, _ := event["delta"].(map[string]any)
	text, _ := piece["text"].(string)
	return text
}

func (c *messageCollector) isOver() bool { return c.over }

func (c *messageCollector) result() map[string]any {
	if c.message == nil {
		return nil
	}
	blocks := indexed{}
	for index, block := range c.blocks {
		blocks[index] = maps.Clone(block)
		if input := c.inputs[float64(index)]; input != nil && input.Len() > 0 {
			blocks[index]["input"] = readInput(input.String())
		}
	}
	message := maps.Clone(c.message)
	message["content"] = blocks
	return message
}

// Of a message that broke off it may be half of a JSON.
func readInput(text string) any {
	if json.Valid([]byte(text)) {
		return json.RawMessage(text)
	}
	return text
}
