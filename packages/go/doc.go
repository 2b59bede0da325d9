// Package gateway is a client of the model gateway: chat, responses, messages, embeddings, images and sound at any provider, with the
// routing decision and the exact cost on every answer, streamed or not, and the gateway's administration.
//
// It needs nothing but the standard library. A [Client] is safe for concurrent use.
package gateway

// Version is the client's own, as its User-Agent has it.
const Version = "0.1.0"

// Ptr gives a pointer to a value, for optional fields of requests.
func Ptr[T any](value T) *T { return &value }
