package gateway

import (
	"encoding/json"
	"net/http"
	"net/url"
	"strconv"
	"strings"
)

// Decision says which deployment served a call, why, and what it cost.
type Decision struct {
	// <provider>/<model> that served the call.
	Decision string `json:"decision"`
	// The deployment's id.
	Deployment string `json:"deployment"`
	Provider   string `json:"provider"`
	// The model's name at its provider.
	Model string `json:"model"`
	// What auto took the prompt for; none where the caller named the model.
	Bucket string `json:"bucket"`
	// 0 to 1: how demanding the prompt is.
	Score float64 `json:"score"`
	// USD; nil where nobody knows the price, never 0 for that.
	CostUSD *float64 `json:"cost_usd"`
	// False while a stream runs, and of one that did not reach its end: CostUSD is then the most that it can cost.
	CostIsFinal bool `json:"cost_is_final"`
	// How many attempts failed before.
	Retries   int64  `json:"retries"`
	RequestID string `json:"request_id,omitempty"`
	// For Client.Receipts.Get.
	ReceiptID string `json:"receipt_id,omitempty"`
	// The strictest thing that guardrails did; nil: nothing, or the answer has no gateway object. While a stream runs it is nil too.
	Guardrail *GuardrailAction `json:"guardrail,omitempty"`
	// Of counted tokens: the gateway counted them, not the provider.
	Estimated *bool `json:"estimated,omitempty"`
}

// GuardrailAction is what a guardrail did.
type GuardrailAction struct {
	Check string `json:"check"`
	// flagged, masked or denied.
	Action string `json:"action"`
}

// UnmarshalJSON reads the `gateway` object of an answer. One that is not the gateway's is no decision, and no error.
func (d *Decision) UnmarshalJSON(text []byte) error {
	type plain Decision
	var read plain
	if json.Unmarshal(text, &read) != nil {
		return nil
	}
	*d = Decision(read)
	d.Provider, d.Model, _ = strings.Cut(d.Decision, "/")
	d.CostIsFinal = true
	return nil
}

// Nil when the headers are not the gateway's.
func decisionOfHeaders(headers http.Header) *Decision {
	name := decoded(headers.Get("X-Gateway-Decision"))
	if name == "" {
		return nil
	}
	decision := Decision{
		Decision: name, Deployment: decoded(headers.Get("X-Gateway-Deployment")), Bucket: headers.Get("X-Gateway-Route-Bucket"),
		CostIsFinal: headers.Get("X-Gateway-Cost-Final") != "false",
		RequestID:   headers.Get("X-Request-Id"), ReceiptID: headers.Get("X-Gateway-Receipt-Id"),
	}
	decision.Provider, decision.Model, _ = strings.Cut(name, "/")
	if decision.Deployment == "" {
		decision.Deployment = name
	}
	if decision.Bucket == "" {
		decision.Bucket = "none"
	}
	if score := numberIn(headers.Get("X-Gateway-Route-Score")); score != nil {
		decision.Score = *score
	}
	if headers.Get("X-Gateway-Cost-Known") != "false" {
		decision.CostUSD = numberIn(headers.Get("X-Gateway-Cost-Usd"))
	}
	decision.Retries, _ = strconv.ParseInt(headers.Get("X-Gateway-Retries"), 10, 64)
	return &decision
}

// The object in a whole answer or in a stream's last event is final, and knows more of a stream than the headers.
func decisionOf(body *Decision, headers http.Header) *Decision {
	fromHeaders := decisionOfHeaders(headers)
	if body == nil || body.Decision == "" {
		return fromHeaders
	}
	decision := *body
	decision.RequestID = headers.Get("X-Request-Id")
	if decision.Bucket == "" {
		decision.Bucket = "none"
	}
	if decision.Deployment == "" {
		decision.Deployment = decision.Decision
		if fromHeaders != nil {
			decision.Deployment = fromHeaders.Deployment
		}
	}
	if decision.ReceiptID == "" && fromHeaders != nil {
		decision.ReceiptID = fromHeaders.ReceiptID
	}
	return &decision
}

// The gateway percent-encodes a name only where it holds something outside visible ASCII: one that decodes to nothing else was never
// encoded, and its % are its own.
func decoded(text string) string {
	if !strings.Contains(text, "%") {
		return text
	}
	name, err := url.PathUnescape(text)
	if err != nil || keyPattern.MatchString(name) {
		return text
	}
	return name
}
