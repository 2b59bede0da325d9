// Code generated from openapi.json by `npm run openapi`. DO NOT EDIT.

package gateway

// ProviderKey: How one of the provider's keys fares. Nothing of the key itself is ever shown.
type ProviderKey struct {
	// Its place in the provider's `api_key` list, from 0.
	Index int64 `json:"index"`

	// rate_limited: not used for this deployment for a while; refused, out_of_credit: not used for a while, then one request tries it.
	State string `json:"state"`

	// Until when it is not used; null: it is ready.
	Until *string `json:"until"`
}

// IssuedKey: A virtual key and, this once, its secret.
type IssuedKey struct {
	Answer `json:"-"`

	// `key_` and the public part of the secret.
	ID string `json:"id"`

	Object string `json:"object"`

	Name *string `json:"name"`

	Team *string `json:"team"`

	// Names or globs of the models it may use. Empty: all.
	Models []string `json:"models"`

	Limits Limits `json:"limits"`

	Budgets []Budget `json:"budgets"`

	// Whether models whose price nobody knows may be used. Default: deny when the key or its team has a budget, since that spending could not be counted.
	OnUnknownPrice string `json:"on_unknown_price"`

	// What happens under a budget to fields of a request whose cost is not known: they are removed and named in `X-Gateway-Dropped-Params`, or passed on, which may cost more than the budget. Default: remove.
	UnknownFields string `json:"unknown_fields"`

	// Limits and budgets of some models. Left out: none.
	ModelRules []ModelRule `json:"model_rules,omitempty"`

	PerEndUser *ScopeTemplate `json:"per_end_user,omitempty"`

	PerSession *ScopeTemplate `json:"per_session,omitempty"`

	Cache *CacheRules `json:"cache,omitempty"`

	EndUser *EndUserSource `json:"end_user,omitempty"`

	Require KeyRequirement `json:"require"`

	// Addresses and networks (CIDR) that it may be used from. Empty: any.
	AllowFrom []string `json:"allow_from"`

	// `service`: of a team, or without one; `personal`: of a person in a team; `workload`: of the subject of a JWT.
	Kind string `json:"kind"`

	// The person of a personal key, `user_…`; null for other keys.
	Owner *string `json:"owner"`

	// Of a workload's key: the rule that made it.
	Rule string `json:"rule,omitempty"`

	// Of a workload's key: whose it is.
	Subject string `json:"subject,omitempty"`

	// The id of the person or service token that made it; null: the master key or a command.
	CreatedBy *string `json:"created_by"`

	Status string `json:"status"`

	Tags []string `json:"tags"`

	Metadata map[string]any `json:"metadata"`

	// RFC 3339 in UTC.
	CreatedAt string `json:"created_at"`

	// RFC 3339 in UTC.
	UpdatedAt string `json:"updated_at"`

	ExpiresAt *string `json:"expires_at"`

	RevokedAt *string `json:"revoked_at"`

	// Exact to a minute; null: never.
	LastUsedAt *string `json:"last_used_at"`

	ImportedSecret *ImportedKeySecret `json:"imported_secret,omitempty"`

	// What was taken and may be a slip, such as a model that there is not. Left out: nothing.
	Warnings []string `json:"warnings,omitempty"`

	// The secret. It is shown this once and can't be read again.
	Key string `json:"key"`
}

// ImportedKeySecret: A secret of another gateway (`sk-…`) opens this key, as it was imported with it. Left out: only one of this gateway does.
type ImportedKeySecret struct {
	From string `json:"from"`

	// Until when it works; null: until it is rotated.
	ValidUntil *string `json:"valid_until"`
}

// KeyRequirement: Tags that every deployment must have that serves the key. No region: any.
type KeyRequirement struct {
	Region []string `json:"region"`

	Zdr bool `json:"zdr"`
}

// KeyPage is made from the schema of that name.
type KeyPage struct {
	Answer `json:"-"`

	Object string `json:"object"`

	// Newest first.
	Data []Key `json:"data"`

	HasMore bool `json:"has_more"`

	// What to give as `after` for the next page; null: this was the last.
	Next *string `json:"next"`
}

// Key: A virtual key, without its secret.
type Key struct {
	Answer `json:"-"`

	// `key_` and the public part of the secret.
	ID string `json:"id"`

	Object string `json:"object"`

	Name *string `json:"name"`

	Team *string `json:"team"`

	// Names or globs of the models it may use. Empty: all.
	Models []string `json:"models"`

	Limits Limits `json:"limits"`

	Budgets []Budget `json:"budgets"`

	// Whether models whose price nobody knows may be used. Default: deny when the key or its team has a budget, since that spending could not be counted.
	OnUnknownPrice string `json:"on_unknown_price"`

	// What happens under a budget to fields of a request whose cost is not known: they are removed and named in `X-Gateway-Dropped-Params`, or passed on, which may cost more than the budget. Default: remove.
	UnknownFields string `json:"unknown_fields"`

	// Limits and budgets of some models. Left out: none.
	ModelRules []ModelRule `json:"model_rules,omitempty"`

	PerEndUser *ScopeTemplate `json:"per_end_user,omitempty"`

	PerSession *ScopeTemplate `json:"per_session,omitempty"`

	Cache *CacheRules `json:"cache,omitempty"`

	EndUser *EndUserSource `json:"end_user,omitempty"`

	Require KeyRequirement `json:"require"`

	// Addresses and networks (CIDR) that it may be used from. Empty: any.
	AllowFrom []string `json:"allow_from"`

	// `service`: of a team, or without one; `personal`: of a person in a team; `workload`: of the subject of a JWT.
	Kind string `json:"kind"`

	// The person of a personal key, `user_…`; null for other keys.
	Owner *string `json:"owner"`

	// Of a workload's key: the rule that made it.
	Rule string `json:"rule,omitempty"`

	// Of a workload's key: whose it is.
	Subject string `json:"subject,omitempty"`

	// The id of the person or service token that made it; null: the master key or a command.
	CreatedBy *string `json:"created_by"`

	Status string `json:"status"`

	Tags []string `json:"tags"`

	Metadata map[string]any `json:"metadata"`

	// RFC 3339 in UTC.
	CreatedAt string `json:"created_at"`

	// RFC 3339 in UTC.
	UpdatedAt string `json:"updated_at"`

	ExpiresAt *string `json:"expires_at"`

	RevokedAt *string `json:"revoked_at"`

	// Exact to a minute; null: never.
	LastUsedAt *string `json:"last_used_at"`

	ImportedSecret *ImportedKeySecret `json:"imported_secret,omitempty"`

	// What was taken and may be a slip, such as a model that there is not. Left out: nothing.
	Warnings []string `json:"warnings,omitempty"`
}

// RotateKey is made from the schema of that name.
type RotateKey struct {
	// How long the old secret works beside the new one, seconds. Default: 0.
	GraceSeconds *int64 `json:"grace_seconds,omitempty"`

	// Extra has fields by their names on the wire, which go before the others: nil sends null.
	Extra map[string]any `json:"-"`
}

func (v RotateKey) MarshalJSON() ([]byte, error) {
	type plain RotateKey
	return encodeWith(plain(v), v.Extra)
}

func (v *RotateKey) UnmarshalJSON(text []byte) (err error) {
	type plain RotateKey
	v.Extra, err = decodeWith(text, (*plain)(v))
	return err
}

// UpdateKey: A JSON merge patch (RFC 7396): what is left out stays as it is, null goes back to the default. A key that gets its first budget denies models without a price, unless `on_unknown_price` is given too.
type UpdateKey struct {
	Name string `json:"name,omitempty"`

	Team string `json:"team,omitempty"`

	Models []string `json:"models,omitempty"`

	// Only the limits named change; null: no limits.
	Limits *LimitsInput `json:"limits,omitempty"`

	Budgets []BudgetInput `json:"budgets,omitempty"`

	BudgetUSD *float64 `json:"budget_usd,omitempty"`

	// From when on the key is refused; null: never.
	ExpiresAt string `json:"expires_at,omitempty"`

	Tags []string `json:"tags,omitempty"`

	// Merged into what is there; a member that is null is removed.
	Metadata any `json:"metadata,omitempty"`

	OnUnknownPrice string `json:"on_unknown_price,omitempty"`

	UnknownFields string `json:"unknown_fields,omitempty"`

	ModelRules []ModelRuleInput `json:"model_rules,omitempty"`

	// Limits and budgets of each end user that has no record of its own.
	PerEndUser *ScopeTemplateInput `json:"per_end_user,omitempty"`

	// Limits and budgets of each session, which `X-Gateway-Session-Id` names.
	PerSession *ScopeTemplateInput `json:"per_session,omitempty"`

	Cache *CacheRules `json:"cache,omitempty"`

	EndUser *EndUserSourceInput `json:"end_user,omitempty"`

	Require *KeyRequirementInput `json:"require,omitempty"`

	AllowFrom []string `json:"allow_from,omitempty"`

	// A disabled key is refused until it is enabled again.
	Disabled *bool `json:"disabled,omitempty"`

	// Extra has fields by their names on the wire, which go before the others: nil sends null.
	Extra map[string]any `json:"-"`
}

func (v UpdateKey) MarshalJSON() ([]byte, error) {
	type plain UpdateKey
	return encodeWith(plain(v), v.Extra)
}

func (v *UpdateKey) UnmarshalJSON(text []byte) (err error) {
	type plain UpdateKey
	v.Extra, err = decodeWith(text, (*plain)(v))
	return err
}

// KeyRequirementInput: Tags that every deployment must have that serves the key.
type KeyRequirementInput struct {
	// The region of every deployment that serves the key must be one of these. Empty: any.
	Region []string `json:"region,omitempty"`

	// Only deployments with zero data retention serve the key.
	Zdr *bool `json:"zdr,omitempty"`

	// Extra has fields by their names on the wire, which go before the others: nil sends null.
	Extra map[string]any `json:"-"`
}

func (v KeyRequirementInput) MarshalJSON() ([]byte, error) {
	type plain KeyRequirementInput
	return encodeWith(plain(v), v.Extra)
}

func (v *KeyRequirementInput) UnmarshalJSON(text []byte) (err error) {
	type plain KeyRequirementInput
	v.Extra, err = decodeWith(text, (*plain)(v))
	return err
}

// CreateKey: What a new key may and may not do. Everything has a default.
type CreateKey struct {
	Name string `json:"name,omitempty"`

	Team string `json:"team,omitempty"`

	// Names or globs of the models the key may use. Empty: all.
	Models []string `json:"models,omitempty"`

	Limits *LimitsInput `json:"limits,omitempty"`

	// At most 16, each of another window. All of them hold.
	Budgets []BudgetInput `json:"budgets,omitempty"`

	// Short for one budget of window `total`, USD.
	BudgetUSD *float64 `json:"budget_usd,omitempty"`

	// From when on the key is refused; null: never.
	ExpiresAt string `json:"expires_at,omitempty"`

	// Labels that the key's spend is counted under.
	Tags []string `json:"tags,omitempty"`

	// Anything else worth keeping with the key, up to 8192 characters of JSON.
	Metadata any `json:"metadata,omitempty"`

	// Whether models whose price nobody knows may be used. Default: deny when the key or its team has a budget, since that spending could not be counted.
	OnUnknownPrice string `json:"on_unknown_price,omitempty"`

	// What happens under a budget to fields of a request whose cost is not known: they are removed and named in `X-Gateway-Dropped-Params`, or passed on, which may cost more than the budget. Default: remove.
	UnknownFields string `json:"unknown_fields,omitempty"`

	ModelRules []ModelRuleInput `json:"model_rules,omitempty"`

	// Limits and budgets of each end user that has no record of its own.
	PerEndUser *ScopeTemplateInput `json:"per_end_user,omitempty"`

	// Limits and budgets of each session, which `X-Gateway-Session-Id` names.
	PerSession *ScopeTemplateInput `json:"per_session,omitempty"`

	Cache *CacheRules `json:"cache,omitempty"`

	EndUser *EndUserSourceInput `json:"end_user,omitempty"`

	Require *KeyRequirementInput `json:"require,omitempty"`

	AllowFrom []string `json:"allow_from,omitempty"`

	// Extra has fields by their names on the wire, which go before the others: nil sends null.
	Extra map[string]any `json:"-"`
}

func (v CreateKey) MarshalJSON() ([]byte, error) {
	type plain CreateKey
	return encodeWith(plain(v), v.Extra)
}

func (v *CreateKey) UnmarshalJSON(text []byte) (err error) {
	type plain CreateKey
	v.Extra, err = decodeWith(text, (*plain)(v))
	return err
}

// OwnKey: The limits, budgets and use of the calling key.
type OwnKey struct {
	Answer `json:"-"`

	Object string `json:"object"`

	// `key_` and the public part of the secret.
	ID string `json:"id"`

	Name *string `json:"name"`

	Team *string `json:"team"`

	// Names or globs of the models it may use. Empty: all.
	Models []string `json:"models"`

	Status string `json:"status"`

	Limits Limits `json:"limits"`

	Remaining OwnKeyRemaining `json:"remaining"`

	Spend KeySpend `json:"spend"`

	Budgets []Budget `json:"budgets"`

	// Those of its team, which its requests are held against too.
	TeamBudgets []Budget `json:"team_budgets"`

	// What else requests with the headers `X-Gateway-End-User` and `X-Gateway-Session-Id` of this one are held against, if there is any.
	Scopes []OwnScope `json:"scopes,omitempty"`

	Tags []string `json:"tags"`

	ExpiresAt *string `json:"expires_at"`
}

// OwnKeyRemaining is made from the schema of that name.
type OwnKeyRemaining struct {
	// Requests that would be admitted now; null: no limit.
	RPM *float64 `json:"rpm"`

	// Tokens that would be admitted now; null: no limit.
	TPM *float64 `json:"tpm"`
}

// KeySpend: What is booked. Requests in flight are not in it: a budget's `reserved_usd` has those.
type KeySpend struct {
	// Spent in the present hour, USD.
	HourUSD float64 `json:"hour_usd"`

	// Spent today, USD.
	DayUSD float64 `json:"day_usd"`

	// Spent in the present week, which began on Monday, USD.
	WeekUSD float64 `json:"week_usd"`

	// Spent in the present month, USD.
	MonthUSD float64 `json:"month_usd"`

	// Spent in all, USD.
	TotalUSD float64 `json:"total_usd"`

	// IANA name: where hour, day, week and month began.
	TimeZone string `json:"time_zone"`
}
