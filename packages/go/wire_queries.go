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

	// Only keys whose id or name holds this, in upper or lower case.
	Q string `json:"q"`
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

	// One cut instead of the three: any of key, team, model, provider, tag, bucket, hour, day, month, separated by commas; bucket with model, provider and time only, in whole hours.
	GroupBy string `json:"group_by"`

	// `csv`: the rows of `group_by` as text/csv, with a line of names. Default: json.
	Format string `json:"format"`

	// Cuts every group by time as well.
	Interval string `json:"interval"`

	// Rows of each list, the dearest. Default: 1000; 100000 where rows are cut by time.
	Limit int64 `json:"limit"`
}

// ListRequestsQuery is the query of an operation; what is zero is not sent.
type ListRequestsQuery struct {
	// Receipts per page. Default: 100.
	Limit int64 `json:"limit"`

	// The `next` of the page before.
	After string `json:"after"`

	// Only requests of this key.
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

	// Only requests of this bucket; `none`: those whose callers named the model.
	Bucket string `json:"bucket"`

	// Only requests for which this was asked.
	Deployment string `json:"deployment"`

	// Only requests to this endpoint, such as `/v1/chat/completions`.
	Endpoint string `json:"endpoint"`

	// Only requests with an attempt that ended like this.
	Error string `json:"error"`

	// Only requests that cost at least this, USD.
	MinCostUSD float64 `json:"min_cost_usd"`

	// Only requests that took at least this, milliseconds.
	MinDurationMs int64 `json:"min_duration_ms"`

	// Only requests whose callers gave a score, gave none, found the answer good (from 0.5 on) or bad.
	Feedback string `json:"feedback"`

	// Only requests whose own id, receipt's id or key's id holds this.
	Q string `json:"q"`
}
