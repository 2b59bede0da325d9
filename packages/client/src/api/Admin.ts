/** What administrators do, with the master key. */
import { type Call, plain } from "../Call.ts"
import type { Connection } from "../connection/Connection.ts"
import { Pages } from "../Pages.ts"
import type { CallOptions } from "../Settings.ts"
import type { ConfigReload, SpendReport } from "../wire/Administration.ts"
import type { DeploymentList, DeploymentSelection } from "../wire/Deployments.ts"
import type { CreateKey, IssuedKey, Key, PutTeam, RotateKey, Team, UpdateKey } from "../wire/Keys.ts"
import type { Operations } from "../wire/Operations.ts"
import type { Receipt } from "../wire/Receipts.ts"
import type { RouteExplanation } from "../wire/Routing.ts"
import { Part } from "./Part.ts"

type Listing<Name extends keyof Operations> = Omit<Operations[Name]["query"], "after">

class Keys extends Part {
  /** The answer holds the secret, this once. */
  create(body: CreateKey = {}, options?: CallOptions): Call<IssuedKey> {
    return plain(this.connection, { method: "POST", path: "/admin/keys", body, options }, "key")
  }

  /** Newest first, from page to page. */
  list(query: Listing<"listKeys"> = {}, options?: CallOptions): Pages<Key> {
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
  get(name: string, options?: CallOptions): Call<Team> {
    return plain(this.connection, { method: "GET", path: team(name), options }, "team")
  }

  /** All of its limits and budgets: what is left out is none. */
  put(name: string, body: PutTeam, options?: CallOptions): Call<Team> {
    return plain(this.connection, { method: "PUT", path: team(name), body, options }, "team")
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
}

class Requests extends Part {
  /** The receipts of requests that are over, from page to page. */
  list(query: Listing<"listRequests"> = {}, options?: CallOptions): Pages<Receipt> {
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

  spend(query: Operations["getSpend"]["query"] = {}, options?: CallOptions): Call<SpendReport> {
    return plain(this.connection, { method: "GET", path: "/admin/spend", query, options }, "total")
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
