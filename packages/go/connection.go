package gateway

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"reflect"
	"strings"
	"time"
)

type connection struct{ *settings }

type outgoing struct {
	method string
	// From the root: /v1/chat/completions. Under /admin the master key is sent.
	path  string
	query any
	// Of a list: where its page begins. Empty: with the first item.
	after   string
	body    any
	form    *form
	options []CallOption
}

// A success whose body is still to come. Whoever reads it ends the deadline.
type opened struct {
	response *http.Response
	body     io.Reader
	deadline *deadline
}

// The answer's head, after as many attempts as it takes.
func (c *connection) open(ctx context.Context, asked outgoing) (*opened, error) {
	config := callConfig{headers: c.headers.Clone()}
	for _, option := range asked.options {
		option(&config)
	}
	timeout, retries := c.timeout, c.retries
	if config.timeout != nil {
		timeout = *config.timeout
	}
	if config.retries != nil {
		retries = *config.retries
	}
	if timeout < 0 || retries < 0 {
		return nil, misuse("Timeout and MaxRetries must be 0 or more.")
	}
	if err := checkHeaders(config.headers); err != nil {
		return nil, err
	}
	key, err := c.key(asked.path)
	if err != nil {
		return nil, err
	}
	config.headers.Set("Authorization", "Bearer "+key)
	config.headers.Set("Accept", "application/json, text/event-stream, */*")
	payload, err := payloadOf(asked, config.headers)
	if err != nil {
		return nil, err
	}
	address := c.origin + asked.path + queryOf(asked.query, asked.after)
	for failures := 0; ; failures++ {
		answer, err := c.attempt(ctx, asked.method, address, config.headers, payload, timeout)
		if err == nil {
			return answer, nil
		}
		pause, again := pauseBefore(err, failures, asked.method == http.MethodGet)
		if failures >= retries || !again {
			return nil, err
		}
		timer := time.NewTimer(pause)
		select {
		case <-timer.C:
		case <-ctx.Done():
			timer.Stop()
			return nil, context.Cause(ctx)
		}
	}
}

type payload struct {
	length int64
	open   func() (io.ReadCloser, error)
}

func payloadOf(asked outgoing, headers http.Header) (*payload, error) {
	if asked.form != nil {
		headers.Set("Content-Type", asked.form.contentType)
		return &payload{asked.form.length, asked.form.open}, nil
	}
	if asked.body == nil {
		return nil, nil
	}
	text, err := encode(asked.body)
	if err != nil {
		return nil, misuse("The request can't be written as JSON: " + err.Error())
	}
	headers.Set("Content-Type", "application/json")
	return &payload{int64(len(text)), func() (io.ReadCloser, error) { return io.NopCloser(bytes.NewReader(text)), nil }}, nil
}

func (c *connection) attempt(ctx context.Context, method, address string, headers http.Header, body *payload, timeout time.Duration) (*opened, error) {
	deadline := newDeadline(ctx, timeout)
	request, err := http.NewRequestWithContext(deadline.ctx, method, address, nil)
	if err != nil {
		deadline.end()
		return nil, misuse("The request can't be made: " + c.clean(err.Error()))
	}
	request.Header = headers.Clone()
	if body != nil {
		request.ContentLength, request.GetBody = body.length, body.open
		if request.Body, err = body.open(); err != nil {
			deadline.end()
			return nil, misuse(err.Error())
		}
	}
	response, err := c.http.Do(request)
	if err != nil {
		err = c.explain(err, deadline, nil)
		deadline.end()
		return nil, err
	}
	answer := &opened{response, &watched{response.Body, deadline}, deadline}
	if response.StatusCode >= 200 && response.StatusCode < 300 {
		deadline.rest()
		return answer, nil
	}
	defer answer.close()
	text, err := io.ReadAll(io.LimitReader(answer.body, mostOfError))
	if err != nil {
		return nil, c.explain(err, deadline, response)
	}
	return nil, errorOfAnswer(response, c.clean(string(text)), c.origin)
}

// What an error says stands at its beginning, however long it goes on.
const mostOfError = 65_536

func (o *opened) close() {
	o.deadline.end()
	_ = o.response.Body.Close()
}

// The whole answer.
func (c *connection) read(answer *opened) ([]byte, error) {
	defer answer.close()
	var buffer bytes.Buffer
	if length := answer.response.ContentLength; length > 0 && length < mostAtOnce {
		buffer.Grow(int(length) + bytes.MinRead)
	}
	if _, err := buffer.ReadFrom(io.LimitReader(answer.body, mostOfAnswer+1)); err != nil {
		return nil, c.explain(err, answer.deadline, answer.response)
	}
	if buffer.Len() > mostOfAnswer {
		return nil, endlessAnswer(answer.response, c.origin)
	}
	return buffer.Bytes(), nil
}

const (
	mostAtOnce = 1 << 24
	// Bytes of an answer, whole or in pieces: four times what the gateway itself takes of a provider.
	mostOfAnswer = 1 << 28
)

// Whatever a server or a proxy put into its words.
func (c *connection) clean(text string) string {
	for _, key := range []string{c.apiKey.reveal(), c.masterKey.reveal()} {
		if len(key) >= shortestSecret {
			text = strings.ReplaceAll(text, key, "[key]")
		}
	}
	return text
}

// A shorter key is none of the gateway's; it would be found in the middle of words.
const shortestSecret = 8

// What the transport said, as one of ours; what the caller's context says is returned as it is. response: a success had begun.
func (c *connection) explain(err error, deadline *deadline, response *http.Response) error {
	if deadline.outer.Err() != nil {
		return context.Cause(deadline.outer)
	}
	detail := Error{}
	if response != nil {
		detail = Error{StatusCode: response.StatusCode, RequestID: response.Header.Get("X-Request-Id"), Header: response.Header}
	}
	if context.Cause(deadline.ctx) == errSilent {
		detail.Message = fmt.Sprintf("The gateway sent nothing for %d ms (the timeout).", deadline.timeout.Milliseconds())
		return &TimeoutError{detail}
	}
	detail.cause = err
	var wrapped *url.Error
	if errors.As(err, &wrapped) {
		detail.cause = wrapped.Err
	}
	reason := c.clean(detail.cause.Error())
	if response != nil {
		detail.Message = fmt.Sprintf("The answer of %s broke off: %s.", c.origin, reason)
		return &ConnectionError{Detail: detail}
	}
	detail.Message = fmt.Sprintf("No answer from %s: %s. Does the gateway run there?", c.origin, reason)
	var dial *net.OpError
	var lookup *net.DNSError
	refused := errors.As(err, &lookup) || (errors.As(err, &dial) && dial.Op == "dial")
	return &ConnectionError{Detail: detail, refused: refused}
}

func (c *connection) key(path string) (string, error) {
	if strings.HasPrefix(path, "/admin/") {
		if c.masterKey == nil {
			return "", noKey("master key", "WithMasterKey", "GATEWAY_MASTER_KEY")
		}
		return c.masterKey(), nil
	}
	if c.apiKey == nil {
		return "", noKey("key", "WithAPIKey", "GATEWAY_API_KEY")
	}
	return c.apiKey(), nil
}

// A query's fields by their names on the wire; zero values are left out.
func queryOf(query any, after string) string {
	pairs := url.Values{}
	if value := reflect.Indirect(reflect.ValueOf(query)); value.IsValid() {
		for name, index := range namesOf(value.Type()) {
			if field := value.Field(index); !field.IsZero() {
				pairs.Set(name, fmt.Sprint(field.Interface()))
			}
		}
	}
	if after != "" {
		pairs.Set("after", after)
	}
	if len(pairs) == 0 {
		return ""
	}
	return "?" + pairs.Encode()
}
