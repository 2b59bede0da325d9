// Code generated from openapi.json by `npm run openapi`. DO NOT EDIT.

package gateway

// Budget: An amount to spend in each window of time, and how much is left of it.
type Budget struct {
	// The amount, USD.
	USD float64 `json:"usd"`

	// How long the amount has to last. `total` never resets. Weeks begin on Monday.
	Window string `json:"window"`

	// IANA name: where the window begins and ends.
	TimeZone string `json:"time_zone"`

	Raises []BudgetRaise `json:"raises,omitempty"`

	// USD.
	SoftUSD *float64 `json:"soft_usd,omitempty"`

	// What raises add to `usd` at present, USD.
	RaisedUSD *float64 `json:"raised_usd,omitempty"`

	// Spent in the present window, USD.
	SpentUSD float64 `json:"spent_usd"`

	// Held by requests in flight, USD.
	ReservedUSD float64 `json:"reserved_usd"`

	// What is left: `usd` and `raised_usd` less spent and reserved, at least 0, USD.
	RemainingUSD float64 `json:"remaining_usd"`

	// When the window ends; null for `total`.
	ResetsAt *string `json:"resets_at"`
}

// BudgetRaise: What is added to a budget for a time. It ends by itself.
type BudgetRaise struct {
	// What is added to the amount, USD.
	AddUSD float64 `json:"add_usd"`

	// When it begins. Default: immediately.
	From string `json:"from,omitempty"`

	// When it ends, exclusive.
	Until string `json:"until"`

	// 1 to 200 characters.
	Reason string `json:"reason,omitempty"`

	// Extra has fields by their names on the wire, which go before the others: nil sends null.
	Extra map[string]any `json:"-"`
}

func (v BudgetRaise) MarshalJSON() ([]byte, error) {
	type plain BudgetRaise
	return encodeWith(plain(v), v.Extra)
}

func (v *BudgetRaise) UnmarshalJSON(text []byte) (err error) {
	type plain BudgetRaise
	v.Extra, err = decodeWith(text, (*plain)(v))
	return err
}

// BudgetInput: An amount to spend in each window of time.
type BudgetInput struct {
	// USD, above 0, at most 9000000, with at most 9 decimals.
	USD float64 `json:"usd"`

	// How long the amount has to last. Default: total.
	Window string `json:"window,omitempty"`

	// IANA name: where the window begins and ends. Default: UTC.
	TimeZone string `json:"time_zone,omitempty"`

	// What is added to the amount for a time. Left out: those of the budget of this window stay.
	Raises []BudgetRaise `json:"raises,omitempty"`

	// Above this amount responses have `X-Gateway-Budget-Soft-Exceeded`. Nothing is refused for it. USD; null: none. Left out: that of the budget of this window stays.
	SoftUSD *float64 `json:"soft_usd,omitempty"`

	// Extra has fields by their names on the wire, which go before the others: nil sends null.
	Extra map[string]any `json:"-"`
}

func (v BudgetInput) MarshalJSON() ([]byte, error) {
	type plain BudgetInput
	return encodeWith(plain(v), v.Extra)
}

func (v *BudgetInput) UnmarshalJSON(text []byte) (err error) {
	type plain BudgetInput
	v.Extra, err = decodeWith(text, (*plain)(v))
	return err
}

// Limits: What may be asked for in a time.
type Limits struct {
	RPM *int64 `json:"rpm"`

	TPM *int64 `json:"tpm"`

	MaxParallel *int64 `json:"max_parallel"`
}

// BudgetUse is made from the schema of that name.
type BudgetUse struct {
	Scope string `json:"scope"`

	// The id of the key, the name of the team, or `<owner>/<id>` of the end user, as under `/admin/end-users`.
	ID string `json:"id"`

	// What people call the key.
	Name *string `json:"name"`

	// How long the amount has to last. `total` never resets. Weeks begin on Monday.
	Window string `json:"window"`

	TimeZone string `json:"time_zone"`

	// The amount, USD.
	USD float64 `json:"usd"`

	// The share of it that is spent: 0.8 is 80 %; more than 1 after it was made smaller.
	Used float64 `json:"used"`

	// USD.
	SpentUSD float64 `json:"spent_usd"`

	// Held by requests in flight, USD.
	ReservedUSD float64 `json:"reserved_usd"`

	// USD.
	RemainingUSD float64 `json:"remaining_usd"`

	// When the window ends; null for `total`.
	ResetsAt *string `json:"resets_at"`

	// When it is used up at the pace of the last hour; null: not before the window ends, or nothing was spent in that hour.
	RunsOutAt *string `json:"runs_out_at"`
}

// BudgetUseList is made from the schema of that name.
type BudgetUseList struct {
	Answer `json:"-"`

	Object string `json:"object"`

	// The fullest first.
	Data []BudgetUse `json:"data"`

	HasMore bool `json:"has_more"`
}

// LimitsInput: What may be asked for in a time. null: no limit.
type LimitsInput struct {
	RPM *int64 `json:"rpm,omitempty"`

	TPM *int64 `json:"tpm,omitempty"`

	MaxParallel *int64 `json:"max_parallel,omitempty"`

	// Extra has fields by their names on the wire, which go before the others: nil sends null.
	Extra map[string]any `json:"-"`
}

func (v LimitsInput) MarshalJSON() ([]byte, error) {
	type plain LimitsInput
	return encodeWith(plain(v), v.Extra)
}

func (v *LimitsInput) UnmarshalJSON(text []byte) (err error) {
	type plain LimitsInput
	v.Extra, err = decodeWith(text, (*plain)(v))
	return err
}

// Team: What the keys of a team may ask for together. A request is held against its key and its team.
type Team struct {
	Answer `json:"-"`

	Object string `json:"object"`

	// Its name.
	Team string `json:"team"`

	Limits Limits `json:"limits"`

	Budgets []Budget `json:"budgets"`

	// Limits and budgets of some models. Left out: none.
	ModelRules []ModelRule `json:"model_rules,omitempty"`

	PerEndUser *ScopeTemplate `json:"per_end_user,omitempty"`

	PerSession *ScopeTemplate `json:"per_session,omitempty"`

	Cache *CacheRules `json:"cache,omitempty"`

	// Keys that name it and are not revoked.
	Keys int64 `json:"keys"`

	// When its limits and budgets were set; null: they never were, and only keys name it.
	UpdatedAt *string `json:"updated_at"`
}

// PutTeam: What is left out is no limit, or no budget. `model_rules`, `per_end_user` and `per_session` stay as they are when they are left out; null, or an empty list, removes them.
type PutTeam struct {
	Limits *LimitsInput `json:"limits,omitempty"`

	// At most 16, each of another window. All of them hold.
	Budgets []BudgetInput `json:"budgets,omitempty"`

	// Short for one budget of window `total`, USD.
	BudgetUSD *float64 `json:"budget_usd,omitempty"`

	ModelRules []ModelRuleInput `json:"model_rules,omitempty"`

	// Limits and budgets of each end user that has no record of its own.
	PerEndUser *ScopeTemplateInput `json:"per_end_user,omitempty"`

	// Limits and budgets of each session, which `X-Gateway-Session-Id` names.
	PerSession *ScopeTemplateInput `json:"per_session,omitempty"`

	Cache *CacheRules `json:"cache,omitempty"`

	// Extra has fields by their names on the wire, which go before the others: nil sends null.
	Extra map[string]any `json:"-"`
}

func (v PutTeam) MarshalJSON() ([]byte, error) {
	type plain PutTeam
	return encodeWith(plain(v), v.Extra)
}

func (v *PutTeam) UnmarshalJSON(text []byte) (err error) {
	type plain PutTeam
	v.Extra, err = decodeWith(text, (*plain)(v))
	return err
}

// TeamPage is made from the schema of that name.
type TeamPage struct {
	Answer `json:"-"`

	Object string `json:"object"`

	// By name.
	Data []Team `json:"data"`

	HasMore bool `json:"has_more"`

	// What to give as `after` for the next page; null: this was the last.
	Next *string `json:"next"`
}
