/** The endpoints for administrators, under `/admin`. */
import { Schema } from "effect"
import { HttpApi, HttpApiEndpoint, HttpApiGroup, HttpApiSchema, OpenApi } from "effect/http-api"
import { AuditPage, ListAuditQuery } from "./Audit.ts"
import { BudgetUseList, ListBudgetsQuery } from "./Budgets.ts"
import { Config, ConfigReload } from "./Config.ts"
import { DeploymentList, DeploymentSelection } from "./Deployments.ts"
import { documented } from "../Documented.ts"
import { Info } from "./Info.ts"
import { CreateKey, IssuedKey, Key, KeyPage, ListKeysQuery, RotateKey, UpdateKey } from "./Keys.ts"
import { ListReceiptsQuery, Receipt, ReceiptConditions, ReceiptPage } from "../Receipts.ts"
import { ExplainRoute, RouteExplanation } from "./Routing.ts"
import { OpenedSession, Session, SessionList, SessionsEnded, SignIn } from "./Sessions.ts"
import { InvalidParameters, MasterKeyAuthorization } from "../Security.ts"
import { DEFAULT_ROWS, SpendQuery, SpendReport } from "./Spend.ts"
import { DeleteTeamQuery, ListTeamsQuery, PutTeam, Team, TeamPage } from "./Teams.ts"
import { DEFAULT_TRAFFIC_ROWS, MOST_TRAFFIC_ROWS, TrafficQuery, TrafficReport } from "./Traffic.ts"
import { TeamName } from "../Values.ts"

const keyId = { id: Schema.String.annotate({ description: "The id of the key, `key_…`." }) }
/** Whatever is asked for under `/admin` may fail so. */
const always = [400, 401, 403, 429, 500, 503] as const

const conditionNumbers = {
  min_cost_usd: { type: "number", minimum: 0, description: "Only requests that cost at least this, USD." },
  min_duration_ms: { type: "integer", minimum: 0, description: "Only requests that took at least this, milliseconds." }
} as const

const teamName = { team: TeamName }

/** What callers misspell is refused, so that no limit is lost in silence. */
const strict = { onExcessProperty: "error", errors: "all" } as const

export const keys = HttpApiGroup.make("keys")
  .add(
    HttpApiEndpoint.post("createKey", "/admin/keys", {
      payload: CreateKey,
      success: IssuedKey.pipe(HttpApiSchema.status(201))
    }).annotateMerge(
      documented({
        failures: [...always, 413, 415],
        summary: "Create a virtual key",
        description: "The answer holds the secret, this once: it is not kept and can't be read again."
      })
    ),
    HttpApiEndpoint.get("listKeys", "/admin/keys", {
      query: ListKeysQuery,
      success: KeyPage
    }).annotateMerge(
      documented({
        failures: always,
        numbers: { limit: { type: "integer", minimum: 1, maximum: 1000, description: "Keys per page. Default: 100." } },
        summary: "List virtual keys",
        description: "Newest first, in pages. Keys made meanwhile move nothing: every key is on one page."
      })
    ),
    HttpApiEndpoint.get("getKey", "/admin/keys/:id", {
      params: keyId,
      success: Key
    }).annotateMerge(
      documented({
        failures: [...always, 404],
        summary: "Inspect a virtual key",
        description: "Everything but its secret."
      })
    ),
    HttpApiEndpoint.patch("updateKey", "/admin/keys/:id", {
      params: keyId,
      payload: UpdateKey,
      success: Key
    }).annotateMerge(
      documented({
        failures: [...always, 404, 413, 415],
        alsoReads: ["application/merge-patch+json"],
        summary: "Update limits, models, budgets of a key",
        description: "In force when the answer comes, for requests that begin from then on."
      })
    ),
    HttpApiEndpoint.delete("revokeKey", "/admin/keys/:id", {
      params: keyId,
      success: Key
    }).annotateMerge(
      documented({
        failures: [...always, 404],
        summary: "Revoke a key immediately",
        description:
          "From the moment this answers no request with the key is admitted. Its spend stays on the books. Repeating it is harmless; it can't be undone."
      })
    ),
    HttpApiEndpoint.post("rotateKey", "/admin/keys/:id/rotate", {
      params: keyId,
      payload: RotateKey,
      success: IssuedKey
    }).annotateMerge(
      documented({
        failures: [...always, 404, 413, 415],
        bodyOptional: true,
        summary: "Give a key a new secret",
        description: "The answer holds the new secret, this once. The old one works until the grace ends."
      })
    )
  )
  .annotateMerge(OpenApi.annotations({ title: "Virtual keys", description: "The credentials of callers." }))

export const teams = HttpApiGroup.make("teams")
  .add(
    HttpApiEndpoint.get("listTeams", "/admin/teams", { query: ListTeamsQuery, success: TeamPage }).annotateMerge(
      documented({
        failures: always,
        numbers: {
          limit: { type: "integer", minimum: 1, maximum: 1000, description: "Teams per page. Default: 100." }
        },
        summary: "List teams",
        description: "Those that somebody gave limits or budgets, by name, in pages."
      })
    ),
    HttpApiEndpoint.delete("deleteTeam", "/admin/teams/:team", {
      params: teamName,
      query: DeleteTeamQuery,
      success: Team
    }).annotateMerge(
      documented({
        failures: [...always, 404, 409],
        summary: "Delete a team",
        description:
          "Its limits and budgets; its spend stays on the books. Refused while keys name it, unless `force` is true: they then go on without them."
      })
    ),
    HttpApiEndpoint.get("getTeam", "/admin/teams/:team", {
      params: teamName,
      success: Team
    }).annotateMerge(
      documented({
        failures: [...always, 404],
        summary: "Inspect a team",
        description: "A team that nobody gave limits or budgets is not found, though keys may name it."
      })
    ),
    HttpApiEndpoint.put("putTeam", "/admin/teams/:team", {
      params: teamName,
      payload: PutTeam,
      success: Team
    }).annotateMerge(
      documented({
        failures: [...always, 413, 415],
        summary: "Set limits and budgets of a team",
        description: "All of them: what is left out is no limit, or no budget. In force when the answer comes."
      })
    )
  )
  .annotateMerge(OpenApi.annotations({ title: "Teams", description: "Limits and budgets that keys share." }))

export const budgets = HttpApiGroup.make("budgets")
  .add(
    HttpApiEndpoint.get("listBudgets", "/admin/budgets", {
      query: ListBudgetsQuery,
      success: BudgetUseList
    }).annotateMerge(
      documented({
        failures: always,
        numbers: {
          min_used: {
            type: "number",
            minimum: 0,
            description: "Only budgets of which this share is spent. Default: 0."
          },
          limit: { type: "integer", minimum: 1, maximum: 1000, description: "Budgets. Default: 100." }
        },
        summary: "List budgets, the fullest first",
        description: "Of all keys that are not revoked, and of all teams, with the time at which each is used up."
      })
    )
  )
  .annotateMerge(OpenApi.annotations({ title: "Budgets", description: "How full they are." }))

export const deployments = HttpApiGroup.make("deployments")
  .add(
    HttpApiEndpoint.get("listDeployments", "/admin/deployments", {
      success: DeploymentList
    }).annotateMerge(
      documented({
        failures: always,
        summary: "List configured deployments",
        description: "With their health, as the traffic of the last 30 seconds shows it. No model is called for this."
      })
    ),
    HttpApiEndpoint.post("disableDeployments", "/admin/deployments/disable", {
      payload: DeploymentSelection,
      success: DeploymentList
    }).annotateMerge(
      documented({
        failures: [...always, 404, 413, 415],
        summary: "Take deployments out of rotation",
        description:
          "Lasts over restarts. Requests in flight finish. Repeating it is harmless; an unknown id changes nothing at all."
      })
    ),
    HttpApiEndpoint.post("enableDeployments", "/admin/deployments/enable", {
      payload: DeploymentSelection,
      success: DeploymentList
    }).annotateMerge(
      documented({
        failures: [...always, 404, 413, 415],
        summary: "Put deployments back in rotation",
        description: "Lasts over restarts. Repeating it is harmless; an unknown id changes nothing at all."
      })
    ),
    HttpApiEndpoint.post("resetDeployments", "/admin/deployments/reset", {
      payload: DeploymentSelection,
      success: DeploymentList
    }).annotateMerge(
      documented({
        failures: [...always, 404, 413, 415],
        summary: "Close the circuits of deployments",
        description:
          "They are called again at once, as if they had never failed. A circuit that has reason to opens anew. An unknown id changes nothing at all."
      })
    )
  )
  .annotateMerge(
    OpenApi.annotations({ title: "Deployments", description: "What may be called: one model at one provider each." })
  )

export const spend = HttpApiGroup.make("spend")
  .add(
    HttpApiEndpoint.get("getSpend", "/admin/spend", {
      query: SpendQuery,
      success: SpendReport
    }).annotateMerge(
      documented({
        failures: always,
        numbers: {
          limit: {
            type: "integer",
            minimum: 1,
            maximum: DEFAULT_ROWS.overTime,
            description: `Rows of each list, the dearest. Default: ${DEFAULT_ROWS.plain}; ${DEFAULT_ROWS.overTime} where rows are cut by time.`
          }
        },
        summary: "Spend per key, per team and per model",
        description:
          "Of the present month in UTC, or of any other time; `group_by` asks for any other cut. By hour for at most 92 days. With `format=csv` the answer is text/csv."
      })
    )
  )
  .annotateMerge(OpenApi.annotations({ title: "Spend", description: "What was spent." }))

export const traffic = HttpApiGroup.make("traffic")
  .add(
    HttpApiEndpoint.get("getTraffic", "/admin/traffic", { query: TrafficQuery, success: TrafficReport }).annotateMerge(
      documented({
        failures: always,
        numbers: {
          limit: {
            type: "integer",
            minimum: 1,
            maximum: MOST_TRAFFIC_ROWS,
            description: `Rows. Default: ${DEFAULT_TRAFFIC_ROWS}.`
          }
        },
        summary: "Traffic over time",
        description:
          "Requests by how they ended, latencies, tokens and cost, over the last day or any time that is kept, as a whole or cut by time and dimensions. It reads sums and no request, and lags behind by nothing."
      })
    )
  )
  .annotateMerge(OpenApi.annotations({ title: "Traffic", description: "How much, how fast, how well." }))

export const requests = HttpApiGroup.make("requests")
  .add(
    HttpApiEndpoint.get("listRequests", "/admin/requests", {
      query: ListReceiptsQuery,
      success: ReceiptPage
    }).annotateMerge(
      documented({
        failures: always,
        numbers: {
          limit: { type: "integer", minimum: 1, maximum: 1000, description: "Receipts per page. Default: 100." },
          ...conditionNumbers
        },
        summary: "List requests",
        description:
          "The receipts of requests that are over, those that ended last first, in pages. Requests that end meanwhile move nothing: every receipt is on one page."
      })
    ),
    HttpApiEndpoint.get("streamRequests", "/admin/requests/stream", {
      query: ReceiptConditions,
      headers: {
        "last-event-id": Schema.optionalKey(
          Schema.String.annotate({
            description: "The id of the last receipt that was seen: the stream begins after it."
          })
        )
      },
      success: Schema.String.pipe(HttpApiSchema.asText({ contentType: "text/event-stream" }))
    }).annotateMerge(
      documented({
        failures: always,
        numbers: conditionNumbers,
        summary: "Watch requests end",
        description:
          "Server-sent events. `receipt`: a receipt, whose id is the event's. `dropped`: `{count}` receipts that the reader was too slow for, or `null` where nobody knows how many were missed since `Last-Event-ID`. At most 20 streams at once; more get 503. It ends with the session."
      })
    ),
    HttpApiEndpoint.get("getRequest", "/admin/requests/:id", {
      params: {
        id: Schema.String.annotate({ description: "The id of the receipt, `rcpt_…`, or of the request, `req_…`." })
      },
      success: Receipt
    }).annotateMerge(
      documented({
        failures: [...always, 404],
        summary: "Inspect a request",
        description:
          "Its receipt: how it was routed, every attempt, what it cost. A request that still runs has none yet."
      })
    )
  )
  .annotateMerge(OpenApi.annotations({ title: "Requests", description: "What happened to each request." }))

export const routing = HttpApiGroup.make("routing")
  .add(
    HttpApiEndpoint.post("explainRoute", "/admin/route/explain", {
      payload: ExplainRoute,
      success: RouteExplanation
    }).annotateMerge(
      documented({
        failures: [...always, 404, 413, 415],
        summary: "Explain a decision",
        description:
          "What would be done with this request, and why: score, bucket, cut points, what weighed most, and what becomes of every deployment. Send a chat body as it is, or wrapped as `request` beside the endpoint, the key and the hints. No provider is called, nothing is booked or remembered."
      })
    )
  )
  .annotateMerge(OpenApi.annotations({ title: "Routing", description: "How `auto` decides." }))

export const audit = HttpApiGroup.make("audit")
  .add(
    HttpApiEndpoint.get("listAudit", "/admin/audit", { query: ListAuditQuery, success: AuditPage }).annotateMerge(
      documented({
        failures: always,
        numbers: {
          limit: { type: "integer", minimum: 1, maximum: 1000, description: "Entries per page. Default: 100." },
          after: { type: "integer", minimum: 1, description: "The `next` of the page before." }
        },
        summary: "List what administrators did",
        description:
          "Every change through this API: who, what, before and after without secrets, when, from where. Entries are never changed or deleted."
      })
    )
  )
  .annotateMerge(OpenApi.annotations({ title: "Audit log", description: "What administrators did." }))

export const info = HttpApiGroup.make("info")
  .add(
    HttpApiEndpoint.get("getInfo", "/admin/info", { success: Info }).annotateMerge(
      documented({
        failures: always,
        summary: "About the gateway",
        description: "Version, store, prices, and since when it runs."
      })
    )
  )
  .annotateMerge(OpenApi.annotations({ title: "About", description: "What runs here." }))

export const config = HttpApiGroup.make("config")
  .add(
    HttpApiEndpoint.get("getConfig", "/admin/config", { success: Config }).annotateMerge(
      documented({
        failures: always,
        summary: "Show the configuration",
        description:
          "The file that the gateway was started with, field by field with its place and without secrets, when it was read, and what a reload would change."
      })
    ),
    HttpApiEndpoint.post("reloadConfig", "/admin/config/reload", { success: ConfigReload }).annotateMerge(
      documented({
        failures: always,
        summary: "Take over a changed configuration",
        description:
          "Reads the file that the gateway was started with again. When this answers, new requests are served by it; requests in flight end as they began. A file with mistakes changes nothing, and the message lists them all. Circuits, key rests and sessions begin anew."
      })
    )
  )
  .annotateMerge(OpenApi.annotations({ title: "Configuration", description: "The configuration file, read again." }))

/** Opening a session takes the master key in the body, so it is the one endpoint here that needs no credential before. */
export const signIn = HttpApiGroup.make("signIn")
  .add(
    HttpApiEndpoint.post("openSession", "/admin/session", {
      payload: SignIn,
      success: OpenedSession.pipe(HttpApiSchema.status(201))
    }).annotateMerge(
      documented({
        failures: [400, 401, 403, 413, 415, 429, 500, 503],
        summary: "Sign in from a browser",
        description:
          "A session in two halves: the cookie `mgw_session`, which no script can read, and `token`, which the page sends as `X-Gateway-Session`. It opens `/admin` and nothing else, for 8 hours, or 1 hour without use."
      })
    )
  )
  .annotateMerge(OpenApi.annotations({ title: "Signing in", description: "How a browser gets a session." }))

export const sessions = HttpApiGroup.make("sessions")
  .add(
    HttpApiEndpoint.get("getSession", "/admin/session", { success: Session }).annotateMerge(
      documented({
        failures: [...always, 404],
        summary: "Who am I",
        description:
          "The session that the request came with; 404 for the master key itself. The token is not told again."
      })
    ),
    HttpApiEndpoint.delete("closeSession", "/admin/session", { success: SessionsEnded }).annotateMerge(
      documented({
        failures: [...always, 404],
        summary: "Sign out",
        description: "Both halves open nothing from then on, in every tab. The cookie is taken back."
      })
    ),
    HttpApiEndpoint.get("listSessions", "/admin/sessions", { success: SessionList }).annotateMerge(
      documented({ failures: always, summary: "List sessions", description: "Nothing of their halves." })
    ),
    HttpApiEndpoint.delete("closeSessions", "/admin/sessions", { success: SessionsEnded }).annotateMerge(
      documented({
        failures: always,
        summary: "Sign out everywhere",
        description: "Every session ends, that of the request too. The master key goes on working."
      })
    ),
    HttpApiEndpoint.delete("revokeSession", "/admin/sessions/:id", {
      params: { id: Schema.String.annotate({ description: "The id of the session, `sess_…`." }) },
      success: SessionsEnded
    }).annotateMerge(
      documented({
        failures: [...always, 404],
        summary: "End one session",
        description: "In force when the answer comes."
      })
    )
  )
  .annotateMerge(OpenApi.annotations({ title: "Sessions", description: "Administrators in browsers." }))

/** Everything under `/admin`. Authorization hangs on the handlers, whatever way a path is spelled. */
export const AdminApi = HttpApi.make("model-gateway")
  .add(keys, teams, budgets, deployments, spend, traffic, requests, routing, config, info, audit, sessions)
  .middleware(InvalidParameters)
  .middleware(MasterKeyAuthorization)
  // After the middleware, which holds for the groups before it.
  .add(signIn)
  .annotate(HttpApi.PayloadParseOptions, strict)
  .annotate(HttpApi.QueryParseOptions, strict)
