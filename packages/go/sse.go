package gateway

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
)

// Bytes of one event: a picture in base64 fits, a line without an end does not.
const mostOfEvent = 1 << 25

var (
	errEventTooLarge  = fmt.Errorf("an event is longer than %d bytes", mostOfEvent)
	errStreamTooLarge = fmt.Errorf("the stream is longer than %d bytes", mostOfAnswer)
)

// Server-sent events, down to their data: any line end, comments, several data lines, split anywhere.
type eventReader struct {
	source *bufio.Reader
	total  int
	line   []byte
	data   []byte
	// There is a line of data: an empty one counts.
	holding     bool
	afterReturn bool
}

func newEventReader(source io.Reader) *eventReader {
	return &eventReader{source: bufio.NewReaderSize(source, 16_384)}
}

// The data of the next event, which is good until the call after; io.EOF: the bytes have ended.
func (r *eventReader) next() ([]byte, error) {
	r.data, r.holding = r.data[:0], false
	for {
		line, err := r.readLine()
		if err != nil && err != io.EOF {
			return nil, err
		}
		if value, isData := bytes.CutPrefix(line, []byte("data:")); isData {
			if r.holding {
				r.data = append(r.data, '\n')
			}
			r.holding = true
			r.data = append(r.data, bytes.TrimPrefix(value, []byte(" "))...)
			if len(r.data) > mostOfEvent {
				return nil, errEventTooLarge
			}
		}
		// A last event without its empty line counts.
		if r.holding && (len(line) == 0 || err == io.EOF) {
			return r.data, nil
		}
		if err == io.EOF {
			return nil, io.EOF
		}
	}
}

// A line without its end; io.EOF comes with what is left.
func (r *eventReader) readLine() ([]byte, error) {
	r.line = r.line[:0]
	for {
		if r.total > mostOfAnswer {
			return nil, errStreamTooLarge
		}
		if _, err := r.source.Peek(1); err != nil {
			if errors.Is(err, bufio.ErrBufferFull) {
				continue
			}
			return r.line, err
		}
		come, _ := r.source.Peek(r.source.Buffered())
		if r.afterReturn {
			r.afterReturn = false
			if come[0] == '\n' {
				_, _ = r.source.Discard(1)
				continue
			}
		}
		end := lineEnd(come)
		if end < 0 {
			r.line = append(r.line, come...)
			r.take(len(come))
			if len(r.line) > mostOfEvent {
				return nil, errEventTooLarge
			}
			continue
		}
		r.line = append(r.line, come[:end]...)
		r.afterReturn = come[end] == '\r'
		r.take(end + 1)
		return r.line, nil
	}
}

func (r *eventReader) take(count int) {
	_, _ = r.source.Discard(count)
	r.total += count
}

func lineEnd(text []byte) int {
	feed := bytes.IndexByte(text, '\n')
	before := text
	if feed >= 0 {
		before = text[:feed]
	}
	if back := bytes.IndexByte(before, '\r'); back >= 0 {
		return back
	}
	return feed
}
