/** What administrators do, with the master key. */
import { type Call, plain } from "../Call.ts"
import type { Connection } from "../connection/Connection.ts"
import { Pages } from "../Pages.ts"
import type { CallOptions } from "../Settings.ts"
import type { AuditEntry, Config, ConfigReload, Info, NodeList, SpendReport } from "../wire/Administration.ts"
import type { DeploymentList, DeploymentSelection } from "../wire/Deployments.ts"
import type { BudgetUseList, CreateKey, IssuedKey, Key, PutTeam, RotateKey, Team, UpdateKey } from "../wire/Keys.ts"
import type { Operations } from "../wire/Operations.ts"
import type {
  DeleteTeamQuery,
  GetSpendQuery,
  GetTrafficQuery,
  ListAuditQuery,
  ListBudgetsQuery,
  ListKeysQuery,
  ListRequestsQuery,
  ListTeamsQuery
} from "../wire/Queries.ts"
import type { Receipt } from "../wire/Receipts.ts"
import type { RouteExplanation } from "../wire/Routing.ts"
import type { TrafficReport } from "../wire/Traffic.ts"
import { Part } from "./Part.ts"

type Listing<Query> = Omit<Query, "after">

class Keys extends Part {
  /** The answer holds the secret, this once. */
  create(body: CreateKey = {}, options?: CallOptions): Call<IssuedKey> {
    return plain(this.connection, { method: "POST", path: "/admin/keys", body, options }, "key")
  }

  /** Newest first, from page to page. */
  list(query: Listing<ListKeysQuery> = {}, options?: CallOptions): Pages<Key> {
    return new Pages(this.connection, { method: "GET", path: "/admin/keys", query, options })
  }

  get(id: string, options?: CallOptions): Call<Key> {
    return plain(this.connection, { method: "GET", path: key(id), options }, "id")
  }

  /** A merge patch: what is left out stays, null goes back to the default. */
  update(id: string, body: UpdateKey, options?: CallOptions): Call<Key> {
    return plain(this.connection, { method: "PATCH", path: key(id), body, options }, "id")
  }

  revoke(id: string, options?: CallOptions): Call<Key> {
    return plain(this.connection, { method: "DELETE", path: key(id), options }, "id")
  }

  /** The answer holds the new secret, this once. */
  rotate(id: string, body?: RotateKey, options?: CallOptions): Call<IssuedKey> {
    return plain(this.connection, { method: "POST", path: `${key(id)}/rotate`, body, options }, "key")
  }
}

const key = (id: string): string => `/admin/keys/${encodeURIComponent(id)}`

class Teams extends Part {
  /** By name, from page to page. */
  list(query: Listing<ListTeamsQuery> = {}, options?: CallOptions): Pages<Team> {
    return new Pages(this.connection, { method: "GET", path: "/admin/teams", query, options })
  }

  get(name: string, options?: CallOptions): Call<Team> {
    return plain(this.connection, { method: "GET", path: team(name), options }, "team")
  }

  /** All of its limits and budgets: what is left out is none. */
  put(name: string, body: PutTeam, options?: CallOptions): Call<Team> {
    return plain(this.connection, { method: "PUT", path: team(name), body, options }, "team")
  }

  /** Its limits and budgets are none. `force`: though keys name it, which else is an error. */
  delete(name: string, query: DeleteTeamQuery = {}, options?: CallOptions): Call<Team> {
    return plain(this.connection, { method: "DELETE", path: team(name), query, options }, "team")
  }
}

const team = (name: string): string => `/admin/teams/${encodeURIComponent(name)}`

class Deployments extends Part {
  list(options?: CallOptions): Call<DeploymentList> {
    return plain(this.connection, { method: "GET", path: "/admin/deployments", options }, "data")
  }

  /** Out of rotation; lasts over restarts. */
  disable(body: DeploymentSelection, options?: CallOptions): Call<DeploymentList> {
    return plain(this.connection, { method: "POST", path: "/admin/deployments/disable", body, options }, "data")
  }

  enable(body: DeploymentSelection, options?: CallOptions): Call<DeploymentList> {
    return plain(this.connection, { method: "POST", path: "/admin/deployments/enable", body, options }, "data")
  }

  /** Forgets what was learnt of their health: the next request tries them. */
  reset(body: DeploymentSelection, options?: CallOptions): Call<DeploymentList> {
    return plain(this.connection, { method: "POST", path: "/admin/deployments/reset", body, options }, "data")
  }
}

class Requests extends Part {
  /** The receipts of requests that are over, from page to page. */
  list(query: Listing<ListRequestsQuery> = {}, options?: CallOptions): Pages<Receipt> {
    return new Pages(this.connection, { method: "GET", path: "/admin/requests", query, options })
  }

  get(id: string, options?: CallOptions): Call<Receipt> {
    const path = `/admin/requests/${encodeURIComponent(id)}`
    return plain(this.connection, { method: "GET", path, options }, "id")
  }
}

export class Admin extends Part {
  readonly keys: Keys
  readonly teams: Teams
  readonly deployments: Deployments
  readonly requests: Requests

  constructor(connection: Connection) {
    super(connection)
    this.keys = new Keys(connection)
    this.teams = new Teams(connection)
    this.deployments = new Deployments(connection)
    this.requests = new Requests(connection)
  }

  spend(query: GetSpendQuery = {}, options?: CallOptions): Call<SpendReport> {
    return plain(this.connection, { method: "GET", path: "/admin/spend", query, options }, "total")
  }

  /** How full the budgets of keys and teams are, the fullest first. */
  budgets(query: ListBudgetsQuery = {}, options?: CallOptions): Call<BudgetUseList> {
    return plain(this.connection, { method: "GET", path: "/admin/budgets", query, options }, "data")
  }

  /** How many requests, how they ended, how long they took and what they cost, by what `group_by` and `interval` say. */
  traffic(query: GetTrafficQuery = {}, options?: CallOptions): Call<TrafficReport> {
    return plain(this.connection, { method: "GET", path: "/admin/traffic", query, options }, "total")
  }

  /** What administrators did, newest first, from page to page. */
  audit(query: Listing<ListAuditQuery> = {}, options?: CallOptions): Pages<AuditEntry> {
    return new Pages(this.connection, { method: "GET", path: "/admin/audit", query, options })
  }

  /** What is in force, what the file says, and what a reload would change; without secrets. */
  config(options?: CallOptions): Call<Config> {
    return plain(this.connection, { method: "GET", path: "/admin/config", options }, "fields")
  }

  /** The gateway's version, its store and since when it runs. */
  info(options?: CallOptions): Call<Info> {
    return plain(this.connection, { method: "GET", path: "/admin/info", options }, "version")
  }

  /** The gateways that work on the store, the longest at work first. */
  nodes(options?: CallOptions): Call<NodeList> {
    return plain(this.connection, { method: "GET", path: "/admin/nodes", options }, "data")
  }

  /** What would be done with a request, and why; no provider is called. */
  explain(body: Operations["explainRoute"]["request"], options?: CallOptions): Call<RouteExplanation> {
    return plain(this.connection, { method: "POST", path: "/admin/route/explain", body, options }, "candidates")
  }

  /** Has the gateway read its configuration file again. */
  reload(options?: CallOptions): Call<ConfigReload> {
    return plain(this.connection, { method: "POST", path: "/admin/config/reload", options }, "object")
  }
}
