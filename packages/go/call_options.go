package gateway

import (
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"time"
)

type callConfig struct {
	headers http.Header
	timeout *time.Duration
	retries *int
}

// CallOption changes one call.
type CallOption func(*callConfig)

func header(name, value string) CallOption {
	return func(config *callConfig) { config.headers.Set(name, value) }
}

// Session keeps the calls of a conversation at one deployment while it can take them.
func Session(id string) CallOption { return header("X-Gateway-Session-Id", id) }

// EndUser names the end user that the call is for, by its id: its limits and budgets hold too.
func EndUser(id string) CallOption { return header("X-Gateway-End-User", url.PathEscape(id)) }

// Guardrails are policies for this call, in addition to those of the key.
func Guardrails(policies ...string) CallOption {
	return header("X-Gateway-Guardrails", strings.Join(policies, ","))
}

// Tags are labels to count the spend under.
func Tags(tags ...string) CallOption { return header("X-Gateway-Tags", strings.Join(tags, ",")) }

// Prefer moves the cut points of auto: "cost" or "quality".
func Prefer(what string) CallOption { return header("X-Gateway-Route-Prefer", what) }

// Strict makes a parameter that the provider can't take an error instead of leaving it out.
func Strict() CallOption { return header("X-Gateway-Strict", "1") }

// NoFallback asks one deployment only.
func NoFallback() CallOption { return header("X-Gateway-No-Fallback", "1") }

// Recovery says what becomes of a stream that breaks: "cut", or "buffer", which holds it until it is whole, so that every fault can be
// tried elsewhere.
func Recovery(how string) CallOption { return header("X-Gateway-Stream-Recovery", how) }

// Content is the most of this call's content that the gateway may log: "none" or "metadata". It never raises the level that the
// operator set.
func Content(level string) CallOption { return header("X-Gateway-Content", level) }

// CacheOptions say how one call uses the gateway's response cache.
type CacheOptions struct {
	// On uses the cache where its mode is on_request.
	On bool
	// NoCache calls the provider, and stores the response.
	NoCache bool
	// NoStore neither looks up nor stores.
	NoStore bool
	// MaxAge accepts responses of the cache of at most this age, in whole seconds. 0: of any age.
	MaxAge time.Duration
}

// Cache says how this call uses the gateway's response cache.
func Cache(options CacheOptions) CallOption {
	var control []string
	if options.NoCache {
		control = append(control, "no-cache")
	}
	if options.NoStore {
		control = append(control, "no-store")
	}
	if options.MaxAge > 0 {
		control = append(control, "max-age="+strconv.Itoa(int(options.MaxAge.Seconds())))
	}
	return func(config *callConfig) {
		if options.On {
			config.headers.Set("X-Gateway-Cache", "on")
		}
		if len(control) > 0 {
			config.headers.Set("Cache-Control", strings.Join(control, ", "))
		}
	}
}

// IdempotencyKey gets the first answer again for the same request: the gateway keeps it for a day.
func IdempotencyKey(key string) CallOption { return header("Idempotency-Key", key) }

// RequestID names the call in the gateway's log, if it has no id yet.
func RequestID(id string) CallOption { return header("X-Request-Id", id) }

// Header sends a header with this call.
func Header(name, value string) CallOption { return header(name, value) }

// Timeout is WithTimeout for one call.
func Timeout(timeout time.Duration) CallOption {
	return func(config *callConfig) { config.timeout = &timeout }
}

// MaxRetries is WithMaxRetries for one call.
func MaxRetries(retries int) CallOption {
	return func(config *callConfig) { config.retries = &retries }
}
