package gateway

import (
	"context"
	"net/url"
)

// EmbeddingMaker makes vectors of texts.
type EmbeddingMaker struct{ c *connection }

// Create makes a vector of each input.
func (s *EmbeddingMaker) Create(ctx context.Context, request EmbeddingsRequest, options ...CallOption) (*Embeddings, error) {
	return call[Embeddings](ctx, s.c, outgoing{method: "POST", path: "/v1/embeddings", body: request, options: options}, "data")
}

// Moderations judge texts and images.
type Moderations struct{ c *connection }

// Create judges the input.
func (s *Moderations) Create(ctx context.Context, request ModerationRequest, options ...CallOption) (*Moderation, error) {
	return call[Moderation](ctx, s.c, outgoing{method: "POST", path: "/v1/moderations", body: request, options: options}, "results")
}

// Rerank puts documents into the order of how well they answer a query.
type Rerank struct{ c *connection }

// Create ranks the documents, the best first.
func (s *Rerank) Create(ctx context.Context, request RerankRequest, options ...CallOption) (*Ranking, error) {
	return call[Ranking](ctx, s.c, outgoing{method: "POST", path: "/v1/rerank", body: request, options: options}, "results")
}

// Models are what the key may send as Model.
type Models struct{ c *connection }

// List lists all of them.
func (s *Models) List(ctx context.Context, options ...CallOption) (*ModelList, error) {
	return call[ModelList](ctx, s.c, outgoing{method: "GET", path: "/v1/models", options: options}, "data")
}

// Get reads one.
func (s *Models) Get(ctx context.Context, id string, options ...CallOption) (*Model, error) {
	return call[Model](ctx, s.c, outgoing{method: "GET", path: "/v1/models/" + url.PathEscape(id), options: options}, "id")
}

// CallingKey is the key that calls.
type CallingKey struct{ c *connection }

// Get reads its limits and budgets, and what is left of them.
func (s *CallingKey) Get(ctx context.Context, query GetOwnKeyQuery, options ...CallOption) (*OwnKey, error) {
	return call[OwnKey](ctx, s.c, outgoing{method: "GET", path: "/v1/key", query: query, options: options}, "id")
}

// Receipts say what became of the key's requests.
type Receipts struct{ c *connection }

// Get reads one by the id of the receipt or of the request.
func (s *Receipts) Get(ctx context.Context, id string, options ...CallOption) (*Receipt, error) {
	return call[Receipt](ctx, s.c, outgoing{method: "GET", path: "/v1/receipts/" + url.PathEscape(id), options: options}, "id")
}

// Feedback says how good the answer was, 0 to 1.
func (s *Receipts) Feedback(ctx context.Context, id string, request GiveFeedback, options ...CallOption) (*Feedback, error) {
	asked := outgoing{method: "POST", path: "/v1/receipts/" + url.PathEscape(id) + "/feedback", body: request, options: options}
	return call[Feedback](ctx, s.c, asked, "score")
}
