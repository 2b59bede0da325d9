package gateway

import (
	"net/http"
	"testing"
	"time"
)

func TestWhatIsAskedAgain(t *testing.T) {
	detail := func(status int, kind string, headers ...string) Error {
		all := http.Header{}
		for index := 0; index+1 < len(headers); index += 2 {
			all.Set(headers[index], headers[index+1])
		}
		return Error{StatusCode: status, Type: kind, Header: all}
	}
	for name, test := range map[string]struct {
		err         error
		write, read bool
	}{
		"refused":              {&ConnectionError{refused: true}, true, true},
		"broken":               {&ConnectionError{}, false, true},
		"a redirect":           {&ConnectionError{Detail: detail(307, "")}, false, false},
		"429":                  {&RateLimitError{Detail: detail(429, "")}, true, true},
		"429, never":           {&RateLimitError{Detail: detail(429, "", "x-should-retry", "false")}, false, false},
		"429, an hour":         {&RateLimitError{Detail: detail(429, "", "retry-after", "3600")}, false, false},
		"429, ages":            {&RateLimitError{Detail: detail(429, "", "retry-after", "99999999999999")}, false, false},
		"budget":               {&BudgetExceededError{Detail: detail(429, "insufficient_quota", "x-should-retry", "true")}, false, false},
		"timeout":              {&TimeoutError{}, false, false},
		"the gateway's 503":    {&ServerError{detail(503, "server_error")}, true, true},
		"another's 503":        {&ServerError{detail(503, "")}, false, true},
		"408":                  {&BadRequestError{detail(408, "")}, false, true},
		"502":                  {&UpstreamError{detail(502, "upstream_error")}, false, true},
		"502, said to be safe": {&UpstreamError{detail(502, "upstream_error", "x-should-retry", "true")}, false, true},
		"400":                  {&BadRequestError{detail(400, "")}, false, false},
		"misuse":               {misuse("no"), false, false},
	} {
		if _, again := pauseBefore(test.err, 0, false); again != test.write {
			t.Errorf("%s: a POST is asked again: %v", name, again)
		}
		if _, again := pauseBefore(test.err, 0, true); again != test.read {
			t.Errorf("%s: a GET is asked again: %v", name, again)
		}
	}
}

func TestHowLongIsWaited(t *testing.T) {
	wait := func(failures int, headers http.Header) time.Duration {
		pause, _ := pauseBefore(&RateLimitError{Detail: Error{StatusCode: 429, Header: headers}}, failures, false)
		return pause
	}
	both := http.Header{"Retry-After-Ms": {"30"}, "Retry-After": {"2"}}
	if pause := wait(0, both); pause != 30*time.Millisecond {
		t.Error(pause)
	}
	if pause := wait(0, http.Header{"Retry-After": {"2"}}); pause != 2*time.Second {
		t.Error(pause)
	}
	date := time.Now().Add(20 * time.Second).UTC().Format(http.TimeFormat)
	if pause := wait(0, http.Header{"Retry-After": {date}}); pause < 15*time.Second || pause > 20*time.Second {
		t.Error(pause)
	}
	for failures, most := range map[int]time.Duration{0: 625 * time.Millisecond, 2: 2500 * time.Millisecond, 60: 10 * time.Second} {
		if pause := wait(failures, http.Header{"Retry-After": {"soon"}}); pause > most || pause < most/2 {
			t.Errorf("after %d failures: %s", failures, pause)
		}
	}
}
