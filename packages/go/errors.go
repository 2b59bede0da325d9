package gateway

import (
	"net/http"
)

// Error is what is known of any failure. Every other error of this package holds one: errors.As finds it in each of them.
type Error struct {
	Message string `json:"message"`
	// The HTTP status; 0: there was no answer.
	StatusCode int    `json:"status,omitempty"`
	Type       string `json:"type,omitempty"`
	// The exact reason, for programs: model_not_found.
	Code string `json:"code,omitempty"`
	// The field of the request that it is about.
	Param string `json:"param,omitempty"`
	// With the code guardrail_denied: the check, and the rule that found a match.
	Guardrail *GuardrailMatch `json:"guardrail,omitempty"`
	RequestID string          `json:"request_id,omitempty"`
	// The answer's headers.
	Header http.Header `json:"-"`
	cause  error
}

func (e *Error) Error() string { return e.Message }

// Unwrap gives what lies below, such as a *net.OpError.
func (e *Error) Unwrap() error { return e.cause }

// GuardrailMatch is what denied a request.
type GuardrailMatch struct {
	Check string `json:"check"`
	Rule  string `json:"rule"`
}

// Limit is what is known of a limit that was reached.
type Limit struct {
	// Of a rate: rpm, tpm, parallel, upstream, feedback, auth_failures; of a budget: budget, budget_reserved.
	Kind string `json:"kind,omitempty"`
	// Who waits that long is admitted; nil: nobody knows.
	RetryAfterSeconds *float64 `json:"retry_after_seconds,omitempty"`
	// Requests, tokens, or USD.
	Limit *float64 `json:"limit,omitempty"`
	Used  *float64 `json:"used,omitempty"`
	// key, team, end_user or session.
	Scope string `json:"scope,omitempty"`
	// The id of the end user or session; empty: the limit is the key's or team's own.
	Subject string `json:"subject,omitempty"`
	// The models of the rule that refused the request; empty: no model rule did.
	Models []string `json:"models,omitempty"`
	// RFC 3339, UTC.
	ResetsAt string `json:"resets_at,omitempty"`
}

// ConfigurationError: the client's options, or the arguments of a call, can't be used. Nothing was sent.
type ConfigurationError struct{ Detail Error }

// AuthenticationError (401): no key, or none that opens anything (any more).
type AuthenticationError struct{ Detail Error }

// PermissionError (403): the key may not do this; above all, use this model.
type PermissionError struct{ Detail Error }

// NotFoundError (404): there is no such model, key, team, receipt, response, or path.
type NotFoundError struct{ Detail Error }

// BadRequestError (400 and other 4xx): the request is at fault; Param names the field.
type BadRequestError struct{ Detail Error }

// RateLimitError (429): too many requests or tokens; it passes by itself.
type RateLimitError struct {
	Limit
	Detail Error
}

// BudgetExceededError: a budget of the key, team, end user or session is used up (budget), or held by requests in flight (budget_reserved).
type BudgetExceededError struct {
	Limit
	Detail Error
}

// UpstreamError: the gateway works, the providers behind it failed.
type UpstreamError struct{ Detail Error }

// ServerError (any other 5xx): the gateway failed, drains, or can't use its store; or it is another server.
type ServerError struct{ Detail Error }

// ConnectionError: nobody answered, the connection broke before the answer was whole, or the answer sends callers elsewhere.
type ConnectionError struct {
	Detail  Error
	refused bool
}

// TimeoutError: nothing came within the timeout. The call was sent, and may be paid for: it is not sent again.
type TimeoutError struct{ Detail Error }

// InvalidAnswerError: a success that is not what was asked for: an HTML page, another shape.
type InvalidAnswerError struct{ Detail Error }

// StreamInterruptedError: a stream that had begun failed, stopped, broke, or fell silent. An answer is never silently shorter.
type StreamInterruptedError struct {
	Detail Error
	// The text that had arrived.
	Text string
	// Everything that had arrived, put together as Final would have: JSON; nil: nothing had.
	Partial []byte `json:"-"`
	// Who served it, and the most that it can have cost; nil where another server answers.
	Gateway *Decision
}

func (e *ConfigurationError) Error() string     { return e.Detail.Message }
func (e *AuthenticationError) Error() string    { return e.Detail.Message }
func (e *PermissionError) Error() string        { return e.Detail.Message }
func (e *NotFoundError) Error() string          { return e.Detail.Message }
func (e *BadRequestError) Error() string        { return e.Detail.Message }
func (e *RateLimitError) Error() string         { return e.Detail.Message }
func (e *BudgetExceededError) Error() string    { return e.Detail.Message }
func (e *UpstreamError) Error() string          { return e.Detail.Message }
func (e *ServerError) Error() string            { return e.Detail.Message }
func (e *ConnectionError) Error() string        { return e.Detail.Message }
func (e *TimeoutError) Error() string           { return e.Detail.Message }
func (e *InvalidAnswerError) Error() string     { return e.Detail.Message }
func (e *StreamInterruptedError) Error() string { return e.Detail.Message }

func (e *ConfigurationError) Unwrap() error     { return &e.Detail }
func (e *AuthenticationError) Unwrap() error    { return &e.Detail }
func (e *PermissionError) Unwrap() error        { return &e.Detail }
func (e *NotFoundError) Unwrap() error          { return &e.Detail }
func (e *BadRequestError) Unwrap() error        { return &e.Detail }
func (e *RateLimitError) Unwrap() error         { return &e.Detail }
func (e *BudgetExceededError) Unwrap() error    { return &e.Detail }
func (e *UpstreamError) Unwrap() error          { return &e.Detail }
func (e *ServerError) Unwrap() error            { return &e.Detail }
func (e *ConnectionError) Unwrap() error        { return &e.Detail }
func (e *TimeoutError) Unwrap() error           { return &e.Detail }
func (e *InvalidAnswerError) Unwrap() error     { return &e.Detail }
func (e *StreamInterruptedError) Unwrap() error { return &e.Detail }

// Timeout says so to those who ask for net.Error's.
func (e *TimeoutError) Timeout() bool { return true }

func misuse(message string) error { return &ConfigurationError{Error{Message: message}} }
