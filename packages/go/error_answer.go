package gateway

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/url"
	"strconv"
	"strings"
)

// What the body of an error says: {"error": {…}}, {"error": "…"}, or the detail alone.
func detailOf(body any) map[string]any {
	fields, _ := body.(map[string]any)
	switch detail := fields["error"].(type) {
	case map[string]any:
		return detail
	case string:
		return map[string]any{"message": detail}
	}
	return fields
}

func fieldsOf(body any, status int, headers http.Header) (Error, Limit) {
	detail := detailOf(body)
	text := func(name string) string {
		value, _ := detail[name].(string)
		return value
	}
	number := func(name string) *float64 {
		if value, ok := detail[name].(float64); ok {
			return &value
		}
		return nil
	}
	var guardrail *GuardrailMatch
	if found, ok := detail["guardrail"].(map[string]any); ok {
		check, _ := found["check"].(string)
		rule, _ := found["rule"].(string)
		guardrail = &GuardrailMatch{Check: check, Rule: rule}
	}
	var models []string
	list, _ := detail["models"].([]any)
	for _, one := range list {
		if name, ok := one.(string); ok {
			models = append(models, name)
		}
	}
	limit := Limit{
		Kind: text("kind"), RetryAfterSeconds: number("retry_after_seconds"), Limit: number("limit"), Used: number("used"),
		Scope: text("scope"), Subject: text("subject"), Models: models, ResetsAt: text("resets_at"),
	}
	if limit.Kind == "" {
		limit.Kind = headers.Get("X-Gateway-Limit-Kind")
	}
	if limit.RetryAfterSeconds == nil {
		limit.RetryAfterSeconds = numberIn(headers.Get("Retry-After"))
	}
	return Error{
		Message: text("message"), StatusCode: status, Type: text("type"), Code: text("code"), Param: text("param"),
		Guardrail: guardrail, RequestID: headers.Get("X-Request-Id"), Header: headers,
	}, limit
}

// text: the body as it came, without the keys.
func errorOfAnswer(response *http.Response, text, origin string) error {
	status := response.StatusCode
	if status >= 300 && status < 400 {
		return moved(response, origin)
	}
	var body any
	_ = json.Unmarshal([]byte(text), &body)
	detail, limit := fieldsOf(body, status, response.Header)
	if detail.Message == "" {
		detail.Message = fmt.Sprintf("%s answered %d with %s.", origin, status, excerpt(response.Header.Get("Content-Type"), text))
	}
	const quota = "insufficient_quota"
	if status == http.StatusPaymentRequired || detail.Type == quota || detail.Code == quota || strings.HasPrefix(limit.Kind, "budget") {
		return &BudgetExceededError{limit, detail}
	}
	switch {
	case status == 401:
		return &AuthenticationError{detail}
	case status == 403:
		return &PermissionError{detail}
	case status == 404:
		return &NotFoundError{detail}
	case status == 429:
		return &RateLimitError{limit, detail}
	case status == 502 || status == 504 || status == 529:
		return &UpstreamError{detail}
	case status < 500:
		return &BadRequestError{detail}
	case detail.Type == "upstream_error":
		return &UpstreamError{detail}
	}
	return &ServerError{detail}
}

// A success that is none.
func invalidAnswer(response *http.Response, text, origin string) error {
	var body any
	_ = json.Unmarshal([]byte(text), &body)
	detail, _ := fieldsOf(body, response.StatusCode, response.Header)
	if detail.Message == "" {
		detail.Message = fmt.Sprintf("%s answered %d with %s. Is the base URL the gateway's address?",
			origin, response.StatusCode, excerpt(response.Header.Get("Content-Type"), text))
	}
	return &InvalidAnswerError{detail}
}

// A success that goes on and on.
func endlessAnswer(response *http.Response, origin string) error {
	detail, _ := fieldsOf(nil, response.StatusCode, response.Header)
	detail.Message = fmt.Sprintf("%s answered %d with more than %d bytes.", origin, response.StatusCode, mostOfAnswer)
	return &InvalidAnswerError{detail}
}

func moved(response *http.Response, origin string) error {
	to := ""
	base, _ := url.Parse(origin)
	if target, err := base.Parse(response.Header.Get("Location")); err == nil && response.Header.Get("Location") != "" {
		to = fmt.Sprintf(" It points to %s://%s%s.", target.Scheme, target.Host, target.EscapedPath())
	}
	detail, _ := fieldsOf(nil, response.StatusCode, response.Header)
	detail.Message = fmt.Sprintf("%s sends its callers elsewhere (%d), and redirects are not followed.%s "+
		"Give WithBaseURL the gateway's own address.", origin, response.StatusCode, to)
	return &ConnectionError{Detail: detail}
}

const longestExcerpt = 120

// What came instead of what was expected, in a few words that fit into a message.
func excerpt(contentType, text string) string {
	if len(text) > 1000 {
		text = text[:1000]
	}
	flat := strings.ToValidUTF8(strings.Join(strings.Fields(text), " "), "")
	lower := strings.ToLower(flat)
	what := contentType
	switch {
	case strings.Contains(contentType, "html") || strings.HasPrefix(lower, "<!doctype") || strings.HasPrefix(lower, "<html"):
		what = "an HTML page"
	case contentType == "":
		what = "no content type"
	}
	if flat == "" {
		return what + ", empty"
	}
	if letters := []rune(flat); len(letters) > longestExcerpt {
		flat = string(letters[:longestExcerpt]) + "…"
	}
	return what + ": " + flat
}

// A header or a field as a number from 0 on; nil: it is none.
func numberIn(text string) *float64 {
	number, err := strconv.ParseFloat(text, 64)
	if err != nil || !(number >= 0 && number < 1e15) {
		return nil
	}
	return &number
}
