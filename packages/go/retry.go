package gateway

import (
	"errors"
	"math"
	"math/rand/v2"
	"net/http"
	"time"
)

const (
	// Whoever is told to wait longer is told so at once, and nobody waits longer by themselves.
	longestWait = time.Minute
	firstPause  = 500 * time.Millisecond
	mostPause   = 8 * time.Second
)

// How long to wait before the next attempt, and whether there is one. readsOnly: asking twice changes nothing.
func pauseBefore(err error, failures int, readsOnly bool) (time.Duration, bool) {
	var known *Error
	if !errors.As(err, &known) || !worthIt(err, known, readsOnly) {
		return 0, false
	}
	pause, told := toldPause(known.Header)
	if !told {
		grown := math.Min(float64(firstPause)*math.Pow(2, float64(failures)), float64(mostPause))
		pause = time.Duration(grown * (0.75 + rand.Float64()/2))
	}
	return pause, pause <= longestWait
}

func worthIt(err error, known *Error, readsOnly bool) bool {
	// The opposite is not believed: a generation that failed may have been billed, whatever a server says.
	if known.Header.Get("X-Should-Retry") == "false" {
		return false
	}
	switch failed := err.(type) {
	case *BudgetExceededError, *TimeoutError, *ConfigurationError:
		return false
	case *ConnectionError:
		return known.StatusCode == 0 && (readsOnly || failed.refused)
	case *RateLimitError:
		return true
	}
	// What the gateway says of itself was refused before any provider was asked.
	if known.StatusCode == http.StatusServiceUnavailable && known.Type == "server_error" {
		return true
	}
	return readsOnly && (known.StatusCode == http.StatusRequestTimeout || known.StatusCode >= 500)
}

func toldPause(headers http.Header) (time.Duration, bool) {
	if exact := numberIn(headers.Get("Retry-After-Ms")); exact != nil {
		return duration(*exact, time.Millisecond), true
	}
	after := headers.Get("Retry-After")
	if seconds := numberIn(after); seconds != nil {
		return duration(*seconds, time.Second), true
	}
	if date, err := http.ParseTime(after); err == nil {
		return max(0, time.Until(date)), true
	}
	return 0, false
}

// As long as can be, where it would be longer than any.
func duration(count float64, unit time.Duration) time.Duration {
	return time.Duration(math.Min(count*float64(unit), float64(math.MaxInt64/2)))
}
