/** Made from openapi.json by `npm run openapi`: change the description there, not this file. */

/** Read a stored response: what may stand in the query. */
export interface GetResponseQuery {
  /** Answer with server-sent events. */
  readonly stream?: boolean | undefined
  /** Only events after this number. */
  readonly starting_after?: number | undefined
  /** The vendor's names of further fields. All that was stored is there anyway. */
  readonly include?: string | undefined
}

/** List what the model was given: what may stand in the query. */
export interface ListInputItemsQuery {
  /** 20 where it is left out. */
  readonly limit?: number | undefined
  /** `desc`, the newest first, where it is left out. */
  readonly order?: "asc" | "desc" | undefined
  /** The last item of the page before. */
  readonly after?: string | undefined
  /** The vendor's names of further fields. All that was stored is there anyway. */
  readonly include?: string | undefined
}

/** Inspect the calling key: what may stand in the query. */
export interface GetOwnKeyQuery {
  /** IANA name of the time zone of `spend`. Default: that of the key's first budget, else UTC. */
  readonly tz?: string | undefined
}

/** List virtual keys: what may stand in the query. */
export interface ListKeysQuery {
  /** Keys per page. Default: 100. */
  readonly limit?: number | undefined
  /** The `next` of the page before. */
  readonly after?: string | undefined
  /** Only keys of this team. */
  readonly team?: string | undefined
  /** Only keys of this status. */
  readonly status?: "active" | "disabled" | "suspended" | "expired" | "revoked" | undefined
  /** Only personal keys of this person, `user_…`. */
  readonly owner?: string | undefined
  /** Only keys whose last use, or else their creation, was before. */
  readonly unused_since?: string | undefined
  /** Only keys that expire before. */
  readonly expires_before?: string | undefined
  /** Only keys whose id or name holds this, in upper or lower case. */
  readonly q?: string | undefined
}

/** List teams: what may stand in the query. */
export interface ListTeamsQuery {
  /** Teams per page. Default: 100. */
  readonly limit?: number | undefined
  /** The `next` of the page before. */
  readonly after?: string | undefined
  /** Only teams whose name holds this, in upper or lower case. */
  readonly q?: string | undefined
}

/** Delete a team: what may stand in the query. */
export interface DeleteTeamQuery {
  /** Delete it though keys name it. Default: false. */
  readonly force?: boolean | undefined
}

/** List budgets, the fullest first: what may stand in the query. */
export interface ListBudgetsQuery {
  /** Only budgets of which this share is spent. Default: 0. */
  readonly min_used?: number | undefined
  /** Only budgets of keys, or of teams. `end_user`: of end users with a request in the last ten minutes, as far as the gateway that answers had it. Default: keys and teams. */
  readonly scope?: "key" | "team" | "end_user" | undefined
  /** Budgets. Default: 100. */
  readonly limit?: number | undefined
}

/** Spend per key, per team and per model: what may stand in the query. */
export interface GetSpendQuery {
  /** Inclusive: RFC 3339 or YYYY-MM-DD. Default: the beginning of the month that `to` ends or lies in. */
  readonly from?: string | undefined
  /** Exclusive: RFC 3339 or YYYY-MM-DD. Default: the end of the present month. */
  readonly to?: string | undefined
  /** IANA name of the time zone of days, months and defaults. Default: UTC. */
  readonly tz?: string | undefined
  /** Only this key. */
  readonly key?: string | undefined
  /** Only this team. */
  readonly team?: string | undefined
  /** Only this model. */
  readonly model?: string | undefined
  /** Only this provider. */
  readonly provider?: string | undefined
  /** Only the end users of this id. */
  readonly end_user?: string | undefined
  /** Only the sessions of this id. */
  readonly session?: string | undefined
  /** Only the personal keys of this person. */
  readonly user?: string | undefined
  /** Only the client of this name. */
  readonly client?: string | undefined
  /** One cut instead of the three: any of key, team, model, provider, tag, end_user, session, client, user, bucket, hour, day, month, separated by commas; bucket with model, provider and time only, in whole hours; end_user, session, client and user not together. */
  readonly group_by?: string | undefined
  /** `csv`: the rows of `group_by` as text/csv, with a line of names. Default: json. */
  readonly format?: "json" | "csv" | undefined
  /** Cuts every group by time as well. */
  readonly interval?: "hour" | "day" | "month" | undefined
  /** Rows of each list, the dearest. Default: 1000; 100000 where rows are cut by time. */
  readonly limit?: number | undefined
}

/** Traffic over time: what may stand in the query. */
export interface GetTrafficQuery {
  /** RFC 3339 or YYYY-MM-DD. Default: a day before `to`. */
  readonly from?: string | undefined
  /** RFC 3339 or YYYY-MM-DD. Default: now. */
  readonly to?: string | undefined
  /** IANA name of the time zone of days. Default: UTC. */
  readonly tz?: string | undefined
  /** Cuts every group by time. Minutes are kept for 48 hours, hours for 90 days, days for two years. Callers (key, team, tag) have no minutes. */
  readonly interval?: "minute" | "hour" | "day" | undefined
  /** Any of deployment, provider, model, bucket, endpoint, stream, status, error, limit, key, team, tag, separated by commas; key, team and tag with each other, status, error and limit only. */
  readonly group_by?: string | undefined
  /** Only this deployment. */
  readonly deployment?: string | undefined
  /** Only this provider. */
  readonly provider?: string | undefined
  /** Only this model. */
  readonly model?: string | undefined
  /** Only this bucket. */
  readonly bucket?: string | undefined
  /** Only this endpoint, such as `/v1/chat/completions`. */
  readonly endpoint?: string | undefined
  /** Only streams, or all others. */
  readonly stream?: boolean | undefined
  /** Only requests that ended so. */
  readonly status?: "ok" | "failed" | "cut" | "client_gone" | "refused" | "abandoned" | "blocked" | undefined
  /** Only attempts that ended so, or refusals with this code. */
  readonly error?: string | undefined
  /** Only requests that this limit refused. */
  readonly limit_kind?: "rpm" | "tpm" | "parallel" | "budget" | undefined
  /** Only this key. */
  readonly key?: string | undefined
  /** Only this team. */
  readonly team?: string | undefined
  /** Only requests with this tag. */
  readonly tag?: string | undefined
  /** Whether to tell how long answers took, and scores of `auto`, as histograms too. Default: false. */
  readonly histograms?: boolean | undefined
  /** Whether to sum up the time before too. Default: false. */
  readonly compare?: boolean | undefined
  /** Rows. Default: 10000. */
  readonly limit?: number | undefined
}

/** List requests: what may stand in the query. */
export interface ListRequestsQuery {
  /** Receipts per page. Default: 100. */
  readonly limit?: number | undefined
  /** The `next` of the page before. */
  readonly after?: string | undefined
  /** Only requests of this key: its id, or the name that it had then. Empty: of none that is known. */
  readonly key?: string | undefined
  /** Only requests of this team. */
  readonly team?: string | undefined
  /** Only requests for this model, or served by it: a name as sent, a deployment, provider/model or model. */
  readonly model?: string | undefined
  /** Only requests that ended like this. */
  readonly status?: "ok" | "failed" | "cut" | "client_gone" | "refused" | "abandoned" | "blocked" | undefined
  /** Only requests from this time on, RFC 3339. */
  readonly from?: string | undefined
  /** Only requests before this time, RFC 3339. */
  readonly to?: string | undefined
  /** Only requests with this tag. */
  readonly tag?: string | undefined
  /** Only requests that counted for the end users of this id. */
  readonly end_user?: string | undefined
  /** Only requests of the sessions of this id. */
  readonly session?: string | undefined
  /** Only requests of this bucket; `none`: those whose callers named the model. */
  readonly bucket?: string | undefined
  /** Only requests for which this was asked. */
  readonly deployment?: string | undefined
  /** Only requests to this endpoint, such as `/v1/chat/completions`. */
  readonly endpoint?: string | undefined
  /** Only streams, or all others. */
  readonly stream?: boolean | undefined
  /** Only requests with this error: the outcome of an attempt, a provider's code, or the code of a refusal. */
  readonly error?: string | undefined
  /** Only requests that cost at least this, USD. */
  readonly min_cost_usd?: number | undefined
  /** Only requests that took at least this, milliseconds. */
  readonly min_duration_ms?: number | undefined
  /** Only requests whose callers gave a score, gave none, found the answer good (from 0.5 on) or bad. */
  readonly feedback?: "given" | "none" | "good" | "bad" | undefined
  /** Only requests whose own id, receipt's id, key's id or key's name holds this. */
  readonly q?: string | undefined
}

/** List what administrators did: what may stand in the query. */
export interface ListAuditQuery {
  /** Entries per page. Default: 100. */
  readonly limit?: number | undefined
  /** The `next` of the page before. */
  readonly after?: number | undefined
  /** Only what this person, service token or session did, or `master_key`. */
  readonly actor?: string | undefined
  /** Only this. */
  readonly action?:
    | "keys.create"
    | "keys.update"
    | "keys.revoke"
    | "keys.rotate"
    | "keys.import"
    | "teams.put"
    | "teams.delete"
    | "teams.policy"
    | "end_users.put"
    | "end_users.delete"
    | "deployments.disable"
    | "deployments.enable"
    | "deployments.reset"
    | "config.reload"
    | "content.read"
    | "sessions.open"
    | "sessions.close"
    | "sessions.revoke"
    | "sessions.close_all"
    | "users.roles_changed"
    | "users.update"
    | "users.erase"
    | "users.sign_out"
    | "members.put"
    | "members.delete"
    | "tokens.create"
    | "tokens.revoke"
    | "cache.purge"
    | "sign_ins.approve"
    | "sign_ins.deny"
    | "sign_ins.revoke"
    | undefined
  /** Only what was done to this key, team, deployment, session, person or service token. */
  readonly target?: string | undefined
  /** Only from this time on, RFC 3339. */
  readonly from?: string | undefined
  /** Only before this time, RFC 3339. */
  readonly to?: string | undefined
}
