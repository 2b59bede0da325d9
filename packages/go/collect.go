package gateway

import (
	"encoding/json"
	"maps"
	"math"
	"slices"
)

// What a stream's events add up to, kept while they pass: its size is that of the answer, not of the events.
type collector interface {
	// Whether the data of an event is one of this stream's; what no version knows is passed over.
	knows(event map[string]any) bool
	add(event map[string]any)
	textOf(event map[string]any) string
	// An end that needs no [DONE]: after it nothing has to come.
	isOver() bool
	// Put together from what has come; nil: nothing has.
	result() map[string]any
}

// A text that grows without being copied each time.
type growing struct{ text []byte }

func (g *growing) MarshalJSON() ([]byte, error) { return encode(string(g.text)) }

// List items by their index.
type indexed map[int]map[string]any

func (i indexed) MarshalJSON() ([]byte, error) {
	items := []map[string]any{}
	for _, index := range slices.Sorted(maps.Keys(i)) {
		items = append(items, i[index])
	}
	return encode(items)
}

// No answer has so many choices, tool calls or blocks.
const mostPlaces = 1024

// What stands at a place that no answer has is kept nowhere.
func (i indexed) at(index any) map[string]any {
	number, _ := index.(float64)
	if number != math.Trunc(number) || number < 0 || number >= mostPlaces {
		return map[string]any{}
	}
	if i[int(number)] == nil {
		i[int(number)] = map[string]any{}
	}
	return i[int(number)]
}

// Fields that come whole each time they come.
var whole = map[string]bool{"id": true, "type": true, "role": true, "index": true}

// Texts and lists grow, objects are merged, list items that have an index are merged by it.
func merge(into, from map[string]any) {
	for name, value := range from {
		switch came := value.(type) {
		case nil:
		case string:
			had, grows := into[name].(*growing)
			switch {
			case grows && !whole[name]:
				had.text = append(had.text, came...)
			case came != "" || into[name] == nil:
				into[name] = &growing{[]byte(came)}
			}
		case []any:
			into[name] = mergeList(into[name], came)
		case map[string]any:
			kept, ok := into[name].(map[string]any)
			if !ok {
				kept = map[string]any{}
				into[name] = kept
			}
			merge(kept, came)
		default:
			into[name] = value
		}
	}
}

func mergeList(had any, from []any) any {
	for _, item := range from {
		fields, isObject := item.(map[string]any)
		if _, hasIndex := fields["index"].(float64); !isObject || !hasIndex {
			list, _ := had.([]any)
			had = append(list, item)
			continue
		}
		kept, ok := had.(indexed)
		if !ok {
			kept = indexed{}
			had = kept
		}
		piece := maps.Clone(fields)
		delete(piece, "index")
		merge(kept.at(fields["index"]), piece)
	}
	return had
}

// Chat completions, and completions: there a choice has its new part in itself.
type choiceCollector struct {
	inDelta  bool
	object   string
	envelope map[string]any
	choices  indexed
	pieces   indexed
}

func (c *choiceCollector) knows(event map[string]any) bool {
	_, ok := event["choices"].([]any)
	return ok
}

func (c *choiceCollector) add(event map[string]any) {
	// Most chunks repeat the first one's envelope: only what is new is looked at.
	if _, hasUsage := event["usage"].(map[string]any); c.envelope == nil || hasUsage {
		if c.envelope == nil {
			c.envelope = map[string]any{}
		}
		for name, value := range event {
			if value != nil && name != "choices" && name != "gateway" {
				c.envelope[name] = value
			}
		}
	}
	for _, came := range event["choices"].([]any) {
		choice, ok := came.(map[string]any)
		if !ok {
			continue
		}
		kept, piece := c.choices.at(choice["index"]), c.pieces.at(choice["index"])
		if delta := c.pieceOf(choice); delta != nil {
			merge(piece, delta)
		}
		if logprobs, ok := choice["logprobs"].(map[string]any); ok {
			merge(kept, map[string]any{"logprobs": logprobs})
		}
		if reason, ok := choice["finish_reason"].(string); ok {
			kept["finish_reason"] = reason
		}
	}
}

func (c *choiceCollector) pieceOf(choice map[string]any) map[string]any {
	if !c.inDelta {
		return map[string]any{"text": choice["text"]}
	}
	delta, _ := choice["delta"].(map[string]any)
	return delta
}

func (c *choiceCollector) textOf(event map[string]any) string {
	for _, came := range event["choices"].([]any) {
		choice, _ := came.(map[string]any)
		if index, _ := choice["index"].(float64); choice == nil || index != 0 {
			continue
		}
		name := "text"
		if c.inDelta {
			name = "content"
		}
		text, _ := c.pieceOf(choice)[name].(string)
		return text
	}
	return ""
}

func (c *choiceCollector) isOver() bool {
	for _, choice := range c.choices {
		if choice["finish_reason"] == nil {
			return false
		}
	}
	return len(c.choices) > 0
}

func (c *choiceCollector) result() map[string]any {
	if c.envelope == nil {
		return nil
	}
	choices := []map[string]any{}
	for _, index := range slices.Sorted(maps.Keys(c.choices)) {
		choice := maps.Clone(c.choices[index])
		choice["index"] = index
		if c.inDelta {
			message := map[string]any{"role": "assistant"}
			maps.Copy(message, c.pieces[index])
			choice["message"] = message
		} else {
			maps.Copy(choice, c.pieces[index])
		}
		choices = append(choices, choice)
	}
	result := maps.Clone(c.envelope)
	result["object"], result["choices"] = c.object, choices
	return result
}

func chatCollector() collector {
	return &choiceCollector{inDelta: true, object: "chat.completion", choices: indexed{}, pieces: indexed{}}
}

func completionCollector() collector {
	return &choiceCollector{object: "text_completion", choices: indexed{}, pieces: indexed{}}
}

func decodeInto[T any](data []byte, _ map[string]any) T {
	var event T
	// Fields of an odd type stay empty.
	_ = json.Unmarshal(data, &event)
	return event
}
