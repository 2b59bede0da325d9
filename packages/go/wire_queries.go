// Code generated from openapi.json by `npm run openapi`. DO NOT EDIT.

package gateway

// GetResponseQuery is the query of an operation; what is zero is not sent.
type GetResponseQuery struct {
	// Only events after this number.
	StartingAfter int64 `json:"starting_after"`

	// The vendor's names of further fields. All that was stored is there anyway.
	Include string `json:"include"`
}

// ListInputItemsQuery is the query of an operation; what is zero is not sent.
type ListInputItemsQuery struct {
	// 20 where it is left out.
	Limit int64 `json:"limit"`

	// `desc`, the newest first, where it is left out.
	Order string `json:"order"`

	// The last item of the page before.
	After string `json:"after"`

	// The vendor's names of further fields. All that was stored is there anyway.
	Include string `json:"include"`
}

// GetOwnKeyQuery is the query of an operation; what is zero is not sent.
type GetOwnKeyQuery struct {
	// IANA name of the time zone of `spend`. Default: that of the key's first budget, else UTC.
	TZ string `json:"tz"`
}

// ListKeysQuery is the query of an operation; what is zero is not sent.
type ListKeysQuery struct {
	// Keys per page. Default: 100.
	Limit int64 `json:"limit"`

	// The `next` of the page before.
	After string `json:"after"`

	// Only keys of this team.
	Team string `json:"team"`

	// Only keys of this status.
	Status string `json:"status"`

	// Only personal keys of this person, `user_…`.
	Owner string `json:"owner"`

	// Only keys whose last use, or else their creation, was before.
	UnusedSince string `json:"unused_since"`

	// Only keys that expire before.
	ExpiresBefore string `json:"expires_before"`

	// Only keys whose id or name holds this, in upper or lower case.
	Q string `json:"q"`
}

// ListTeamsQuery is the query of an operation; what is zero is not sent.
type ListTeamsQuery struct {
	// Teams per page. Default: 100.
	Limit int64 `json:"limit"`

	// The `next` of the page before.
	After string `json:"after"`

	// Only teams whose name holds this, in upper or lower case.
	Q string `json:"q"`
}

// DeleteTeamQuery is the query of an operation; what is zero is not sent.
type DeleteTeamQuery struct {
	// Delete it though keys name it. Default: false.
	Force string `json:"force"`
}

// ListBudgetsQuery is the query of an operation; what is zero is not sent.
type ListBudgetsQuery struct {
	// Only budgets of which this share is spent. Default: 0.
	MinUsed float64 `json:"min_used"`

	// Only budgets of keys, or of teams. `end_user`: of end users with a request in the last ten minutes, as far as the gateway that answers had it. Default: keys and teams.
	Scope string `json:"scope"`

	// Budgets. Default: 100.
	Limit int64 `json:"limit"`
}

// GetSpendQuery is the query of an operation; what is zero is not sent.
type GetSpendQuery struct {
	// Inclusive: RFC 3339 or YYYY-MM-DD. Default: the beginning of the month that `to` ends or lies in.
	From string `json:"from"`

	// Exclusive: RFC 3339 or YYYY-MM-DD. Default: the end of the present month.
	To string `json:"to"`

	// IANA name of the time zone of days, months and defaults. Default: UTC.
	TZ string `json:"tz"`

	// Only this key.
	Key string `json:"key"`

	// Only this team.
	Team string `json:"team"`

	// Only this model.
	Model string `json:"model"`

	// Only this provider.
	Provider string `json:"provider"`

	// Only the end users of this id.
	EndUser string `json:"end_user"`

	// Only the sessions of this id.
	Session string `json:"session"`

	// Only the personal keys of this person.
	User string `json:"user"`

	// Only the client of this name.
	Client string `json:"client"`

	// One cut instead of the three: any of key, team, model, provider, tag, end_user, session, client, user, bucket, hour, day, month, separated by commas; bucket with model, provider and time only, in whole hours; end_user, session, client and user not together.
	GroupBy string `json:"group_by"`

	// `csv`: the rows of `group_by` as text/csv, with a line of names. Default: json.
	Format string `json:"format"`

	// Cuts every group by time as well.
	Interval string `json:"interval"`

	// Rows of each list, the dearest. Default: 1000; 100000 where rows are cut by time.
	Limit int64 `json:"limit"`
}

// GetTrafficQuery is the query of an operation; what is zero is not sent.
type GetTrafficQuery struct {
	// RFC 3339 or YYYY-MM-DD. Default: a day before `to`.
	From string `json:"from"`

	// RFC 3339 or YYYY-MM-DD. Default: now.
	To string `json:"to"`

	// IANA name of the time zone of days. Default: UTC.
	TZ string `json:"tz"`

	// Cuts every group by time. Minutes are kept for 48 hours, hours for 90 days, days for two years. Callers (key, team, tag) have no minutes.
	Interval string `json:"interval"`

	// Any of deployment, provider, model, bucket, endpoint, stream, status, error, limit, key, team, tag, separated by commas; key, team and tag with each other, status, error and limit only.
	GroupBy string `json:"group_by"`

	// Only this deployment.
	Deployment string `json:"deployment"`

	// Only this provider.
	Provider string `json:"provider"`

	// Only this model.
	Model string `json:"model"`

	// Only this bucket.
	Bucket string `json:"bucket"`

	// Only this endpoint, such as `/v1/chat/completions`.
	Endpoint string `json:"endpoint"`

	// Only streams, or all others.
	Stream string `json:"stream"`

	// Only requests that ended so.
	Status string `json:"status"`

	// Only attempts that ended so, or refusals with this code.
	Error string `json:"error"`

	// Only requests that this limit refused.
	LimitKind string `json:"limit_kind"`

	// Only this key.
	Key string `json:"key"`

	// Only this team.
	Team string `json:"team"`

	// Only requests with this tag.
	Tag string `json:"tag"`

	// Whether to tell how long answers took, and scores of `auto`, as histograms too. Default: false.
	Histograms string `json:"histograms"`

	// Whether to sum up the time before too. Default: false.
	Compare string `json:"compare"`

	// Rows. Default: 10000.
	Limit int64 `json:"limit"`
}

// ListRequestsQuery is the query of an operation; what is zero is not sent.
type ListRequestsQuery struct {
	// Receipts per page. Default: 100.
	Limit int64 `json:"limit"`

	// The `next` of the page before.
	After string `json:"after"`

	// Only requests of this key: its id, or the name that it had then. Empty: of none that is known.
	Key string `json:"key"`

	// Only requests of this team.
	Team string `json:"team"`

	// Only requests for this model, or served by it: a name as sent, a deployment, provider/model or model.
	Model string `json:"model"`

	// Only requests that ended like this.
	Status string `json:"status"`

	// Only requests from this time on, RFC 3339.
	From string `json:"from"`

	// Only requests before this time, RFC 3339.
	To string `json:"to"`

	// Only requests with this tag.
	Tag string `json:"tag"`

	// Only requests that counted for the end users of this id.
	EndUser string `json:"end_user"`

	// Only requests of the sessions of this id.
	Session string `json:"session"`

	// Only requests of this bucket; `none`: those whose callers named the model.
	Bucket string `json:"bucket"`

	// Only requests for which this was asked.
	Deployment string `json:"deployment"`

	// Only requests to this endpoint, such as `/v1/chat/completions`.
	Endpoint string `json:"endpoint"`

	// Only streams, or all others.
	Stream string `json:"stream"`

	// Only requests with this error: the outcome of an attempt, a provider's code, or the code of a refusal.
	Error string `json:"error"`

	// Only requests that cost at least this, USD.
	MinCostUSD float64 `json:"min_cost_usd"`

	// Only requests that took at least this, milliseconds.
	MinDurationMs int64 `json:"min_duration_ms"`

	// Only requests whose callers gave a score, gave none, found the answer good (from 0.5 on) or bad.
	Feedback string `json:"feedback"`

	// Only requests whose own id, receipt's id, key's id or key's name holds this.
	Q string `json:"q"`
}

// ListAuditQuery is the query of an operation; what is zero is not sent.
type ListAuditQuery struct {
	// Entries per page. Default: 100.
	Limit int64 `json:"limit"`

	// The `next` of the page before.
	After int64 `json:"after"`

	// Only what this person, service token or session did, or `master_key`.
	Actor string `json:"actor"`

	// Only this.
	Action string `json:"action"`

	// Only what was done to this key, team, deployment, session, person or service token.
	Target string `json:"target"`

	// Only from this time on, RFC 3339.
	From string `json:"from"`

	// Only before this time, RFC 3339.
	To string `json:"to"`
}
