package gateway

import "encoding/json"

// Client is the gateway's HTTP API, with the decision and the cost on every answer.
type Client struct {
	Chat        *Chat
	Responses   *Responses
	Messages    *Messages
	Completions *Completions
	Embeddings  *EmbeddingMaker
	Moderations *Moderations
	Rerank      *Rerank
	Images      *ImageMaker
	Audio       *Audio
	Models      *Models
	// The key that calls.
	Key      *CallingKey
	Receipts *Receipts
	// Needs the master key.
	Admin *Admin
	conn  *connection
}

// New makes a client from the options and the environment: a *ConfigurationError where they don't make a working one.
func New(options ...ClientOption) (*Client, error) {
	settings, err := readSettings(options)
	if err != nil {
		return nil, err
	}
	c := &connection{settings}
	return &Client{
		Chat: &Chat{&ChatCompletions{c}}, Responses: &Responses{c}, Messages: &Messages{c}, Completions: &Completions{c},
		Embeddings: &EmbeddingMaker{c}, Moderations: &Moderations{c}, Rerank: &Rerank{c}, Images: &ImageMaker{c},
		Audio:  &Audio{&Transcriptions{c}, &Translations{c}, &Speech{c}},
		Models: &Models{c}, Key: &CallingKey{c}, Receipts: &Receipts{c},
		Admin: &Admin{&Keys{c}, &Teams{c}, &Deployments{c}, &Requests{c}, c},
		conn:  c,
	}, nil
}

// BaseURL is the gateway's address, without /v1.
func (c *Client) BaseURL() string { return c.conn.origin }

// String shows where the gateway is, and no key.
func (c *Client) String() string { return "gateway.Client(" + c.conn.origin + ")" }

// GoString is String.
func (c *Client) GoString() string { return c.String() }

// MarshalJSON shows where the gateway is, and no key.
func (c *Client) MarshalJSON() ([]byte, error) {
	return json.Marshal(map[string]string{"base_url": c.conn.origin})
}

// CloseIdleConnections closes the connections that are kept for further calls.
func (c *Client) CloseIdleConnections() { c.conn.http.CloseIdleConnections() }
