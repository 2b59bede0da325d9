/** The endpoints for administrators, under `/admin`. */
import { HttpApi } from "effect/http-api"
import { audit } from "./endpoints/Audit.ts"
import { cache } from "./endpoints/Cache.ts"
import { deployments } from "./endpoints/Deployments.ts"
import { devices, oauth } from "./endpoints/Device.ts"
import { config, guardrails, info, nodes } from "./endpoints/Gateway.ts"
import { endUsers } from "./endpoints/EndUsers.ts"
import { me, members, tokens, users } from "./endpoints/Identity.ts"
import { keys } from "./endpoints/Keys.ts"
import { budgets, overview, spend, traffic } from "./endpoints/Reports.ts"
import { requests, routing } from "./endpoints/Requests.ts"
import { providerSignIn, sessions, signIn } from "./endpoints/Sessions.ts"
import { teams } from "./endpoints/Teams.ts"
import { InvalidParameters, MasterKeyAuthorization } from "../Security.ts"

/** What callers misspell is refused, so that no limit is lost in silence. */
const strict = { onExcessProperty: "error", errors: "all" } as const

/** Everything under `/admin`. Authorization hangs on the handlers, whatever way a path is spelled. */
export const AdminApi = HttpApi.make("model-gateway")
  .add(
    keys,
    teams,
    endUsers,
    budgets,
    deployments,
    overview,
    spend,
    traffic,
    requests,
    routing,
    config,
    guardrails,
    info,
    nodes,
    cache,
    audit,
    sessions,
    me,
    users,
    members,
    tokens,
    devices
  )
  .middleware(InvalidParameters)
  .middleware(MasterKeyAuthorization)
  // After the middleware, which holds for the groups before it.
  .add(signIn, providerSignIn, oauth)
  .annotate(HttpApi.PayloadParseOptions, strict)
  .annotate(HttpApi.QueryParseOptions, strict)
