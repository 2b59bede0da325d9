/** `/admin/session` and `/admin/sessions`. */
import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup, HttpApiSchema, OpenApi } from "effect/http-api"
import { OpenedSession, Session, SessionList, SessionsEnded, SignIn } from "../Sessions.ts"
import { administrative } from "./Administrative.ts"

/** Sessions of administrators for administrators, one's own for everybody else. Service tokens have none. */
const ownSession = {
  effect: "write",
  admin: "all",
  viewer: "own",
  team_admin: "own",
  member: "own",
  people_only: true
} as const

/** Opening a session takes the master key in the body, so it is the one endpoint here that needs no credential before. */
export const signIn = HttpApiGroup.make("signIn")
  .add(
    HttpApiEndpoint.post("openSession", "/admin/session", {
      payload: SignIn,
      success: OpenedSession.pipe(HttpApiSchema.status(201))
    }).annotateMerge(
      administrative({
        access: "public",
        failures: [413, 415],
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
      administrative({
        access: { ...ownSession, action: "session.read", effect: "read" },
        failures: [404],
        summary: "Who am I",
        description:
          "The session that the request came with; 404 for the master key itself. The token is not told again."
      })
    ),
    HttpApiEndpoint.delete("closeSession", "/admin/session", { success: SessionsEnded }).annotateMerge(
      administrative({
        access: { ...ownSession, action: "session.close" },
        failures: [404],
        summary: "Sign out",
        description: "Both halves open nothing from then on, in every tab. The cookie is taken back."
      })
    ),
    HttpApiEndpoint.get("listSessions", "/admin/sessions", { success: SessionList }).annotateMerge(
      administrative({
        access: { ...ownSession, action: "sessions.list", effect: "read" },
        summary: "List sessions",
        description: "Nothing of their halves."
      })
    ),
    HttpApiEndpoint.delete("closeSessions", "/admin/sessions", { success: SessionsEnded }).annotateMerge(
      administrative({
        access: { ...ownSession, action: "sessions.close_all" },
        summary: "Sign out everywhere",
        description: "Every session ends, that of the request too. The master key goes on working."
      })
    ),
    HttpApiEndpoint.delete("revokeSession", "/admin/sessions/:id", {
      params: { id: Schema.String.annotate({ description: "The id of the session, `sess_…`." }) },
      success: SessionsEnded
    }).annotateMerge(
      administrative({
        access: { ...ownSession, action: "sessions.revoke" },
        failures: [404],
        summary: "End one session",
        description: "In force when the answer comes."
      })
    )
  )
  .annotateMerge(OpenApi.annotations({ title: "Sessions", description: "Administrators in browsers." }))
