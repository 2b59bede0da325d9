package gateway

import (
	"context"
	"net/url"
)

// Admin is what administrators do, with the master key.
type Admin struct {
	Keys        *Keys
	Teams       *Teams
	Deployments *Deployments
	Requests    *Requests
	c           *connection
}

// Keys are the virtual keys.
type Keys struct{ c *connection }

// Create makes one. The answer holds the secret, this once.
func (s *Keys) Create(ctx context.Context, request CreateKey, options ...CallOption) (*IssuedKey, error) {
	return call[IssuedKey](ctx, s.c, outgoing{method: "POST", path: "/admin/keys", body: request, options: options}, "key")
}

// List goes through them, newest first, from page to page. Nothing is asked before it is ranged over.
func (s *Keys) List(ctx context.Context, query ListKeysQuery, options ...CallOption) *Pages[Key] {
	return list[Key](ctx, s.c, "/admin/keys", query, options)
}

// Get reads one.
func (s *Keys) Get(ctx context.Context, id string, options ...CallOption) (*Key, error) {
	return call[Key](ctx, s.c, outgoing{method: "GET", path: keyPath(id), options: options}, "id")
}

// Update is a merge patch: what is left out stays, nil in Extra goes back to the default.
func (s *Keys) Update(ctx context.Context, id string, request UpdateKey, options ...CallOption) (*Key, error) {
	return call[Key](ctx, s.c, outgoing{method: "PATCH", path: keyPath(id), body: request, options: options}, "id")
}

// Revoke ends one for good.
func (s *Keys) Revoke(ctx context.Context, id string, options ...CallOption) (*Key, error) {
	return call[Key](ctx, s.c, outgoing{method: "DELETE", path: keyPath(id), options: options}, "id")
}

// Rotate gives it a new secret. The answer holds it, this once.
func (s *Keys) Rotate(ctx context.Context, id string, request RotateKey, options ...CallOption) (*IssuedKey, error) {
	return call[IssuedKey](ctx, s.c, outgoing{method: "POST", path: keyPath(id) + "/rotate", body: request, options: options}, "key")
}

func keyPath(id string) string { return "/admin/keys/" + url.PathEscape(id) }

// Teams share limits and budgets.
type Teams struct{ c *connection }

// List goes through them by name, from page to page. Nothing is asked before it is ranged over.
func (s *Teams) List(ctx context.Context, query ListTeamsQuery, options ...CallOption) *Pages[Team] {
	return list[Team](ctx, s.c, "/admin/teams", query, options)
}

// Get reads one.
func (s *Teams) Get(ctx context.Context, name string, options ...CallOption) (*Team, error) {
	return call[Team](ctx, s.c, outgoing{method: "GET", path: teamPath(name), options: options}, "team")
}

// Put sets all of its limits and budgets: what is left out is none.
func (s *Teams) Put(ctx context.Context, name string, request PutTeam, options ...CallOption) (*Team, error) {
	return call[Team](ctx, s.c, outgoing{method: "PUT", path: teamPath(name), body: request, options: options}, "team")
}

// Delete takes its limits and budgets away. With Force "true" also while keys name it, which else is an error.
func (s *Teams) Delete(ctx context.Context, name string, query DeleteTeamQuery, options ...CallOption) (*Team, error) {
	return call[Team](ctx, s.c, outgoing{method: "DELETE", path: teamPath(name), query: query, options: options}, "team")
}

func teamPath(name string) string { return "/admin/teams/" + url.PathEscape(name) }

// Deployments are the models at their providers.
type Deployments struct{ c *connection }

// List lists all of them.
func (s *Deployments) List(ctx context.Context, options ...CallOption) (*DeploymentList, error) {
	return call[DeploymentList](ctx, s.c, outgoing{method: "GET", path: "/admin/deployments", options: options}, "data")
}

// Disable takes some out of rotation; it lasts over restarts.
func (s *Deployments) Disable(ctx context.Context, request DeploymentSelection, options ...CallOption) (*DeploymentList, error) {
	asked := outgoing{method: "POST", path: "/admin/deployments/disable", body: request, options: options}
	return call[DeploymentList](ctx, s.c, asked, "data")
}

// Enable brings them back.
func (s *Deployments) Enable(ctx context.Context, request DeploymentSelection, options ...CallOption) (*DeploymentList, error) {
	asked := outgoing{method: "POST", path: "/admin/deployments/enable", body: request, options: options}
	return call[DeploymentList](ctx, s.c, asked, "data")
}

// Reset forgets what was learnt of their health: the next request tries them.
func (s *Deployments) Reset(ctx context.Context, request DeploymentSelection, options ...CallOption) (*DeploymentList, error) {
	asked := outgoing{method: "POST", path: "/admin/deployments/reset", body: request, options: options}
	return call[DeploymentList](ctx, s.c, asked, "data")
}

// Requests are the receipts of requests that are over.
type Requests struct{ c *connection }

// List goes through them, newest first, from page to page. Nothing is asked before it is ranged over.
func (s *Requests) List(ctx context.Context, query ListRequestsQuery, options ...CallOption) *Pages[Receipt] {
	return list[Receipt](ctx, s.c, "/admin/requests", query, options)
}

// Get reads one by the id of the receipt or of the request.
func (s *Requests) Get(ctx context.Context, id string, options ...CallOption) (*Receipt, error) {
	return call[Receipt](ctx, s.c, outgoing{method: "GET", path: "/admin/requests/" + url.PathEscape(id), options: options}, "id")
}

// Spend says what was spent, by whom and on what.
func (s *Admin) Spend(ctx context.Context, query GetSpendQuery, options ...CallOption) (*SpendReport, error) {
	return call[SpendReport](ctx, s.c, outgoing{method: "GET", path: "/admin/spend", query: query, options: options}, "total")
}

// Budgets says how full the budgets of keys and teams are, the fullest first.
func (s *Admin) Budgets(ctx context.Context, query ListBudgetsQuery, options ...CallOption) (*BudgetUseList, error) {
	return call[BudgetUseList](ctx, s.c, outgoing{method: "GET", path: "/admin/budgets", query: query, options: options}, "data")
}

// Traffic says how many requests there were, how they ended, how long they took and what they cost, by what GroupBy and Interval say.
func (s *Admin) Traffic(ctx context.Context, query GetTrafficQuery, options ...CallOption) (*TrafficReport, error) {
	return call[TrafficReport](ctx, s.c, outgoing{method: "GET", path: "/admin/traffic", query: query, options: options}, "total")
}

// Audit goes through what administrators did, newest first, from page to page. Nothing is asked before it is ranged over.
func (s *Admin) Audit(ctx context.Context, query ListAuditQuery, options ...CallOption) *Pages[AuditEntry] {
	return list[AuditEntry](ctx, s.c, "/admin/audit", query, options)
}

// Config says what is in force, what the file says, and what a reload would change; without secrets.
func (s *Admin) Config(ctx context.Context, options ...CallOption) (*Config, error) {
	return call[Config](ctx, s.c, outgoing{method: "GET", path: "/admin/config", options: options}, "fields")
}

// Info says which version runs, since when, and where its store is.
func (s *Admin) Info(ctx context.Context, options ...CallOption) (*Info, error) {
	return call[Info](ctx, s.c, outgoing{method: "GET", path: "/admin/info", options: options}, "version")
}

// Nodes lists the gateways that work on the store, the longest at work first.
func (s *Admin) Nodes(ctx context.Context, options ...CallOption) (*NodeList, error) {
	return call[NodeList](ctx, s.c, outgoing{method: "GET", path: "/admin/nodes", options: options}, "data")
}

// Explain says what would be done with a request, and why; no provider is called. The request is a RouteQuestion, or a body as it
// would be sent to /v1/chat/completions.
func (s *Admin) Explain(ctx context.Context, request any, options ...CallOption) (*RouteExplanation, error) {
	asked := outgoing{method: "POST", path: "/admin/route/explain", body: request, options: options}
	return call[RouteExplanation](ctx, s.c, asked, "candidates")
}

// Reload has the gateway read its configuration file again.
func (s *Admin) Reload(ctx context.Context, options ...CallOption) (*ConfigReload, error) {
	return call[ConfigReload](ctx, s.c, outgoing{method: "POST", path: "/admin/config/reload", options: options}, "object")
}
