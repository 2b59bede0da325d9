package gateway

import (
	"net/http"
	"net/url"
	"os"
	"regexp"
	"strings"
	"time"
)

const (
	defaultTimeout = 10 * time.Minute
	defaultRetries = 2
)

// A secret is a function: whatever prints it, at whatever depth, prints an address.
type secret func() string

func (s secret) reveal() string {
	if s == nil {
		return ""
	}
	return s()
}

type settings struct {
	origin    string
	apiKey    secret
	masterKey secret
	timeout   time.Duration
	retries   int
	headers   http.Header
	http      *http.Client
}

type clientConfig struct {
	baseURL, apiKey, masterKey string
	timeout                    time.Duration
	retries                    int
	headers                    http.Header
	http                       *http.Client
}

// ClientOption changes how a client is made.
type ClientOption func(*clientConfig)

// WithBaseURL says where the gateway is, with or without /v1. Default: GATEWAY_BASE_URL.
func WithBaseURL(address string) ClientOption {
	return func(config *clientConfig) { config.baseURL = address }
}

// WithAPIKey gives the virtual key. Default: GATEWAY_API_KEY.
func WithAPIKey(key string) ClientOption {
	return func(config *clientConfig) { config.apiKey = key }
}

// WithMasterKey gives the key for Client.Admin. Default: GATEWAY_MASTER_KEY.
func WithMasterKey(key string) ClientOption {
	return func(config *clientConfig) { config.masterKey = key }
}

// WithTimeout limits the wait for an answer, and between two pieces of one. Each attempt has its own. Default: ten minutes; 0: no limit.
// The context limits a call as a whole.
func WithTimeout(timeout time.Duration) ClientOption {
	return func(config *clientConfig) { config.timeout = timeout }
}

// WithMaxRetries says how often a call is made again. Default: 2.
func WithMaxRetries(retries int) ClientOption {
	return func(config *clientConfig) { config.retries = retries }
}

// WithHeader sends a header with every request.
func WithHeader(name, value string) ClientOption {
	return func(config *clientConfig) { config.headers.Set(name, value) }
}

// WithHTTPClient gives the transport, for example one with a proxy. Its Timeout would end streams: use WithTimeout. Redirects are not
// followed, whatever it says.
func WithHTTPClient(client *http.Client) ClientOption {
	return func(config *clientConfig) { config.http = client }
}

func readSettings(options []ClientOption) (*settings, error) {
	config := clientConfig{
		baseURL:   os.Getenv("GATEWAY_BASE_URL"),
		apiKey:    os.Getenv("GATEWAY_API_KEY"),
		masterKey: os.Getenv("GATEWAY_MASTER_KEY"),
		timeout:   defaultTimeout,
		retries:   defaultRetries,
		headers:   http.Header{"User-Agent": {"model-gateway-client-go/" + Version}},
	}
	for _, option := range options {
		option(&config)
	}
	apiKey, err := readKey(config.apiKey, "WithAPIKey", "GATEWAY_API_KEY")
	if err != nil {
		return nil, err
	}
	masterKey, err := readKey(config.masterKey, "WithMasterKey", "GATEWAY_MASTER_KEY")
	if err != nil {
		return nil, err
	}
	origin, err := readBaseURL(config.baseURL)
	if err != nil {
		return nil, err
	}
	switch {
	case apiKey == nil && masterKey == nil:
		return nil, noKey("key", "WithAPIKey", "GATEWAY_API_KEY")
	case config.timeout < 0:
		return nil, misuse("WithTimeout must be 0 or more.")
	case config.retries < 0:
		return nil, misuse("WithMaxRetries must be 0 or more.")
	}
	if err := checkHeaders(config.headers); err != nil {
		return nil, err
	}
	return &settings{
		origin: origin, apiKey: apiKey, masterKey: masterKey, timeout: config.timeout, retries: config.retries,
		headers: config.headers, http: transportOf(config.http),
	}, nil
}

var keyPattern = regexp.MustCompile(`^[\x21-\x7e]+$`)

func readKey(given, option, variable string) (secret, error) {
	key := strings.TrimSpace(given)
	if key == "" {
		return nil, nil
	}
	if !keyPattern.MatchString(key) {
		return nil, misuse("The gateway's key (" + option + " or " + variable +
			") holds characters that no key has: a space, a line break or a letter outside ASCII.")
	}
	return func() string { return key }, nil
}

func noKey(what, option, variable string) error {
	return misuse("The gateway's " + what + " is missing: pass " + option + ", or set the environment variable " + variable + ".")
}

var slashes = regexp.MustCompile(`/{2,}`)

func readBaseURL(given string) (string, error) {
	text := strings.TrimSpace(given)
	if text == "" {
		return "", misuse("The gateway's address is missing: pass WithBaseURL, or set the environment variable GATEWAY_BASE_URL, " +
			"such as http://127.0.0.1:4100.")
	}
	// The error of url.Parse would show the value, which may hold a password.
	address, err := url.Parse(text)
	rule := ""
	switch {
	case err != nil || (address.Scheme != "http" && address.Scheme != "https") || address.Host == "":
		rule = "begin with http:// or https://"
	case address.User != nil:
		rule = "hold no user name and no password"
	case address.RawQuery != "" || address.Fragment != "":
		rule = "have no query and no fragment"
	}
	if rule != "" {
		return "", misuse("The gateway's address (WithBaseURL or GATEWAY_BASE_URL) must " + rule + ", such as http://127.0.0.1:4100.")
	}
	path := strings.TrimSuffix(slashes.ReplaceAllString(address.EscapedPath(), "/"), "/")
	return address.Scheme + "://" + address.Host + strings.TrimSuffix(path, "/v1"), nil
}

var headerName = regexp.MustCompile("^[\\w!#$%&'*+.^`|~-]+$")

// net/http refuses them too, with a message that shows the value.
func checkHeaders(headers http.Header) error {
	for name, values := range headers {
		for _, value := range values {
			if !headerName.MatchString(name) || strings.ContainsAny(value, "\r\n\x00") {
				return misuse("The header " + name + " has a name or a value that no header can have.")
			}
		}
	}
	return nil
}

var sharedTransport = func() *http.Transport {
	transport := http.DefaultTransport.(*http.Transport).Clone()
	transport.MaxIdleConnsPerHost = 100
	return transport
}()

// Whoever followed a redirect would take the key and the prompt along, and some would ask for something else there.
func transportOf(given *http.Client) *http.Client {
	client := http.Client{Transport: sharedTransport}
	if given != nil {
		client = *given
	}
	client.CheckRedirect = func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }
	return &client
}
